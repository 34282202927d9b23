"""CreateArray: the disks checked and held, mdadm run, the array read back; or everything undone.

What mdadm is told, ``raidwright.core.mdadm`` says; the members are named by the nodes of the pinned disks
(see ``guards``), so nothing that happens to a link below /dev can bring another disk in.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.capacity import capacity_of
from raidwright.core.errors import DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.mdadm import array_path, create_commands, inner_name
from raidwright.core.plan import Member, Plan

from . import md
from .claims import Claims
from .guards import (
    Exclusive,
    Pinned,
    lock_out_udev,
    person_name,
    pinned,
    signatures,
    verify_empty,
    verify_free,
    verify_identity,
)
from .host import Host
from .jobs import Job
from .runner import run, to_the_end

_MDADM_SECONDS = 120.0
_UNDO_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class HeldDisk:
    """A member of the plan, the device that it is, and the claim on it until mdadm takes over."""

    member: Member
    device: Pinned
    claim: Exclusive


async def hold_disks(host: Host, claims: Claims, plan: Plan, until: contextlib.ExitStack) -> tuple[HeldDisk, ...]:
    """Every disk of ``plan`` checked and held until ``until`` closes, in the plan's order.

    Raises DiskRefused for the first that isn't free or isn't the one meant, Busy when another job has it.
    """
    members = tuple(plan.disks())
    for member in members:
        _refuse_strange_id(member)
    devices = [
        until.enter_context(pinned(host, f"/dev/disk/by-id/{member.id}", who=person_name(member))) for member in members
    ]
    if len({device.number for device in devices}) < len(devices):
        raise InputError("The plan has a disk in it twice; each can serve once.", code="disk-twice")
    whole_disks = {host.whole(device.number) for device in devices}
    until.enter_context(claims.hold(whole_disks))
    await lock_out_udev(host, whole_disks, until)
    held = []
    for member, device in zip(members, devices, strict=True):
        verify_identity(host, device.number, member)
        verify_free(host, device.number, member)
        held.append(HeldDisk(member, device, until.enter_context(Exclusive(host, device, person_name(member)))))
    await asyncio.gather(*(verify_empty(disk.device, person_name(disk.member)) for disk in held))
    return tuple(held)


def _refuse_strange_id(member: Member) -> None:
    if member.id.startswith(("md-", "dm-")):
        raise DiskRefused(f"{person_name(member)} is not a disk of hardware.", code="disk-kind", disk=member.id)


async def verify_plan(host: Host, plan: Plan) -> None:
    """Raise PlanRefused for what this mdadm or md would refuse, InputError when a name below /dev/md is taken."""
    capacity_of(plan, await md.mdadm_version())
    inner = (inner_name(plan.name, slot) for slot, member in enumerate(plan.members) if isinstance(member, Plan))
    for name in (plan.name, *inner):
        if md.name_is_taken(host, array_path(name)):
            raise InputError(
                f"There is an array called “{name}” already; choose another name.", code="name-taken", name=name
            )


async def create_array(host: Host, plan: Plan, disks: Sequence[HeldDisk], job: Job) -> md.Array:
    """Make the array; raises JobFailed, with what was written taken off again, when a step fails or is cancelled."""
    nodes = {disk.member.id: disk.device.node for disk in disks}
    log = job.record.commands
    job.progress("stage-create", 0.1)
    for disk in disks:
        disk.claim.release()
    try:
        commands = create_commands(plan, lambda member: nodes[member.id])
        for done, command in enumerate(commands, start=1):
            finished = await run((md.MDADM, *command.argv[1:]), limit_s=_MDADM_SECONDS)
            log.append(finished.command)
            job.progress("stage-settle", round(0.1 + 0.7 * done / len(commands), 3))
            await md.settle(command.argv[command.argv.index("--create") + 1])
        job.progress("stage-read-back", 0.9)
        return await _read_back(host, plan, disks)
    except (RaidwrightError, asyncio.CancelledError) as error:
        left = await to_the_end(_undo(host, disks, log))
        if isinstance(error, asyncio.CancelledError):
            raise
        raise _with_outcome(error, left) from error


async def _read_back(host: Host, plan: Plan, disks: Sequence[HeldDisk]) -> md.Array:
    number = host.number_of(array_path(plan.name))
    if number is None:
        raise JobFailed(
            f"mdadm ended well, but {array_path(plan.name)} did not appear; is udev running?", code="no-device"
        )
    wanted = {disk.device.number for disk in disks}
    found = _members(host, number)
    if found != wanted:
        raise JobFailed("The array has other members than were asked for.", code="wrong-members")
    return await md.read_array(host, number)


def _members(host: Host, number: int) -> set[int]:
    below = host.slaves(number)
    if not below:
        return {number}
    return set().union(*(_members(host, slave) for slave in below))


async def _undo(host: Host, disks: Sequence[HeldDisk], log: list[str]) -> list[str]:
    """Stop what was started, take md's superblocks off ``disks``, which were empty; what is left, in words."""
    left: list[str] = []
    try:
        async with asyncio.timeout(_UNDO_SECONDS):
            await md.dismantle(host, [disk.device.number for disk in disks], log)
            found = [(disk, await signatures(disk.device.node)) for disk in disks]
            left += [f"{person_name(disk.member)} still carries {', '.join(kinds)}" for disk, kinds in found if kinds]
    except (RaidwrightError, TimeoutError) as error:
        left.append(str(error) or "the clean-up took too long")
    return left


def _with_outcome(error: RaidwrightError, left: Sequence[str]) -> JobFailed:
    outcome = f"Not all could be undone: {'; '.join(left)}." if left else "What it had written is off the disks again."
    sentence = f"The array could not be made. {error.sentence} {outcome}"
    return JobFailed(sentence, code=error.code, left=left, **error.fields)


def describe(disks: Sequence[HeldDisk]) -> list[str]:
    """The disks as the journal and the build's log name them."""
    return [f"{Path(disk.device.node).name}: {person_name(disk.member)}" for disk in disks]
