"""One step of a change: the disks that it takes are wiped and saved first, the end that it cuts off is looked at again.

Sources: mdadm(8), Grow mode; kernel ``Documentation/admin-guide/md.rst`` (array_size, reshape_position).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, JobFailed, RaidwrightError
from raidwright.core.lvm.values import AnyWay
from raidwright.core.md.changes.commands import step_commands
from raidwright.core.md.changes.standing import standing_from
from raidwright.core.md.changes.values import ChangeKind, ChangeStep, ChangeWay, ChangeWish
from raidwright.core.md.changes.ways import way_to
from raidwright.core.messages import Message, say, sentences
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import BuildStep
from raidwright.core.protocol.steps import JobStep

from raidwright_helper.host import md, members, system_files
from raidwright_helper.host.array_entries import entries_of
from raidwright_helper.host.array_plan import ground_of, plan_now
from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.guards import Exclusive, Pinned, person_name, pinned
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import run
from raidwright_helper.host.running_state import reshapes
from raidwright_helper.host.signatures import wipe
from raidwright_helper.jobs.claims import SYSTEM_FILES, Claims
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.records.backup import put_back
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds
from raidwright_helper.records.changes import Changes
from raidwright_helper.records.checks import Checks
from raidwright_helper.records.ends import HiddenEnds

from .build import to_save
from .configuration import take_out_words
from .create import all_or_nothing
from .replace import JoiningMember, join, manage

_LIMIT_SECONDS = 300.0
_CLEAN_SECONDS, _NOT_WRITTEN = 60.0, {"clean", "readonly", "read-auto"}
_LOOK_SECONDS = 0.5
_FAILURE = say("The disks could not be added to the array.")
_AS_BEFORE = say("What they held at their ends is back on them.")


@dataclass(frozen=True, slots=True)
class Kept:
    """The records that a change writes to: of builds, edits of the system's files, checks, and hidden ends.

    ``claims`` guard those files.
    """

    builds: Builds
    changes: Changes
    checks: Checks
    claims: Claims
    ends: HiddenEnds


@dataclass(frozen=True, slots=True)
class HeldChange:
    """An array and its new disks, all held. Those ``waiting`` aren't in it yet, by the disk's id."""

    array: PinnedArray
    goal: ChangeWish
    devices: Mapping[str, Pinned]
    waiting: Mapping[str, HeldDisk]

    @property
    def known(self) -> dict[int, Member]:
        """The new disks by device number."""
        return {self.devices[disk.id].number: disk for disk in self.goal.new}


async def way_left(host: Host, change: HeldChange) -> ChangeWay:
    """Return the way from the array as it is to its goal."""
    standing = standing_from(await ground_of(host, change.array, claims=True))
    return way_to(plan_now(host, change.array, change.known), change.goal, standing)


def verify_possible(way: AnyWay, array: PinnedArray) -> None:
    """Raise DiskRefused with the reasons unless there is a way."""
    if not way.possible:
        raise refused(array, way.refusals)


def refused(array: PinnedArray, why: Sequence[Message]) -> DiskRefused:
    """Return the refusal of a change that has no way."""
    return DiskRefused(
        "{array} can't be changed like this. {why}", code="change-refused", array=array.label, why=sentences(why)
    )


def stuck(step: ChangeStep, array: PinnedArray) -> JobFailed:
    """Return the error of a step that md accepted without taking it."""
    return JobFailed(
        "md accepted the step “{kind}” of {array} and didn't take it; the journal has the commands.",
        code="change-stuck",
        kind=step.kind,
        array=array.label,
    )


async def cut_off(host: Host, kept: Kept, change: HeldChange, step: ChangeStep, uid: int, job: Job) -> None:
    """Hide the array's end, look at the content once more, and begin the reshape; raises JobFailed, DiskRefused.

    Nothing on the array can grow beyond the end that is hidden, so what is seen now holds until the reshape has begun.
    Until then the end can be shown again, which is done if the reshape is refused, or by the next helper (``ends``).
    """
    array = change.array.array
    [size] = (option.partition("=")[2] for option in step.options)
    end = kept.ends.begin(array, size)
    try:
        await take(host, kept, change, step, uid, job)
        await take(host, kept, change, await _reshape_after(host, change, step), uid, job)
    except BaseException:
        if reshapes(host, array.number):
            kept.ends.forget(end)
        else:
            await kept.ends.show(array, end, job.record.commands)
        raise
    kept.ends.forget(end)


async def _reshape_after(host: Host, change: HeldChange, step: ChangeStep) -> ChangeStep:
    """Return the reshape, by the array and its content with the end hidden; raises JobFailed, DiskRefused."""
    way = await way_left(host, change)
    verify_possible(way, change.array)
    if not way.steps or way.steps[0].kind is not ChangeKind.RESHAPE:
        raise stuck(step, change.array)
    return way.steps[0]


async def take(host: Host, kept: Kept, change: HeldChange, step: ChangeStep, uid: int, job: Job) -> None:
    """Take one step of md's, or the one of mdadm.conf."""
    job.progress(JobStep.CHANGE, 0.0)
    log, builds = job.record.commands, kept.builds
    if step.kind is ChangeKind.CONFIGURE:
        entry = [one async for one in entries_of(host, change.array.array.number)][-1]
        with kept.claims.hold({SYSTEM_FILES}):
            await take_out_words(kept.changes, entry, step.options, job)
        return
    if step.kind is ChangeKind.ADD:
        for disk in step.disks:
            await join(host, builds, _joining(change, disk), uid, log)
        return
    if step.kind is ChangeKind.EXCHANGE:
        kept.checks.copies.note(change.array.array.uuid)
        await _exchange(host, builds, change, step, uid, log)
        return
    if step.takes_backup:
        system_files.have_folder(host.root / "var/lib/raidwright/reshapes")
    node = change.array.device.node
    if step.kind is ChangeKind.DROP_LOG:
        await _until_clean(host, change.array)
    async with _wiped(host, builds, change, _waiting(host, change, step), uid, log):
        for argv in step_commands(
            step, node, path_of=lambda disk: change.devices[disk.id].node, uuid=change.array.array.uuid, mdadm=md.MDADM
        ):
            log.append((await run(argv, limit_s=_LIMIT_SECONDS)).command)


