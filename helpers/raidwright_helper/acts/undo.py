"""Undo: stops a build's array and restores the former bytes of its disks.

Nobody else's bytes are overwritten. Each array on the disks must be the build's own, by UUID, and untouched: it isn't
in use, nothing was written to it since it runs, and both its ends read as they did when it was created
(``fingerprint``). Each disk outside of it must carry the build's own superblock, or read as the last act left it: to
the byte after an array was dismantled, and otherwise as before except for erased bytes (``only_erased``).
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.messages import say, sentences
from raidwright.core.protocol.facts import BuildState, BuildStep, ClosedBy

from raidwright_helper.host import lvm, md
from raidwright_helper.host.array_users import claim_array, verify_unused_array
from raidwright_helper.host.fingerprint import fingerprint, reads_the_same
from raidwright_helper.host.guards import Exclusive, Pinned, person_name, pinned, verify_free, verify_no_writer
from raidwright_helper.host.holding import pin_disks
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import found_on, found_within
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records.backup import keep_as_found, only_erased, put_back, read_anew
from raidwright_helper.records.build import Build, SavedMember
from raidwright_helper.records.builds import Builds

from . import undo_joined
from .untouched import NOT_TAKEN_BACK, WORDS, changed, holds, in_use_by, is_own_member, mounted_at, other_array

_BLKRRPART = 0x125F  # linux/fs.h: re-read the partition table


@dataclass(frozen=True, slots=True)
class Restorable:
    """A build that can be undone, and its disks, held."""

    build: Build
    devices: tuple[Pinned, ...]


async def prepare(host: Host, claims: Claims, builds: Builds, build_id: str, until: contextlib.ExitStack) -> Restorable:
    """Return the build, with its disks held until ``until`` closes and its array found untouched.

    Raises InputError if it can't be undone, DiskRefused if anything has been put on it since, Busy.
    """
    build = builds.find(build_id)
    until.enter_context(builds.running(build_id))
    if not build.has_way_back:
        if build.last(BuildStep.FORGOTTEN) is not None:
            raise InputError("What was on its disks isn't kept any more; it can't be undone.", code="build-forgotten")
        raise InputError("This build is undone already; nothing of it is on the disks.", code="build-undone")
    devices = await pin_disks(host, claims, [one.member for one in build.members], until)
    if build.tables:
        await undo_joined.verify_untouched(host, builds, build, devices)
    else:
        await _verify_array(host, builds, build, devices)
    disks = zip(build.members, devices, strict=True)
    await verify_no_writer(host, ((one.member, device.number) for one, device in disks))
    return Restorable(build, devices)


async def _verify_array(host: Host, builds: Builds, build: Build, devices: Sequence[Pinned]) -> None:
    arrays = md.arrays_on(host, [device.number for device in devices])
    state = build.state(is_running=False)
    if arrays and state is BuildState.DISMANTLED:
        raise other_array()
    if arrays and state is BuildState.RESCUED:
        raise DiskRefused(
            "The array “{name}” runs; {not_taken_back}. Stop it first.",
            code="array-runs",
            name=build.name,
            not_taken_back=NOT_TAKEN_BACK,
        )
    if not arrays and state is BuildState.DONE:
        raise DiskRefused(
            "The array “{name}” does not run, so nobody can see whether it holds something; {not_taken_back}. "
            "Assemble it first.",
            code="array-not-running",
            name=build.name,
            not_taken_back=NOT_TAKEN_BACK,
        )
    for number in arrays:
        array = await md.read_array(host, number)
        if array.uuid not in build.own_uuids:
            raise other_array()
        _verify_no_other_disks(host, build, number, devices)
        await _verify_untouched(host, build, array)
    inside = frozenset().union(*(md.leaf_members(host, number) for number in arrays))
    for one, device in zip(build.members, devices, strict=True):
        if device.number not in inside:
            await _verify_own(host, build, builds.folder_of(build.id), one, device)


def _verify_no_other_disks(host: Host, build: Build, array: int, devices: Sequence[Pinned]) -> None:
    """Raise InputError if the array has other disks now: a replaced member may be used elsewhere."""
    if md.leaf_members(host, array) - {device.number for device in devices}:
        raise InputError(
            "The array “{name}” has been given other disks since; {not_taken_back}. Take it apart instead.",
            code="array-other-members",
            name=build.name,
            not_taken_back=NOT_TAKEN_BACK,
        )


async def _verify_untouched(host: Host, build: Build, array: md.RunningArray) -> None:
    if host.holders(array.number):  # an inner array; its content is examined through the outer one
        return
    done = build.last(BuildStep.DONE)
    # If dismantling was interrupted, an inner array may be the topmost now, with a superblock removed.
    begun = build.last(BuildStep.UNDO) is not None or build.last(BuildStep.DISMANTLE) is not None
    if done and not begun and array.uuid != build.outer_uuid:
        raise other_array()
    closed = in_use_by(host, array.number)
    if closed in (ClosedBy.MOUNTED, ClosedBy.IN_USE):
        point = mounted_at(host, array.number)
        raise holds(say("{used} at {point}", used=WORDS[closed], point=point) if point else WORDS[closed])
    with contextlib.ExitStack() as until:
        device = until.enter_context(pinned(host, array.node, who=array.node))
        who = say("The array “{name}”", name=build.name)
        await claim_array(host, device, who, until)
        await verify_unused_array(host, array.number, who)
        if closed is ClosedBy.WRITTEN and array.uuid == build.outer_uuid:
            raise holds(WORDS[closed])
        if done and not begun:
            now = await fingerprint(host, array, synchronises=build.synchronises)
            if not reads_the_same(now, done.fields["fingerprint"]):
                raise holds(say("does not read as it did when it was made"))
        elif found := [one.kind for one in await found_on(array.node) if not is_own_member(build, one)]:
            raise holds(say("carries {found}", found=found))


async def _verify_own(host: Host, build: Build, folder: Path, one: SavedMember, device: Pinned) -> None:
    """Raise DiskRefused unless the disk, on which none of our arrays runs, holds nothing new."""
    verify_free(host, device.number, one.member, may_have_partitions=bool(one.names))
    found = await found_within(host, device.number)
    is_own = any(is_own_member(build, signature) for signature in found)
    known = {md.MEMBER_SIGNATURE, *one.names}
    if new := sorted({signature.name for signature in found} - known):
        raise changed(one, say("has come to hold {new}", new=new))
    if is_own and any(
        signature.kind == md.MEMBER_SIGNATURE and not is_own_member(build, signature) for signature in found
    ):
        raise changed(one, say("belongs to another array"))
    ended = build.last(BuildStep.DISMANTLED) or build.last(BuildStep.RESCUED)
    if ended is not None and build.last(BuildStep.UNDO) is None:
        left_as = ended.fields["left_as"][build.members.index(one)]
        is_as_left = await to_the_end(asyncio.to_thread(read_anew, device.fd, one.saved)) == left_as
    else:
        is_as_left = is_own or await to_the_end(asyncio.to_thread(only_erased, device.fd, one.saved, folder))
    if not is_as_left:
        raise changed(one, say("doesn't read as it was left, so something has been written to it since"))


async def undo(host: Host, builds: Builds, found: Restorable, log: list[str]) -> None:
    """Undo the build; can be repeated after an interruption. Raises JobFailed, DiskRefused."""
    builds.note(found.build.id, BuildStep.UNDO)
    await restore(host, builds, found.build, found.devices, log)
    builds.note(found.build.id, BuildStep.UNDONE)


async def restore(host: Host, builds: Builds, build: Build, devices: Sequence[Pinned], log: list[str]) -> None:
    """Stop the array and restore every saved byte; ``log`` gets a line per step.

    A missing or failing disk doesn't keep the others from being restored. Raises DiskRefused or JobFailed if the array
    can't be stopped, and JobFailed that names the disks left as they are.
    """
    build = builds.find(build.id)  # with the steps begun since the caller read it
    if build.last(BuildStep.VOLUME) is not None:
        arrays = lvm.arrays_below(host, [device.number for device in devices])
        await lvm.remove_groups(host, build.name, arrays, log)
    elif build.last(BuildStep.DISMANTLE) is not None:  # cut off, its arrays run again, and LVM's volume over them
        devices_below = lvm.arrays_below(host, [device.number for device in devices])
        await lvm.remove_device(host, build.name, devices_below, log)
    await md.stop_arrays(host, [device.number for device in devices], log)
    folder, left = builds.folder_of(build.id), []
    for one, device in zip(build.members, devices, strict=True):
        who = person_name(one.member)
        try:
            with Exclusive(host, device, who, writable=True) as claim:
                await to_the_end(asyncio.to_thread(keep_as_found, claim.fd, one.saved, folder, who))
                await to_the_end(asyncio.to_thread(put_back, claim.fd, one.saved, folder, who))
        except RaidwrightError as error:
            left.append(error.sentence)
        else:
            announce(host, device)
            size_bytes = sum(extent.length_bytes for extent in one.saved.extents)
            log.append(f"{device.node}: {size_bytes} bytes put back and read again: {who}")
    if left:
        raise JobFailed(sentences(left), code="put-back-failed")


def announce(host: Host, device: Pinned) -> None:
    """Make the kernel and udev, which were locked out, re-read the disk."""
    with contextlib.suppress(OSError):  # a partition has no partition table of its own
        fcntl.ioctl(device.fd, _BLKRRPART)
    host.announce(device.number)
