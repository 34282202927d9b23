"""Stopping an array, and dismantling it: removing md's superblocks from its members, with an undo.

The array's data isn't erased, only the superblocks. They are saved as a build's disks are (``builds``), and ``Undo``
restores them; udev then starts the array again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, RaidwrightError
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Member
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import BuildStep
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.array_lines import ArrayEntry
from raidwright.core.system.config_files import table_lines, without_mounts
from raidwright.core.system.layers import LayerKind

from raidwright_helper.host import md
from raidwright_helper.host.array_entries import entries_of
from raidwright_helper.host.array_users import claim_array, open_in, verify_unused_array
from raidwright_helper.host.arrays import PinnedArray, find_single, verify_shape_stays
from raidwright_helper.host.extents import END_BYTES, Extent
from raidwright_helper.host.guards import Exclusive, Pinned, lock_out_udev
from raidwright_helper.host.holding import pin_disks
from raidwright_helper.host.host import Host
from raidwright_helper.host.layers import layers_on, reasons_of_use
from raidwright_helper.host.lvm_groups import activate, deactivated_on
from raidwright_helper.host.signatures import Signature, found_within
from raidwright_helper.host.system_files import lenient_text
from raidwright_helper.host.tables import is_source, named_in
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.records.backup import read_anew
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds, ToSave

from .create import all_or_nothing
from .undo import announce, restore

_STOP_WHOLE = say("Stop the whole volume instead: raidwright array stop {volume}.")
_APART_WHOLE = say("Take the whole volume apart instead: raidwright array dismantle {volume}.")


@dataclass(frozen=True, slots=True)
class Stoppable:
    """An unused array, held open by ``pin`` and ``claim``, which are released just before it stops.

    ``claim`` is None for one that carries groups of LVM, which have it open until they are deactivated.
    """

    array: PinnedArray
    claim: Exclusive | None
    pin: contextlib.ExitStack

    def release(self) -> None:
        """Close the array itself: md can't stop an open array. Its disks stay held."""
        if self.claim is not None:
            self.claim.release()
        self.pin.close()


@dataclass(frozen=True, slots=True)
class Dismantling:
    """An unused array and all of its disks, held."""

    top: Stoppable
    members: tuple[Member, ...]
    devices: tuple[Pinned, ...]
    found: tuple[tuple[Signature, ...], ...]  # on each disk
    entries: tuple[ArrayEntry, ...]  # of the array and those inside, for their lines in mdadm.conf
    sources: tuple[str, ...]  # by which fstab names what lies on the array


async def prepare_stop(host: Host, claims: Claims, uuid: str, name: str, until: contextlib.ExitStack) -> Stoppable:
    """Return the array, held with its disks until ``until`` closes; raises InputError, DiskRefused, Busy."""
    pin = until.enter_context(contextlib.ExitStack())
    array = await find_single(host, uuid, name, pin, _STOP_WHOLE)
    disks = host.leaves(array.array.number)
    until.enter_context(claims.hold({array.array.number, *disks}))
    await lock_out_udev(host, disks, until)
    return Stoppable(array, await _claim_unused(host, array, until, may_carry_groups=True), pin)


async def prepare_dismantle(
    host: Host,
    claims: Claims,
    array_of: tuple[str, str],
    members: Sequence[Member],
    given_up: Sequence[str],
    until: contextlib.ExitStack,
    *,
    with_lines: bool = False,
) -> Dismantling:
    """Return the array of this UUID and name with exactly these disks; raises InputError, DiskRefused, Busy.

    ``given_up`` names the array's signatures released for erasure; any other is refused. Its lines in fstab are
    refused, too, unless they are removed as well (``with_lines``).
    """
    pin = until.enter_context(contextlib.ExitStack())
    array = await find_single(host, *array_of, pin, _APART_WHOLE)
    number = array.array.number
    devices = await pin_disks(host, claims, members, until)
    held = {host.whole(device.number) for device in devices}
    until.enter_context(claims.hold({number, *host.leaves(number)} - held))
    verify_confirmed(host, array, devices)
    if any(host.slaves(disk) for inner in host.slaves(number) for disk in host.slaves(inner)):
        raise DiskRefused(
            "The array {array} is nested more than two deep, and no undo is known for that.",
            code="array-depth",
            array=array.label,
        )
    top = Stoppable(array, await _claim_unused(host, array, until), pin)
    return await released(host, top, members, devices, given_up, with_lines=with_lines)


