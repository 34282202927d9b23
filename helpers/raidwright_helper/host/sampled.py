"""Blocks all over some disks, read for their stripes to be compared; nothing is written, and few are read."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.md.rescue.stripes import BLOCK_BYTES, Compared, StripeShape, compare, sampled_positions

_COUNTS = (256, 1024)  # positions; the second where the first meets little but zeros
_FEW = 32
_MAX_SECONDS = 20.0  # a disk; one that turns reads eighty places a second
_MAX_FAILURES = 4  # a failing disk takes half a minute for each


@dataclass(frozen=True, slots=True)
class Part:
    """A member to read: its open device, and the byte at which its data begin."""

    fd: int
    begins: int


async def compared(shape: StripeShape, parts: Mapping[int, Part]) -> Compared:
    """Compare the stripes of the members ``parts``, by slot; those without one are missing."""
    found = Compared()
    for count in _COUNTS:
        positions = list(sampled_positions(shape, count))
        wanted: dict[int, list[int]] = {slot: [] for slot in parts}
        for position in positions:
            for slot, byte in shape.places(position):
                if slot in wanted:
                    wanted[slot].append(byte)
        read = await _all_read(parts, wanted)
        found = compare(shape, _block_of(parts, read), count)
        if found.told >= _FEW or len(positions) >= shape.positions:
            break
    return found


def _block_of(parts: Mapping[int, Part], read: Mapping[tuple[int, int], bytes]) -> Callable[[int, int], bytes | None]:
    def block(slot: int, byte: int) -> bytes | None:
        if slot not in parts:
            return None
        if (found := read.get((slot, byte))) is None:
            raise OSError
        return found

    return block


async def _all_read(parts: Mapping[int, Part], wanted: Mapping[int, Sequence[int]]) -> dict[tuple[int, int], bytes]:
    blocks = await asyncio.gather(
        *(
            asyncio.to_thread(blocks_at, part.fd, [part.begins + byte for byte in wanted[slot]])
            for slot, part in parts.items()
        )
    )
    return {
        (slot, byte - parts[slot].begins): block
        for slot, found in zip(parts, blocks, strict=True)
        for byte, block in found.items()
    }


def blocks_at(fd: int, places: Iterable[int]) -> dict[int, bytes]:
    """Return the blocks at ``places`` that can be read within some seconds; the disk itself is asked, not its cache."""
    found: dict[int, bytes] = {}
    ends_at, failures = time.monotonic() + _MAX_SECONDS, 0
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    for place in places:
        os.posix_fadvise(fd, place, BLOCK_BYTES, os.POSIX_FADV_DONTNEED)
        try:
            block = os.pread(fd, BLOCK_BYTES, place)
        except OSError:
            failures += 1
        else:
            if len(block) == BLOCK_BYTES:
                found[place] = block
        if failures >= _MAX_FAILURES or time.monotonic() > ends_at:
            break
    return found
