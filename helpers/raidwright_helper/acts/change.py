"""ChangeArray: an array's shape is changed by a list of steps, computed again from its state before each.

So nothing has to be remembered: after a crash of the caller, the helper or the machine the same request continues with
what is left. Each step is one mdadm command, or the growing of what is on the array; md's own work (a reshape, a
recovery) is waited for in between. Sources: mdadm(8), Grow mode; kernel ``Documentation/admin-guide/md.rst``
(sync_action, sync_completed, reshape_position).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.lvm.values import VolumeGrowth
from raidwright.core.md.changes.commands import content_command
from raidwright.core.md.changes.values import ArrayContent, ChangeKind, ChangeWish
from raidwright.core.md.sync import NO_LIMIT_KIB_S, PAUSED_KIB_S
from raidwright.core.messages import say
from raidwright.core.protocol.results import ArrayChanged
from raidwright.core.protocol.steps import JobStep

from raidwright_helper.host import bad_blocks, md, members
from raidwright_helper.host.array_plan import formers, ground_of
from raidwright_helper.host.arrays import PinnedArray, find_single
from raidwright_helper.host.holding import hold_pinned, pin_disks
from raidwright_helper.host.host import Host
from raidwright_helper.host.outside import unit_argv
from raidwright_helper.host.runner import run
from raidwright_helper.host.running_state import reshapes
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.records.checks import Checks

from .change_step import HeldChange, Kept, cut_off, refused, stuck, take, verify_possible, way_left
from .replace import verify_fits

_LIMIT_SECONDS = 300.0
_GROW_SECONDS = 3600.0
_CLEAN_SECONDS, _NOT_WRITTEN = 60.0, {"clean", "readonly", "read-auto"}
_LOOK_SECONDS = 0.5
_TOLD_SHARE = 0.01  # progress that is worth a signal
_REST_LOOKS = 3  # mdadm changes the level once more after a reshape
_PROGRAMS = {
    "resize2fs": "/usr/sbin/resize2fs",
    "xfs_growfs": "/usr/sbin/xfs_growfs",
    "btrfs": "/usr/bin/btrfs",
    "pvresize": "/usr/sbin/pvresize",
}
_IDLE = {"idle", "frozen", ""}
_MIN_KIB_S = 1000  # the system's own sync_speed_min


_NO_CHANGE = say("Joined volumes grow by disks, as a whole: raidwright array change {volume} --add DISK.")


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """Request of ChangeArray. ``wipe`` names, by disk, the signatures released for erasure."""

    array_uuid: str
    array_name: str
    goal: ChangeWish | VolumeGrowth
    wipe: Mapping[str, tuple[str, ...]]


async def hold(host: Host, claims: Claims, request: ChangeRequest, until: contextlib.ExitStack) -> HeldChange:
    """Return the array and its new disks, held until ``until`` closes; raises InputError, DiskRefused, Busy.

    A disk that is in the array already stays there: a change that was cut short had added it.
    """
    array, goal = await find_single(host, request.array_uuid, request.array_name, until, _NO_CHANGE), request.goal
    number = array.array.number
    if isinstance(goal, VolumeGrowth):
        none = say(
            "md has no way there from {level} on {slots} members.",
            level=host.attribute(number, "md/level"),
            slots=goal.slots,
        )
        raise refused(array, [none])
    await members.settle()
    devices = await pin_disks(host, claims, goal.new, until)
    until.enter_context(claims.hold({number, *host.leaves(number)} - {host.whole(each.number) for each in devices}))
    new = [
        (disk, device)
        for disk, device in zip(goal.new, devices, strict=True)
        if device.number not in host.slaves(number)
    ]
    if new:
        await bad_blocks.verify_takes_newcomer(host, array)
    for disk, device in new:
        verify_fits(host, array, disk, device, None)
    held = await hold_pinned(host, [disk for disk, _ in new], [device for _, device in new], request.wipe, until)
    change = HeldChange(
        array,
        goal,
        {disk.id: device for disk, device in zip(goal.new, devices, strict=True)},
        {disk.member.id: disk for disk in held},
    )
    if not reshapes(host, number):  # else it is waited for first, as a copy is
        verify_possible(await way_left(host, change), array)
    return change


async def change_array(host: Host, kept: Kept, change: HeldChange, uid: int, job: Job) -> ArrayChanged:
    """Take the steps that are left, and have md check the array afterwards; raises JobFailed, DiskRefused."""
    grown, has_moved = await take_steps(host, kept, change, uid, job)
    is_checked = has_moved and await _begin_check(kept.checks, change.array)
    return _changed(host, change.array, grown, job, checks=is_checked)


async def take_steps(host: Host, kept: Kept, change: HeldChange, uid: int, job: Job) -> tuple[str, bool]:
    """Take the steps that are left, one after the other, to the end; raises JobFailed, DiskRefused.

    Return the kind of what was grown on the array, and whether md moved data.
    """
    number, grown, last = change.array.array.number, "", None
    if host.attribute(number, "md/sync_action") == "check":
        await to_the_end(kept.checks.pause(change.array))
    await write_enable(host, change.array, job)
    has_moved = reshapes(host, number) or copies(host, number)
    while True:
        await until_idle(host, change.array, job)
        if change.goal.exchange:
            await to_the_end(release_copied(host, change.array, job))
            await to_the_end(_free_exchanged(host, change, job))
        way = await way_left(host, change)
        verify_possible(way, change.array)
        left_to_md = (ChangeKind.CHECK, *((ChangeKind.GROW_CONTENT,) if grown else ()))
        steps = [step for step in way.steps if step.kind not in left_to_md]
        if not steps:
            return grown, has_moved
        step = steps[0]
        if last is not None and (step.kind, step.before) == last:
            raise stuck(step, change.array)
        last, has_moved = (step.kind, step.before), has_moved or step.moves_data
        if step.kind is ChangeKind.GROW_CONTENT:
            grown = await grow_content(host, change.array, job)
        elif step.kind is ChangeKind.TRUNCATE:
            await to_the_end(cut_off(host, kept, change, step, uid, job))
            has_moved = True
        else:
            await to_the_end(take(host, kept, change, step, uid, job))
        host.announce(number)


async def _begin_check(checks: Checks, array: PinnedArray) -> bool:
    """Have md compare all copies or parity, which it does by itself from then on; return whether it does."""
    try:
        checks.verify_may_start(array)
        await to_the_end(checks.start(array, anew=True))
    except (InputError, DiskRefused, JobFailed):  # nothing to compare, or somebody was faster; the change is done
        return False
    return True


async def release_copied(host: Host, array: PinnedArray, job: Job) -> None:
    """Remove the members that md has copied onto others: it marks them as faulty, and they have no slot any more."""
    number = array.array.number
    if members.missing(host, number):
        return
    for place in members.places(host, number):
        if "faulty" in place.flags and place.slot is None:
            argv = (md.MDADM, "--manage", array.device.node, "--remove", host.node(place.number))
            job.record.commands.append((await run(argv, limit_s=_LIMIT_SECONDS)).command)


async def _free_exchanged(host: Host, change: HeldChange, job: Job) -> None:
    """Erase the superblock of each former member whose place a disk of this exchange has taken.

    md has copied all of it. Once the array uses more of its members, that superblock would keep mdadm from starting it
    (``refusals``).
    """
    array = change.array.array
    taken = {place.slot for place in members.places(host, array.number) if place.works and place.number in change.known}
    for former in [one async for one in formers(host, change.array)]:
        if former.freed_slot in taken and host.number_of(former.node) not in host.slaves(array.number):
            await md.zero_superblock(former.node, job.record.commands)


def copies(host: Host, number: int) -> bool:
    """Return whether md copies a member onto another disk, or is held back from it."""
    return any("replacement" in place.flags and "faulty" not in place.flags for place in members.places(host, number))


async def grow_content(host: Host, array: PinnedArray, job: Job) -> str:
    """Grow what is on the array to its end; return its kind. It runs outside the sandbox (``outside``)."""
    job.progress(JobStep.GROW, 0.9)
    ground = await ground_of(host, array)
    program, *rest = content_command(ArrayContent(ground.kind, ground.mounted_at), array.device.node)
    argv = unit_argv((_PROGRAMS[program], *rest))
    job.record.commands.append((await to_the_end(run(argv, limit_s=_GROW_SECONDS))).command)
    return ground.kind


async def write_enable(host: Host, array: PinnedArray, job: Job) -> None:
    """Let md's work that a crash cut off continue: md holds it back while the array is read-only (md.rst, read-auto).

    It changes no level then either (md.c, level_store), as of an array that nobody has written to since the start.
    A person has asked for the change by the array's name, so has looked.
    """
    number = array.array.number
    state = host.attribute(number, "md/array_state")
    moves = reshapes(host, number) or copies(host, number)
    if state == "read-auto" or (moves and state == "readonly"):
        finished = await run((md.MDADM, "--readwrite", array.device.node), limit_s=_LIMIT_SECONDS)
        job.record.commands.append(finished.command)


async def until_idle(host: Host, array: PinnedArray, job: Job) -> None:
    """Wait until md has done its work on the array; raise JobFailed if too many members were lost meanwhile."""
    number, idle, told = array.array.number, 0, -1.0
    while idle < _REST_LOOKS:
        action = host.attribute(number, "md/sync_action")
        at_rest = action in _IDLE and not reshapes(host, number) and not copies(host, number)
        idle = idle + 1 if at_rest else 0
        if not at_rest and abs((done := _done(host, number)) - told) >= _TOLD_SHARE:
            job.progress(JobStep.COPY if copies(host, number) else JobStep.RESHAPE, done)
            told = done
        if not host.size_bytes(number):
            raise JobFailed(
                "{array} no longer runs; its disks have failed or it was stopped.", code="array-gone", array=array.label
            )
        await asyncio.sleep(_LOOK_SECONDS if not at_rest else _LOOK_SECONDS / 5)


def _done(host: Host, number: int) -> float:
    """Return the share of md's present work that is done (sync_completed: "done / all" sectors, or none)."""
    done, _, total = host.attribute(number, "md/sync_completed").partition(" / ")
    return min(1.0, int(done) / int(total)) if done.isdecimal() and total.isdecimal() and int(total) else 0.0


