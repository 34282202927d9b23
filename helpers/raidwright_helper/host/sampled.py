"""Blocks all over some disks, read for their stripes to be compared; nothing is written, and few are read."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from raidwright.core.md.layouts import Level
from raidwright.core.md.rescue.question import StripeQuestion
from raidwright.core.md.rescue.search import Order
from raidwright.core.md.rescue.stripes import (
    BLOCK_BYTES,
    Compared,
    StripeShape,
    compare,
    is_zero,
    lost_mask,
    sampled_positions,
    with_order,
    zero_mask,
)

from .extents import bytes_at, expect_random_reads
from .host import Host
from .looking import pinned_to_look
from .power import PowerStates

_COUNTS = (256, 1024)  # positions; the second where the first meets little but zeros
_FEW = 32
_MAX_SECONDS = 20.0  # a disk; one that turns reads eighty places a second
_MAX_FAILURES = 4  # a failing disk takes half a minute for each
_RUN_BLOCKS = 64  # read at once where they follow one another

Blocks = Mapping[int, bytes]  # by their byte on the disk


@dataclass(frozen=True, slots=True)
class Part:
    """A member to read: its open device, and the byte at which its data begin."""

    fd: int
    begins: int


async def compared(shape: StripeShape, parts: Mapping[int, Part]) -> Compared:
    """Compare the stripes of the members ``parts``, by slot; those without one are missing."""
    found = Compared()
    for count in _COUNTS:
        places = sorted(_places(shape, count))
        reading = (
            asyncio.to_thread(blocks_at, one.fd, [one.begins + byte for byte in places]) for one in parts.values()
        )
        read = dict(zip(parts, await asyncio.gather(*reading), strict=True))
        members = [_Member(parts[slot].begins, read[slot]) if slot in read else None for slot in range(shape.slots)]
        found = await asyncio.to_thread(_compared, shape, members, count)
        if found.told >= _FEW or count >= shape.positions:
            break
    return found


@dataclass(frozen=True, slots=True)
class _Member:
    begins: int
    blocks: Blocks

    def block(self, byte: int) -> bytes:
        if (found := self.blocks.get(self.begins + byte)) is None:
            raise OSError
        return found


def _places(shape: StripeShape, count: int) -> set[int]:
    """Return the bytes on a member, from where its data begin, that may have to be read for ``count`` stripes."""
    if not shape.positions:  # of a level without copies, some all over it
        mirror = StripeShape(Level.RAID1, shape.slots, shape.component_bytes)
        return {position * BLOCK_BYTES for position in sampled_positions(mirror, count)}
    spread = {byte for position in sampled_positions(shape, count) for _, byte in shape.places(position)}
    return spread | {position * BLOCK_BYTES for position in shape.dense}


def _compared(shape: StripeShape, members: list[_Member | None], count: int) -> Compared:
    return _with_order(compare(shape, _reader(members), count), shape, members, {})


def _reader(members: list[_Member | None]) -> Callable[[int, int], bytes | None]:
    def block(slot: int, byte: int) -> bytes | None:
        member = members[slot]
        return None if member is None else member.block(byte)

    return block


def _with_order(
    found: Compared, shape: StripeShape, members: list[_Member | None], lost: dict[frozenset[int], int]
) -> Compared:
    """Add what the places of the parity say; ``lost`` keeps the masks of missing members, by the others."""
    places = [position * BLOCK_BYTES for position in shape.dense]
    here = [member for member in members if member is not None]
    if not places or len(here) < len(members) - 1:
        return found
    try:
        blocks = {id(member): [member.block(place) for place in places] for member in here}
    except OSError:
        return found
    missing = 0
    if len(here) < len(members):
        key = frozenset(id(member.blocks) for member in here)
        if key not in lost:
            lost[key] = lost_mask(list(blocks.values()))
        missing = lost[key]
    masks = {key: zero_mask(some) for key, some in blocks.items()}
    return with_order(found, shape, [missing if member is None else masks[id(member)] for member in members])


async def examine_stripes(
    host: Host, power: PowerStates, question: StripeQuestion, *, wake: bool
) -> Mapping[str, Compared]:
    """Answer the question, by the keys of its orders and by disk.

    Raises DiskRefused for anything but a disk, and for a disk in standby (``Code.ASLEEP``) unless ``wake``.
    """
    begins = question.begins_kib * 1024
    wanted = [begins + byte for byte in sorted(_places(question.shape, _COUNTS[0]))]
    async with contextlib.AsyncExitStack() as until:
        looking = [pinned_to_look(host, power, one, wake=wake) for one in question.disks]
        fds = [(await until.enter_async_context(one)).fd for one in looking]
        read = await asyncio.gather(*(asyncio.to_thread(blocks_at, fd, wanted) for fd in fds))
    members = {disk: _Member(begins, one) for disk, one in zip(question.disks, read, strict=True)}
    return await asyncio.to_thread(_answers, question, members)


def _answers(question: StripeQuestion, members: Mapping[str, _Member]) -> dict[str, Compared]:
    shape = question.shape
    answers = {
        disk: Compared(len(member.blocks), sum(not is_zero(block) for block in member.blocks.values()))
        for disk, member in members.items()
    }
    lost: dict[frozenset[int], int] = {}
    by_set: dict[Order, Compared] = {}
    for order in question.orders:
        placed = [None if disk is None else members[disk] for disk in order]
        key = order if shape.tells_order else tuple(sorted(order, key=lambda disk: disk or ""))
        if key not in by_set:
            by_set[key] = compare(shape, _reader(placed), _COUNTS[0])
        answers[question.key(order)] = _with_order(by_set[key], shape, placed, lost)
    return answers


def blocks_at(fd: int, places: Iterable[int]) -> dict[int, bytes]:
    """Return the blocks at ``places`` that can be read within some seconds; the disk itself is asked, not its cache."""
    found: dict[int, bytes] = {}
    ends_at, failures = time.monotonic() + _MAX_SECONDS, 0
    expect_random_reads(fd)
    for place, count in _runs(places):
        try:
            read = bytes_at(fd, place, count * BLOCK_BYTES)
        except OSError:
            failures += 1
        else:
            for at in range(0, len(read) - BLOCK_BYTES + 1, BLOCK_BYTES):
                found[place + at] = read[at : at + BLOCK_BYTES]
        if failures >= _MAX_FAILURES or time.monotonic() > ends_at:
            break
    return found


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the places that follow one another as one, with their number of blocks."""
    begins, count = 0, 0
    for place in places:
        if count and place == begins + count * BLOCK_BYTES and count < _RUN_BLOCKS:
            count += 1
            continue
        if count:
            yield begins, count
        begins, count = place, 1
    if count:
        yield begins, count
