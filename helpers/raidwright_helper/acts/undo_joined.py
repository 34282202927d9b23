"""Checks before an undo of a joined volume: its volume, its arrays, and each disk's table and slices.

As of an array (``undo``), nobody else's bytes are overwritten: the volume isn't in use and nothing was written to it,
the arrays are the build's own and read as when they were made, and each disk carries the build's own partition table
(its GUID) with the build's own superblocks in it, or reads as it was saved, except for erased bytes and, while the
table was being written, the places of a GPT.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Sequence
from pathlib import Path

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused
from raidwright.core.messages import say
from raidwright.core.protocol.facts import BuildState, BuildStep, ClosedBy

from raidwright_helper.host import gpt, lvm, md
from raidwright_helper.host.array_users import claim_array, verify_unused_array
from raidwright_helper.host.extents import Extent
from raidwright_helper.host.fingerprint import fingerprint_of_joined, reads_the_same
from raidwright_helper.host.guards import Pinned, pinned, reason_of_use
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import found_on, found_within
from raidwright_helper.records.backup import only_erased
from raidwright_helper.records.build import Build, SavedMember
from raidwright_helper.records.builds import Builds

from .untouched import NOT_TAKEN_BACK, WORDS, changed, holds, in_use_by, is_own_member, mounted_at, other_array

_TABLE = frozenset({"gpt", "PMBR"})


async def verify_untouched(host: Host, builds: Builds, build: Build, devices: Sequence[Pinned]) -> None:
    """Raise InputError or DiskRefused if anything on the held disks isn't the build's own, or as it was."""
    numbers = [device.number for device in devices]
    volume = lvm.volume_on(host, build.name, lvm.arrays_below(host, numbers))
    arrays = md.arrays_on(host, numbers, besides=() if volume is None else (volume,))
    running = [await md.read_array(host, number) for number in arrays]
    if any(array.uuid not in build.own_uuids for array in running):
        raise other_array()
    is_done = build.state(is_running=False) is BuildState.DONE
    if is_done and {array.uuid for array in running} != build.own_uuids:
        raise DiskRefused(
            "Not all arrays of the volume “{name}” run, so nobody can see whether it holds something; "
            "{not_taken_back}. Assemble them first.",
            code="array-not-running",
            name=build.name,
            not_taken_back=NOT_TAKEN_BACK,
        )
    inside = frozenset().union(*(md.leaf_members(host, number) for number in arrays))
    if {host.whole(part) for part in inside} - set(numbers):
        raise other_array()
    begun = build.last(BuildStep.UNDO) is not None
    if volume is not None:
        await _verify_volume(host, build, volume, begun=begun)
    await _verify_arrays(host, build, running, devices, begun=begun)
    for saved, device in zip(build.members, devices, strict=True):
        await _verify_disk(host, build, builds.folder_of(build.id), saved, device)


async def _verify_volume(host: Host, build: Build, volume: int, *, begun: bool) -> None:
    closed, point = in_use_by(host, volume), mounted_at(host, volume)
    if closed in (ClosedBy.MOUNTED, ClosedBy.IN_USE):
        raise holds(say("{used} at {point}", used=WORDS[closed], point=point) if point else WORDS[closed])
    is_done = build.last(BuildStep.DONE) is not None
    node, who = host.node(volume), say("The volume “{name}”", name=build.name)
    with contextlib.ExitStack() as until:
        await claim_array(host, until.enter_context(pinned(host, node, who=node)), who, until)
        await verify_unused_array(host, volume, who)
        if closed is ClosedBy.WRITTEN and is_done and not begun:
            raise holds(WORDS[closed])
        if not is_done and (found := [signature.kind for signature in await found_on(node)]):
            raise holds(say("carries {found}", found=found))


async def _verify_arrays(
    host: Host, build: Build, arrays: Sequence[md.RunningArray], devices: Sequence[Pinned], *, begun: bool
) -> None:
    done = build.last(BuildStep.DONE)
    if done and not begun:
        disks = {saved.member.id: device for saved, device in zip(build.members, devices, strict=True)}
        now = await fingerprint_of_joined(host, arrays, disks, synchronises=build.synchronises)
        if not reads_the_same(now, done.fields["fingerprint"]):
            raise holds(say("does not read as it did when it was made"))
        return
    for array in arrays:
        if found := [found.kind for found in await found_on(array.node) if found.kind != lvm.SIGNATURE]:
            raise holds(say("carries {found}", found=found))


async def _verify_disk(host: Host, build: Build, folder: Path, saved: SavedMember, device: Pinned) -> None:
    """Raise DiskRefused unless the disk's table and slices, besides those in running arrays, are the build's own."""
    parts = host.partitions(device.number)
    free = [part for part in (device.number, *parts) if not host.holders(part)]
    if reason := next(filter(None, (reason_of_use(host, part) for part in free)), None):
        raise changed(saved, reason)
    sector_bytes = host.sector_bytes(device.number)
    table = await asyncio.to_thread(gpt.table_id, device.fd, sector_bytes)
    has_own_table = table == build.tables[saved.member.id]
    found = await found_within(host, device.number)
    in_arrays = {host.partition(part) for part in parts if host.holders(part)}
    own = [signature for signature in found if signature.partition in in_arrays or is_own_member(build, signature)]
    others = {signature.name for signature in found if signature not in own}
    if others and any(signature.kind == md.MEMBER_SIGNATURE and signature not in own for signature in found):
        raise changed(saved, say("belongs to another array"))
    if has_own_table and own:
        if new := sorted(others - _TABLE):
            raise changed(saved, say("has come to hold {new}", new=new))
        return
    if (has_own_table is False) and (new := sorted(others - set(saved.names))):
        raise changed(saved, say("has come to hold {new}", new=new))
    is_being_written = build.notes[-1].step is BuildStep.PARTITION and not table
    places: Collection[Extent] = ()
    if has_own_table or is_being_written:
        places = gpt.table_places(host.size_bytes(device.number), sector_bytes)
    if not await to_the_end(asyncio.to_thread(only_erased, device.fd, saved.saved, folder, places)):
        raise changed(saved, say("doesn't read as it was left, so something has been written to it since"))
