"""Further slices on a disk whose others are in use: its table is saved, and partitions are added behind the last.

The kernel doesn't read such a table again, so it is told of each partition. A partition that is there already, free and
of the right place and size, is what an attempt before left; what it holds must be confirmed like that of any disk.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.lvm.change_commands import (
    TABLES_FOLDER,
    append_command,
    append_lines,
    dump_command,
    tell_command,
)
from raidwright.core.model.plan import Member
from raidwright.core.protocol.errors import Code

from raidwright_helper.host import lvm, system_files
from raidwright_helper.host.guards import lock_out_udev, person_name, verify_confirmed, verify_free, verify_no_writer
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import run
from raidwright_helper.host.signatures import Signature, found_on, wipe

from .create_joined import hold_slice

_PARTX = "/usr/bin/partx"
_LIMIT_SECONDS = 60.0
_LISTED = re.compile(r"^/dev/\S*?(\d+) : start= *(\d+), size= *(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SliceRoom:
    """The node of a disk in use, and the slices that it gets, each with the byte where it begins.

    ``is_locked``: the caller has locked the disk against udev.
    """

    node: str
    slices: Sequence[tuple[Member, int]]
    is_locked: bool = False


async def verify_room(host: Host, room: SliceRoom, confirmed: Mapping[str, Sequence[str]]) -> Mapping[int | None, int]:
    """Return the disk's partitions by number; raises DiskRefused unless the slices are behind them, or free ones."""
    disk = host.number_of(room.node)
    if disk is None:
        raise JobFailed("{disk} is gone.", code="no-device", disk=room.node)
    there = {host.partition(part): part for part in host.partitions(disk)}
    _verify_order(host, room, there)
    for one, begin in room.slices:
        if (number := there.get(one.partition)) is not None:
            _verify_place(host, room, number, one, begin)
            verify_free(host, number, one)
            _verify_given_up(host.node(number), await found_on(host.node(number)), confirmed, one)
    return there


async def hold_slices(
    host: Host,
    room: SliceRoom,
    confirmed: Mapping[str, Sequence[str]],
    save: Callable[[HeldDisk], Awaitable[None]],
    log: list[str],
    until: contextlib.ExitStack,
) -> list[HeldDisk]:
    """Return the slices, made where they are missing, held until ``until`` closes; raises DiskRefused, JobFailed.

    ``save`` is called for each before anything of it is wiped.
    """
    there = await verify_room(host, room, confirmed)
    disk = host.number_of(room.node) or 0
    await verify_no_writer(host, ((one, disk) for one, _ in room.slices))
    lacking = [(one, begin) for one, begin in room.slices if one.partition not in there]
    with contextlib.ExitStack() as locked:
        await lock_out_udev(host, () if room.is_locked else (disk,), locked)
        fresh = await _append(host, disk, lacking, log) if lacking else frozenset()
        there = {host.partition(part): part for part in host.partitions(disk)}
        held = []
        for one, begin in room.slices:
            number = there.get(one.partition)
            if number is None:
                raise _other_partition(room.node, one)
            _verify_place(host, room, number, one, begin)
            verify_free(host, number, one)
            part = hold_slice(host, number, one, until)
            found = await found_on(part.device.node)
            if one.partition not in fresh:
                _verify_given_up(part.device.node, found, confirmed, one)
            await save(replace(part, found=found))
            if one.partition in fresh:  # what was there before shows through in what was free
                part.claim.release()
                await wipe(host, number, found, log)
                found = ()
            held.append(HeldDisk(one, part.device, part.claim, found))
    return held


def _verify_given_up(
    node: str, found: Sequence[Signature], confirmed: Mapping[str, Sequence[str]], one: Member
) -> None:
    """Raise DiskRefused unless what a free partition holds was given up, which can be said of added disks alone."""
    names = sorted({signature.name for signature in found})
    if names and one.failure_unit not in confirmed:
        raise DiskRefused(
            "{node} is free and would become a slice, but holds something: {names}. If nothing of that is wanted, "
            "erase it (wipefs --all {node}) and say this once more.",
            code=Code.SIGNATURE,
            node=node,
            names=names,
            signatures=names,
        )
    verify_confirmed(found, confirmed.get(one.failure_unit, ()), one)


def _verify_place(host: Host, room: SliceRoom, number: int, one: Member, begin: int) -> None:
    if (host.start_bytes(number), host.size_bytes(number)) != (begin, one.size_bytes):
        raise _other_partition(room.node, one)


def _verify_order(host: Host, room: SliceRoom, there: Mapping[int | None, int]) -> None:
    """Raise DiskRefused unless the disk's other partitions are those before the slices, and end there."""
    first, begin = room.slices[0]
    numbers = {one.partition for one, _ in room.slices}
    others = {number: part for number, part in there.items() if number not in numbers}
    ends = [host.start_bytes(part) + host.size_bytes(part) for part in others.values()]
    if set(others) != set(range(1, first.partition or 0)) or max(ends, default=0) > begin:
        raise _other_partition(room.node, first)


async def _append(host: Host, disk: int, slices: Sequence[tuple[Member, int]], log: list[str]) -> frozenset[int | None]:
    """Add the slices that the table lacks, and tell the kernel of all; return the numbers of those added."""
    node = host.node(disk)
    links = sorted(link for link in host.udev(disk).links if link.startswith("disk/by-id/"))
    name = f"{links[-1].rpartition('/')[2] if links else host.kernel_name(disk)}-{time.time():.0f}"
    dumped = await run((lvm.SFDISK, *dump_command(node)[1:]), limit_s=_LIMIT_SECONDS)
    folder = host.root / TABLES_FOLDER.lstrip("/")
    system_files.have_folder(folder)
    system_files.replace(folder / name, dumped.output, mode=0o600)
    log.append(f"{dumped.command} > {TABLES_FOLDER}/{name}")
    known = _listed(dumped.output, host.sector_bytes(disk))
    for one, begin in slices:
        if known.get(one.partition, (begin, one.size_bytes)) != (begin, one.size_bytes):
            raise _other_partition(node, one)
    if new := [(one, begin) for one, begin in slices if one.partition not in known]:
        argv, lines = (lvm.SFDISK, *append_command(node)[1:]), append_lines(new)
        log.append(f"printf '%s\\n' {shlex.join(lines)} | {shlex.join(argv)}")
        await run(argv, limit_s=_LIMIT_SECONDS, given="".join(f"{line}\n" for line in lines).encode())
    for one, _ in slices:
        log.append((await run((_PARTX, *tell_command(node, one)[1:]), limit_s=_LIMIT_SECONDS)).command)
    return frozenset(one.partition for one, _ in new)


def _listed(dumped: str, sector_bytes: int) -> Mapping[int | None, tuple[int, int]]:
    """Return the partitions of sfdisk's dump, each with the byte where it begins and its size.

    The kernel may not know one of them: of an attempt that was cut off before it was told.
    """
    return {
        int(found[1]): (int(found[2]) * sector_bytes, int(found[3]) * sector_bytes)
        for found in _LISTED.finditer(dumped)
    }


def _other_partition(node: str, one: Member) -> DiskRefused:
    return DiskRefused(
        "Partition {number} of {disk} isn't where the slice would be, or other partitions are; look at it with "
        "“sfdisk --list {disk}”.",
        code="wrong-partitions",
        number=one.partition,
        disk=node or person_name(one),
    )
