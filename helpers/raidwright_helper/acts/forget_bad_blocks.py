"""A stopped array started with its lists of bad blocks forgotten (mdadm, ``--update=force-no-bbl``).

A sector in a list isn't read from that member: a write there may have failed, so what the member has can be old. Once
forgotten it counts as good. So the array is started as it is first, what the other members have in place of those
sectors is read, and written through the array again after the lists are gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.md.bad_blocks import Range, rewriting_ranges
from raidwright.core.md.member_superblock import RESHAPES, MemberSuperblock

from raidwright_helper.host import md
from raidwright_helper.host.bad_blocks import ranges_on
from raidwright_helper.host.extents import bytes_at
from raidwright_helper.host.guards import Exclusive, Pinned, pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.superblocks import read_superblock

from . import start

_SECTOR_BYTES = 512
_PIECE_SECTORS = 8
_MAX_SECTORS = 2**19  # of the array's, 256 MiB; a list has 512 entries of at most 512 sectors a member
_FORGET = ("--update=force-no-bbl",)


@dataclass(frozen=True, slots=True)
class MemberList:
    """A member's list of bad blocks, of the member's own sectors."""

    device: Pinned
    superblock: MemberSuperblock
    ranges: tuple[Range, ...]

    @property
    def sectors(self) -> int:
        """Number of sectors in it."""
        return sum(count for _, count in self.ranges)


def lists_of(host: Host, held: start.Startable) -> tuple[MemberList, ...]:
    """Return the lists with anything in them; raises InputError if there are none, DiskRefused within a reshape."""
    found = []
    for device in held.devices:
        superblock = read_superblock(device.fd, host.size_bytes(device.number))
        if superblock is not None and (ranges := ranges_on(device.fd, superblock)):
            found.append(MemberList(device, superblock, ranges))
    if not found:
        raise InputError("{array} has no list of bad blocks to forget.", code="no-bad-blocks", array=held.label)
    if any(one.superblock.feature_map & RESHAPES for one in found):
        raise DiskRefused(
            "{array} is within a reshape; start it as it is, and forget its bad blocks once that is done.",
            code="array-reshapes",
            array=held.label,
        )
    return tuple(found)


def verify_named(host: Host, held: start.Startable, lists: Sequence[MemberList], sectors: int) -> None:
    """Raise DiskRefused, naming the sectors, unless their number is ``sectors``."""
    count = sum(one.sectors for one in lists)
    if count == sectors:
        return
    raise DiskRefused(
        "The lists of bad blocks of {array} have {count} sectors: {named}. Forgotten, they count as good. What other "
        "members have in their place is written to them again; what only these disks have is read from them as it is, "
        "and can be old. To start the array so: --forget-bad-blocks {count}.",
        code="array-bad-blocks-named",
        array=held.label,
        count=count,
        named="; ".join(
            f"{host.kernel_name(one.device.number)} " + ", ".join(f"{first}+{size}" for first, size in one.ranges)
            for one in lists
        ),
    )


async def start_forgetting(
    host: Host, held: start.Startable, lists: Sequence[MemberList], log: list[str]
) -> md.RunningArray:
    """Start the array without its lists; raises DiskRefused and JobFailed, before which it may run with them."""
    array = await start.start(host, held, log)
    with pinned(host, array.node, who=held.label) as device, Exclusive(host, device, held.label) as claim:
        wanted = sorted({piece for one in lists for piece in _pieces(one)})
        kept = await asyncio.to_thread(_readable, claim.fd, wanted)
    await md.stop_when_unused(host, array.number, log)
    array = await start.start(host, replace(held, half=None, update=_FORGET), log)
    with (
        pinned(host, array.node, who=held.label) as device,
        Exclusive(host, device, held.label, writable=True) as claim,
        _whole_stripes(host, array.number),
    ):
        await asyncio.to_thread(_write, claim.fd, kept)
    unread = sum(size for _, size in wanted) - sum(len(content) // _SECTOR_BYTES for _, content in kept)
    log.append(f"# written again: {len(kept)} places of the array; not to be read on any member: {unread} sectors")
    return array


@contextlib.contextmanager
def _whole_stripes(host: Host, array: int) -> Iterator[None]:
    """Let md work parity out of all data of a stripe meanwhile, never from its old parity and the old data."""
    file, before = host.block_dir(array) / "md/rmw_level", host.attribute(array, "md/rmw_level")
    if not before:  # no level with parity
        yield
        return
    file.write_text("0", encoding="ascii")
    try:
        yield
    finally:
        file.write_text(before, encoding="ascii")


def _pieces(one: MemberList) -> Iterator[Range]:
    left = _MAX_SECTORS
    for bad in one.ranges:
        for first, count in rewriting_ranges(one.superblock, bad):
            left -= count
            if left < 0:
                raise DiskRefused(
                    "{disk}'s list of bad blocks has too many sectors to write them again; replace the disk with "
                    "mdadm {least} or later.",
                    code="bad-blocks-many",
                    disk=one.device.node,
                    least="4.5",
                )
            for begin in range(first, first + count, _PIECE_SECTORS):
                yield begin, min(_PIECE_SECTORS, first + count - begin)


def _readable(fd: int, wanted: Collection[Range]) -> list[tuple[int, bytes]]:
    """Return the contents of those of the array's ranges that md can read, by their first byte."""
    kept = []
    for first, count in wanted:
        at = first * _SECTOR_BYTES
        try:
            content = bytes_at(fd, at, count * _SECTOR_BYTES)
        except OSError:
            continue
        kept.append((at, content))
    return kept


def _write(fd: int, kept: Collection[tuple[int, bytes]]) -> None:
    for at, content in kept:
        os.pwrite(fd, content, at)
    os.fsync(fd)