def _waiting(host: Host, change: HeldChange, step: ChangeStep) -> list[HeldDisk]:
    """Return the disks of ``step`` that aren't in the array yet."""
    inside = host.slaves(change.array.array.number)
    waiting = (held for disk in step.disks if (held := change.waiting.get(disk.id)))
    return [held for held in waiting if held.device.number not in inside]


@contextlib.asynccontextmanager
async def _wiped(
    host: Host, builds: Builds, change: HeldChange, disks: Sequence[HeldDisk], uid: int, log: list[str]
) -> AsyncIterator[None]:
    """Wipe ``disks``, which the block's command gives to the array; put back what they held if it fails.

    Levels without spares take disks with the change itself. Each has a record until then, as a disk that joins has, and
    keeps it if the helper is killed in between. Raises JobFailed.
    """
    if not disks:
        yield
        return
    array, begun = change.array.array, list[Build]()

    async def take_back() -> None:
        for disk, build in zip(disks, begun, strict=False):
            if disk.device.number in host.slaves(array.number):
                await manage(JoiningMember(change.array, disk.member, disk.device, disk), "--remove", log)
            disk.claim.release()
            who = person_name(disk.member)
            with Exclusive(host, disk.device, who, writable=True) as claim:
                await asyncio.to_thread(put_back, claim.fd, build.members[0].saved, builds.folder_of(build.id), who)

    left: Sequence[str] = ()
    is_kept = False
    with contextlib.ExitStack() as running:
        try:
            async with all_or_nothing(take_back, failure=_FAILURE, consolation=_AS_BEFORE) as left:
                for disk in disks:
                    begun.append(await builds.begin(array.name, uid, [to_save(host, disk)], synchronises=False))
                    running.enter_context(builds.running(begun[-1].id))
                    builds.note(begun[-1].id, BuildStep.JOIN, disk=disk.member.id, uuid=array.uuid)
                for disk in disks:
                    disk.claim.release()  # wipefs and mdadm open it exclusively themselves
                    await wipe(host, disk.device.number, disk.found, log)
                yield
        except (RaidwrightError, asyncio.CancelledError):
            is_kept = bool(left)
            raise
        finally:
            if not is_kept:
                with contextlib.suppress(RaidwrightError):  # those left are dropped when the helper ends
                    for build in begun:
                        builds.drop(build.id)


async def _until_clean(host: Host, array: PinnedArray) -> None:
    """Wait until nothing is being written; raise JobFailed after a minute.

    Linux 6.1 panicked in a practice machine as the log was taken off a mounted array: one of the log's own units was
    still in use. md calls an array clean a fifth of a second after its last write (``safe_mode_delay``).
    """
    end = time.monotonic() + _CLEAN_SECONDS
    while host.attribute(array.array.number, "md/array_state") not in _NOT_WRITTEN:
        if time.monotonic() > end:
            raise JobFailed(
                "Something writes to {array} all the time. The partial parity log is switched off only while nothing "
                "is written; stop what writes, and say this once more.",
                code="change-busy",
                array=array.label,
            )
        await asyncio.sleep(_LOOK_SECONDS / 10)


async def _exchange(host: Host, builds: Builds, change: HeldChange, step: ChangeStep, uid: int, log: list[str]) -> None:
    """Have md copy a member onto the disk that takes its place; the copy is waited for afterwards."""
    array, [disk] = change.array, step.disks
    copied = [
        place
        for place in members.places(host, array.array.number)
        if place.slot == step.slot and not place.flags & {"faulty", "replacement"}
    ]
    with contextlib.ExitStack() as until:
        name = host.kernel_name(copied[0].number)
        device = until.enter_context(pinned(host, host.node(copied[0].number), who=name))
        old = members.HeldMember(array, Member(name, host.size_bytes(device.number)), device)
        held = change.waiting.get(disk.id)
        is_spare = change.devices[disk.id].number in host.slaves(array.array.number)
        await join(host, builds, JoiningMember(array, disk, change.devices[disk.id], None if is_spare else held, old),
                   uid, log)  # fmt: skip


def _joining(change: HeldChange, disk: Member) -> JoiningMember:
    held = change.waiting.get(disk.id)
    if held is None:
        raise JobFailed("{who} has left the array meanwhile.", code="change-left", who=person_name(disk))
    return JoiningMember(change.array, disk, held.device, held)