def verify_confirmed(host: Host, array: PinnedArray, devices: Sequence[Pinned]) -> None:
    """Raise DiskRefused unless ``devices`` are exactly the disks or partitions of the array."""
    if {device.number for device in devices} != md.leaf_members(host, array.array.number):
        raise DiskRefused(
            "The disks of {array} are others than those that were confirmed; look at it once more.",
            code="array-other-members",
            array=array.label,
        )


async def released(
    host: Host,
    top: Stoppable,
    members: Sequence[Member],
    devices: Sequence[Pinned],
    given_up: Sequence[str],
    *,
    with_lines: bool,
) -> Dismantling:
    """Return the held array, released as for ``prepare_dismantle``; raises DiskRefused."""
    array, number = top.array, top.array.array.number
    on_it = await found_within(host, number)
    sources = tuple(_sources(host, number, on_it))
    _verify_not_configured(host, array, on_it, sources if with_lines else ())
    _verify_given_up(array, on_it, given_up)
    entries = [entry async for entry in entries_of(host, number)]
    found = [await found_within(host, device.number) for device in devices]
    return Dismantling(top, tuple(members), tuple(devices), tuple(found), tuple(entries), sources)


async def _claim_unused(
    host: Host, array: PinnedArray, until: contextlib.ExitStack, *, may_carry_groups: bool = False
) -> Exclusive | None:
    """Claim the array exclusively; raises DiskRefused if it or a device on it is in use, or it reshapes.

    ``may_carry_groups``: unused volumes of LVM may be active on it; then it can't be claimed, and None is returned.
    """
    verify_shape_stays(host, array)
    number, who = array.array.number, say("The array {array}", array=array.label)
    if (point := host.mount_point(number)) is not None:
        raise _in_use(array, say("is mounted at {point}; unmount it first", point=point), "array-mounted")
    if host.is_swap(number):
        raise _in_use(array, say("is swap space; switch it off with swapoff first"), "array-swap")
    layers = layers_on(host, number)
    for reason in reasons_of_use(layers):
        raise _in_use(array, reason, "array-held")
    if groups := [one.name for one in layers if one.kind is LayerKind.LVM]:
        if may_carry_groups:
            await verify_unused_array(host, number, who)
            return None
        raise _in_use(
            array,
            say("carries LVM's volumes {names:and}; deactivate them first with vgchange --activate=n", names=groups),
            "array-held",
        )
    claim = await claim_array(host, array.device, who, until)
    await verify_unused_array(host, number, who)
    return claim


def _verify_not_configured(
    host: Host, array: PinnedArray, on_it: Sequence[Signature], leaving_out: Sequence[str]
) -> None:
    fstab = without_mounts(lenient_text(host.root / "etc/fstab"), leaving_out.__contains__)
    for part in (array.array.number, *host.partitions(array.array.number)):
        if (file := named_in(host, part, on_it, fstab=fstab)) is not None:
            raise _in_use(array, say("is in {file}; take it out of there first", file=file), Code.CONFIGURED)


def _sources(host: Host, array: int, on_it: Sequence[Signature]) -> Iterator[str]:
    for source, *_ in table_lines(lenient_text(host.root / "etc/fstab")):
        if any(is_source(host, part, source, on_it) for part in (array, *host.partitions(array))):
            yield source


def _verify_given_up(array: PinnedArray, found: Iterable[Signature], given_up: Sequence[str]) -> None:
    names = sorted({one.name for one in found})
    if names != sorted(set(given_up)):
        nothing = say("nothing")
        raise DiskRefused(
            "The array {array} holds {there}; what was given up is {let_go}. Look at it once more.",
            code=Code.HOLDS,
            signatures=names,
            array=array.label,
            there=names or nothing,
            let_go=sorted(given_up) or nothing,
        )


def _in_use(array: PinnedArray, how: str, code: str) -> DiskRefused:
    return DiskRefused("The array {array} {how}. Nothing was done.", code=code, array=array.label, how=how)


