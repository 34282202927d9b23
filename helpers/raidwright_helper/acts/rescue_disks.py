"""The disks of a rescue's attempt: found, verified, and held; and mdadm's command on them, or on their overlays.

Used for a trial on overlays and for the real act alike, so both run the same command on other devices.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.json_fields import printable
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.member_superblock import goes_on_at_start
from raidwright.core.model.names import is_scratch_name
from raidwright.core.model.plan import Member
from raidwright.core.model.rescue_attempt import RescueAttempt, RescueWay

from raidwright_helper.host import md
from raidwright_helper.host.arrays import verify_name, verify_read
from raidwright_helper.host.guards import Pinned, person_name, reason_of_use
from raidwright_helper.host.holding import pin_disks
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult, run
from raidwright_helper.host.seen import array_label, seen_array, serial_of
from raidwright_helper.host.superblocks import is_half_assembled, read_superblock
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records.tried import digest_of_disks

_LIMIT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class HeldAttempt:
    """An attempt and its disks, held; ``halves`` are inactive arrays on them, left by udev, which hold them."""

    attempt: RescueAttempt
    devices: tuple[Pinned, ...]
    halves: tuple[int, ...]

    @property
    def label(self) -> str:
        """Label in sentences and the journal."""
        return array_label(self.attempt.name, self.attempt.uuid or "-")


async def hold_attempt(host: Host, claims: Claims, attempt: RescueAttempt, until: contextlib.ExitStack) -> HeldAttempt:
    """Return the attempt with its disks, held until ``until`` closes; raises InputError, DiskRefused, Busy."""
    if is_scratch_name(attempt.name):
        raise InputError(
            "“{name}” is a name of scratch arrays, which are removed by themselves. A rescued array needs another one.",
            code="is-scratch",
            name=printable(attempt.name),
        )
    devices = await pin_disks(host, claims, attempt.members, until)
    holders = {holder for device in devices for holder in host.holders(device.number)}
    halves = tuple(sorted(holder for holder in holders if is_half_assembled(host, holder)))
    for member, device in zip(attempt.members, devices, strict=True):
        _verify_unused(host, member, device, halves)
    _verify_not_running(host, attempt, halves)
    if attempt.way is not RescueWay.CREATE:
        _verify_superblocks(host, attempt, devices)
    return HeldAttempt(attempt, devices, halves)


def _verify_unused(host: Host, member: Member, device: Pinned, halves: Sequence[int]) -> None:
    parts = (device.number, *host.partitions(device.number))
    for part in parts:
        holders = host.holders(part)
        if holders and all(holder in halves for holder in holders):
            continue
        if (reason := reason_of_use(host, part)) is not None:
            raise DiskRefused(
                "{who} {reason}, or leave it out.",
                code="disk-in-use",
                disk=member.id,
                who=person_name(member),
                reason=reason,
            )


def _verify_not_running(host: Host, attempt: RescueAttempt, halves: Sequence[int]) -> None:
    seen = seen_array(host, attempt.uuid) if attempt.uuid else None
    if seen is not None and seen.number not in halves:
        raise DiskRefused(
            "An array with the UUID of {array} runs already, as {device}. Stop it first.",
            code="array-runs",
            array=array_label(attempt.name, attempt.uuid),
            device=host.node(seen.number),
        )


def _verify_superblocks(host: Host, attempt: RescueAttempt, devices: Sequence[Pinned]) -> None:
    slots = Counter[int]()
    for member, device in zip(attempt.members, devices, strict=True):
        superblock = read_superblock(device.fd, host.size_bytes(device.number))
        if superblock is None or superblock.uuid != attempt.uuid:
            raise DiskRefused(
                "{who} isn't a member of that array. Examine the disks again.",
                code="disk-changed",
                who=person_name(member),
            )
        verify_name(superblock.label, attempt.name)
        label = array_label(attempt.name, attempt.uuid)
        verify_read(superblock.level, superblock.feature_map, label)
        if goes_on_at_start(superblock.level, superblock.feature_map):
            raise DiskRefused(
                "{array} was cut off within a reshape, and mdadm goes on with that as soon as it starts the array: a "
                "rescue couldn't be taken back. Copy the disks, and start the copies with mdadm --assemble --force and "
                "the reshape's backup file.",
                code="array-goes-on",
                array=label,
            )
        if superblock.slot is not None:
            slots[superblock.slot] += 1
    if twice := [slot for slot, count in slots.items() if count > 1]:
        raise InputError(
            "Two of these disks say that they are slot {slot}, as copies of a disk do. Use one of them at a time.",
            code="array-twice",
            slot=twice[0],
        )


def digest_of(host: Host, held: HeldAttempt) -> str:
    """Return the digest of the disks, which a trial's record has."""
    by_id = sorted(zip(held.attempt.members, held.devices, strict=True), key=lambda pair: pair[0].id)
    return digest_of_disks(
        (device, host.size_bytes(device.number), serial_of(host, host.whole(device.number))) for _, device in by_id
    )


async def stop_halves(host: Host, held: HeldAttempt, log: list[str]) -> None:
    """Stop the inactive arrays on the disks, which writes nothing; raises JobFailed."""
    for half in held.halves:
        finished = await run((md.MDADM, "--stop", host.node(half)), limit_s=_LIMIT_SECONDS)
        log.append(finished.command)


async def start_on(held: HeldAttempt, nodes: Sequence[str], array: str, uuid: str, log: list[str]) -> ProgramResult:
    """Start the array at the node ``array`` from ``nodes``, in the order of the attempt's members; read-only.

    ``uuid`` is for superblocks made anew. ``log`` gets the command; its failure is returned, not raised.
    """
    finished = await run(start_argv(held.attempt, nodes, array, uuid), limit_s=_LIMIT_SECONDS, accept=range(256))
    log.append(finished.command)
    return finished


def start_argv(attempt: RescueAttempt, nodes: Sequence[str], array: str, uuid: str) -> tuple[str, ...]:
    """Return mdadm's command. mdadm.conf is left out of it: an ARRAY line could name other devices."""
    if attempt.plan is None:
        force = ("--force",) if attempt.way is RescueWay.FORCE else ()
        force = (f"--update={attempt.way}",) if attempt.way.is_layout else force
        options = ("--config=none", "--readonly", "--run", *force, f"--uuid={attempt.uuid}")
        return (md.MDADM, "--assemble", *options, array, *nodes)
    by_id = {member.id: node for member, node in zip(attempt.members, nodes, strict=True)}
    [command] = create_commands(attempt.plan, lambda member: by_id[member.id], uuids=iter([uuid]), asks=False)
    _, mode, _, *rest = command.argv
    return (md.MDADM, mode, array, "--readonly", *rest)


async def started(host: Host, array: str, finished: ProgramResult, parts: Collection[int], uuid: str) -> int:
    """Return the number of the array at the node ``array`` that mdadm has started of ``parts``; raises JobFailed.

    The node's number says nothing: another array may have it. So mdadm must have succeeded, and the array must have
    that ``uuid`` and be made of nothing but ``parts``.
    """
    if finished.code:
        raise finished.failure()
    number = host.number_of(array)
    if number is None or host.attribute(number, "md/array_state") in ("", "clear", "inactive"):
        raise JobFailed("md didn't start the array.", code="array-start")
    slaves = set(host.slaves(number))
    if not slaves or not slaves <= set(parts) or (await md.read_array(host, number)).uuid != uuid:
        raise JobFailed(
            "{node} isn't the array that was to be started: another one has that node. Nothing of it was used.",
            code="array-other",
            node=array,
        )
    return number
