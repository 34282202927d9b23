"""RescueArray: for real what was tried on overlays with success, with the superblocks saved first.

The array runs read-only afterwards, so nothing but superblocks has been written; ``Undo`` restores them while that is
so. If mdadm fails they are restored at once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from raidwright.core.errors import DiskRefused, RaidwrightError
from raidwright.core.messages import Message, say
from raidwright.core.model.names import is_array_name
from raidwright.core.model.rescue_attempt import RescueAttempt
from raidwright.core.protocol.facts import BuildStep
from raidwright.core.protocol.results import Rescued
from raidwright.core.protocol.signature_names import array_of
from raidwright.core.protocol.steps import JobStep

from raidwright_helper.host import md
from raidwright_helper.host.arrays import verify_name
from raidwright_helper.host.extents import Extent
from raidwright_helper.host.guards import Exclusive, person_name, verify_no_writer
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.running_state import reshape_waits
from raidwright_helper.host.signatures import found_within
from raidwright_helper.host.superblocks import arrays_kept_on, read_superblock
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.records.backup import read_anew
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds, ToSave
from raidwright_helper.records.tried import TriedRescues

from .create import all_or_nothing
from .mounting import mount_to_look
from .rescue_disks import HeldAttempt, digest_of, hold_attempt, start_on, started, stop_halves
from .undo import restore

_BEFORE_DATA_BYTES = 64 * 1024  # md's bad-block log lies there


@dataclass(frozen=True, slots=True)
class Rescuing:
    """An attempt that was tried, and its disks with their signatures; ``uuid`` is the array's, or a new one."""

    held: HeldAttempt
    disks: tuple[HeldDisk, ...]
    uuid: str


async def prepare(
    host: Host, claims: Claims, tried: TriedRescues, attempt: RescueAttempt, name: str, until: contextlib.ExitStack
) -> Rescuing:
    """Return the attempt, ready to be done for real; ``name`` is the array's, typed by a person.

    Raises InputError, DiskRefused (not tried), Busy.
    """
    verify_name(attempt.name, name)
    held = await hold_attempt(host, claims, attempt, until)
    tried.verify(attempt, await asyncio.to_thread(digest_of, host, held))
    numbers = (device.number for device in held.devices)
    await verify_no_writer(host, zip(attempt.members, numbers, strict=True))
    found = [await found_within(host, device.number) for device in held.devices]
    for member, device, signatures in zip(attempt.members, held.devices, found, strict=True):
        superblock = read_superblock(device.fd, host.size_bytes(device.number))
        if superblock is not None and superblock.uuid == attempt.uuid:
            continue
        for kept in await arrays_kept_on(host, device.number, signatures):
            raise DiskRefused(
                "{who} belongs to another stopped array that can be started, {array}. Leave it out.",
                code="rescue-other-array",
                who=person_name(member),
                array=array_of(kept.name),
            )
    await stop_halves(host, held, [])
    claimed = [
        until.enter_context(Exclusive(host, device, person_name(member)))
        for member, device in zip(attempt.members, held.devices, strict=True)
    ]
    disks = tuple(HeldDisk(*parts) for parts in zip(attempt.members, held.devices, claimed, found, strict=True))
    return Rescuing(held, disks, attempt.uuid or md.new_uuid())


async def rescue(
    host: Host, builds: Builds, tried: TriedRescues, rescuing: Rescuing, uid: int, job: Job
) -> tuple[Build, Rescued]:
    """Save the superblocks, and start the array read-only; raises JobFailed, with all as it was."""
    attempt, log = rescuing.held.attempt, job.record.commands
    job.progress(JobStep.SAVE, 0.0)
    build = await builds.begin(attempt.name, uid, list(_to_save(host, rescuing)), synchronises=False)
    left = list[Message]()

    async def take_back() -> None:
        await restore(host, builds, build, rescuing.held.devices, log)

    with builds.running(build.id):
        builds.note(build.id, BuildStep.RESCUE, uuids=[rescuing.uuid])
        job.progress(JobStep.START, 0.5)
        try:
            async with all_or_nothing(
                take_back,
                failure=say("The array could not be brought back."),
                consolation=say("Its disks are as they were."),
            ) as left:
                rescued = await _start(host, builds, build, rescuing, job)
        except (RaidwrightError, asyncio.CancelledError):
            with contextlib.suppress(RaidwrightError):  # without the note it reads as interrupted, which can be undone
                builds.note(build.id, BuildStep.FAILED, left=list(left))
            raise
    with contextlib.suppress(RaidwrightError):  # the disks have changed, so the record counts for nothing any more
        tried.forget(attempt)
    job.progress(JobStep.MOUNT, 0.9)
    return build, await _mounted(host, rescued, attempt.name, log)


async def _mounted(host: Host, rescued: Rescued, name: str, log: list[str]) -> Rescued:
    """Return the rescued array with its file system mounted, if it holds one; the array is back all the same."""
    number = host.number_of(rescued.device)
    if number is None or (waits := reshape_waits(host, number)):
        return replace(rescued, reshape_waits=number is not None and waits)
    place = ""
    with contextlib.suppress(RaidwrightError):
        place = await mount_to_look(host, number, name, log)
    return replace(rescued, mounted_at=place)


async def _start(host: Host, builds: Builds, build: Build, rescuing: Rescuing, job: Job) -> Rescued:
    held, log = rescuing.held, job.record.commands
    for disk in rescuing.disks:  # mdadm opens them exclusively itself
        disk.claim.release()
    node = _free_node(host, held.attempt.name, rescuing.uuid)
    finished = await start_on(held, [device.node for device in held.devices], node, rescuing.uuid, log)
    await md.settle(md.uuid_path(rescuing.uuid))
    number = await started(host, node, finished, [device.number for device in held.devices], rescuing.uuid)
    array = await md.read_array(host, number)
    left_as = [read_anew(device.fd, one.saved) for device, one in zip(held.devices, build.members, strict=True)]
    builds.note(build.id, BuildStep.RESCUED, uuid=array.uuid, uuids=[array.uuid], left_as=left_as)
    missing = int(host.attribute(number, "md/degraded") or 0)
    return Rescued(array.uuid, array.node, missing, build.id, job.record.log)


def _free_node(host: Host, name: str, uuid: str) -> str:
    if is_array_name(name) and not md.name_is_taken(host, f"/dev/md/{name}"):
        return f"/dev/md/{name}"
    return f"/dev/md/{uuid.replace(':', '')[:16]}"


def _to_save(host: Host, rescuing: Rescuing) -> Iterator[ToSave]:
    plan = rescuing.held.attempt.plan
    begins = (plan.data_offset_kib or 0) * 1024 if plan else 0
    before = Extent(max(0, begins - _BEFORE_DATA_BYTES), min(begins, _BEFORE_DATA_BYTES))
    for disk in rescuing.disks:
        marks = [Extent(one.offset_bytes, one.length_bytes) for one in disk.found]
        marks += [before] if before.length_bytes else []
        names = tuple(one.name for one in disk.found)
        yield ToSave(disk.member, disk.device.fd, host.size_bytes(disk.device.number), tuple(marks), names)