async def stop(host: Host, found: Stoppable, log: list[str]) -> None:
    """Stop the array and its inner arrays; raises DiskRefused if it is open elsewhere.

    Groups of LVM on it are deactivated before, and active again if it can't be stopped.
    """
    inner = _inner_arrays(host, found.array.array.number)
    groups = await deactivated_on(host, found.array.array.number, log) if found.claim is None else ()
    try:
        await _stop_top(host, found, log)
    except RaidwrightError:
        await activate(groups, log)
        raise
    for number in inner:
        finished = await md.stop(host, number)
        log.append(finished.command)
        if finished.code:
            raise finished.failure()


async def _stop_top(host: Host, found: Stoppable, log: list[str]) -> None:
    found.release()
    finished = await md.stop(host, found.array.array.number)
    log.append(finished.command)
    if finished.code:
        how = await open_in(host, found.array.array.number) or say("is open in some program; end that first")
        raise _in_use(found.array, how, "array-open")


async def dismantle(host: Host, builds: Builds, held: Dismantling, uid: int, job: Job) -> Build:
    """Stop the array, save its superblocks, remove them; raises DiskRefused or JobFailed, with all as it was.

    The array is stopped first: md writes its superblocks past the page cache, so they can't be read safely while it
    runs.
    """
    log, array = job.record.commands, held.top.array
    members = host.slaves(array.array.number)
    uuids = await md.uuids_of(host, array.array.number)
    job.progress(JobStep.STOP, 0.0)
    await _stop_top(host, held.top, log)
    job.progress(JobStep.SAVE, 0.2)
    try:
        build = await builds.begin(array.array.name, uid, list(to_save(host, held, members)), synchronises=False)
    except (RaidwrightError, asyncio.CancelledError):
        announce_all(host, held.devices)  # nothing is written yet: udev starts the array again
        raise
    with builds.running(build.id):
        builds.note(build.id, BuildStep.DISMANTLE, uuids=uuids)
        await take_off(host, builds, build, held, members, job)
    return build


async def take_off(
    host: Host, builds: Builds, build: Build, held: Dismantling, members: Sequence[int], job: Job
) -> None:
    """Remove the superblocks of the stopped array, those on its inner arrays, ``members``, first.

    Raises DiskRefused or JobFailed, with the saved ones restored.
    """
    log, left = job.record.commands, list[Message]()

    async def take_back() -> None:
        await restore(host, builds, build, held.devices, log)

    consolation = say("Its superblocks are back, and udev starts it again.")
    try:
        job.progress(JobStep.FREE, 0.5)
        async with all_or_nothing(
            take_back, failure=say("The array could not be taken apart."), consolation=consolation
        ) as left:
            for member in members:  # on inner arrays while these still run
                await md.zero_superblock(host.node(member), log)
            await md.dismantle(host, [device.number for device in held.devices], log)
            left_as = [read_anew(one.fd, kept.saved) for one, kept in zip(held.devices, build.members, strict=True)]
            builds.note(build.id, BuildStep.DISMANTLED, uuid=held.top.array.array.uuid, left_as=left_as)
    except (RaidwrightError, asyncio.CancelledError):
        with contextlib.suppress(RaidwrightError):  # without the note it reads as interrupted, which can be undone too
            builds.note(build.id, BuildStep.FAILED, left=list(left))
        raise


def _inner_arrays(host: Host, number: int) -> tuple[int, ...]:
    below = [slave for slave in host.slaves(number) if host.slaves(slave)]
    return (*below, *(inner for slave in below for inner in _inner_arrays(host, slave)))


def to_save(host: Host, held: Dismantling, members: Sequence[int]) -> Iterator[ToSave]:
    """Yield what is saved of each disk: its ends, what is on it, and superblocks on inner arrays, ``members``."""
    marks: dict[int, list[Extent]] = {device.number: [] for device in held.devices}
    for inner in members:  # where the outer array's superblock lies, seen from the disks
        for disk in host.slaves(inner):
            sectors = int(host.attribute(inner, f"md/dev-{host.kernel_name(disk)}/offset") or 0)
            marks[disk].append(Extent(sectors * 512, END_BYTES))
    for member, device, found in zip(held.members, held.devices, held.found, strict=True):
        extents = (*marks[device.number], *(Extent(one.offset_bytes, one.length_bytes) for one in found))
        yield ToSave(member, device.fd, host.size_bytes(device.number), extents, tuple(one.name for one in found))


def announce_all(host: Host, devices: Sequence[Pinned]) -> None:
    """Make udev look at the disks again."""
    for device in devices:
        with contextlib.suppress(OSError):  # a disk that has gone needs no announcement
            announce(host, device)