def _changed(host: Host, array: PinnedArray, grown: str, job: Job, *, checks: bool) -> ArrayChanged:
    number = array.array.number
    slots = host.attribute(number, "md/raid_disks").partition(" ")[0]
    return ArrayChanged(
        uuid=array.array.uuid,
        level=host.attribute(number, "md/level"),
        slots=int(slots or 0),
        array_sectors=host.size_bytes(number) // 512,
        component_size_kib=int(host.attribute(number, "md/component_size") or 0),
        content=grown,
        log=job.record.log,
        checks=checks,
    )


def pace(host: Host, array: PinnedArray, kib_per_s: int) -> None:
    """Limit md's work on the array to ``kib_per_s`` along each member (NO_LIMIT_KIB_S: the system's limit).

    0 pauses it, by the lowest limit that md takes: ``frozen`` would look to mdadm like the end of a reshape of which it
    still guards the critical section (Grow.c, progress_reshape). Raises JobFailed.
    """
    most = max(PAUSED_KIB_S, kib_per_s)
    limits = ("system", "system") if most == NO_LIMIT_KIB_S else (str(min(_MIN_KIB_S, most)), str(most))
    folder = host.block_dir(array.array.number) / "md"
    try:
        for name, limit in zip(("sync_speed_min", "sync_speed_max"), limits, strict=True):
            (folder / name).write_text(limit, encoding="ascii")
    except OSError as error:
        raise JobFailed(
            "md doesn't accept that for {array}: {why}.", code="pace", array=array.label, why=error.strerror
        ) from error
