"""Stopping and dismantling a joined volume as one, and activating it once its arrays run.

LVM's group is deactivated first: md can't stop an array that carries an active volume. Dismantling removes only md's
superblocks: LVM's metadata and the volume's data lie within the arrays, and the disks' partitions stay. So ``Undo``
restores the superblocks, and udev starts the arrays; LVM activates a group by itself only once after each boot.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, JobFailed, RaidwrightError
from raidwright.core.lvm.joined import volume_path
from raidwright.core.md.mdadm import inner_name
from raidwright.core.messages import say
from raidwright.core.model.plan import Member, Metadata
from raidwright.core.protocol.facts import BuildStep
from raidwright.core.protocol.steps import JobStep

from raidwright_helper.host import lvm, md
from raidwright_helper.host.array_users import claim_array, open_in, verify_unused_array
from raidwright_helper.host.arrays import PinnedArray, find_filled, pin_array, verify_shape_stays
from raidwright_helper.host.guards import Exclusive, lock_out_udev
from raidwright_helper.host.holding import pin_disks
from raidwright_helper.host.host import Host
from raidwright_helper.host.seen import array_label, name_of
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds

from . import dismantle
from .dismantle import Dismantling

_STOP_SECONDS = 60.0
_GROUP_COLUMNS = "vg_uuid,vg_name,vg_missing_pv_count"


@dataclass(frozen=True, slots=True)
class StoppableVolume:
    """An unused joined volume and its arrays, by device number, held until ``release``."""

    array: PinnedArray
    bands: tuple[int, ...]
    claim: Exclusive
    pin: contextlib.ExitStack

    def release(self) -> None:
        """Close the volume: LVM can't deactivate an open one. Its disks stay held."""
        self.claim.release()
        self.pin.close()


def volume_meant(host: Host, uuid: str, name: str) -> bool:
    """Return whether ``uuid`` and ``name`` are those of an active joined volume."""
    number = host.number_of(md.uuid_path(md.checked_uuid(uuid)))
    return number is not None and lvm.volume_over(host, name, number) is not None


async def prepare_stop(
    host: Host, claims: Claims, uuid: str, name: str, until: contextlib.ExitStack, *, has_disks: bool = True
) -> StoppableVolume:
    """Return the volume and its arrays, held until ``until`` closes; raises InputError, DiskRefused, Busy.

    ``has_disks``: its disks are held, too.
    """
    pin = until.enter_context(contextlib.ExitStack())
    volume = await find_filled(host, uuid, name, pin)
    number = volume.array.number
    bands, disks = tuple(sorted(host.slaves(number))), host.leaves(number)
    until.enter_context(claims.hold({number, *bands, *(disks if has_disks else ())}))
    if has_disks:
        await lock_out_udev(host, disks, until)
    if (point := host.mount_point(number)) is not None:
        raise _in_use(volume, say("is mounted at {point}; unmount it first", point=point), "array-mounted")
    if host.is_swap(number):
        raise _in_use(volume, say("is swap space; switch it off with swapoff first"), "array-swap")
    above = {*host.holders(number), *(holder for band in bands for holder in host.holders(band))} - {number}
    if above:
        names = ", ".join(sorted(map(host.kernel_name, above)))
        raise _in_use(volume, say("carries {names}; stop that first", names=names), "array-held")
    for band in bands:
        verify_shape_stays(host, PinnedArray(await md.read_array(host, band), volume.device))
    who = say("The volume “{name}”", name=name)
    claim = await claim_array(host, volume.device, who, until)
    for device in (number, *bands):
        await verify_unused_array(host, device, who)
    return StoppableVolume(volume, bands, claim, pin)


def _in_use(volume: PinnedArray, how: str, code: str) -> DiskRefused:
    return DiskRefused("The array {array} {how}. Nothing was done.", code=code, array=volume.label, how=how)


async def stop(host: Host, found: StoppableVolume, log: list[str]) -> None:
    """Deactivate the group and stop its arrays; if one of them is open somewhere, the volume is active again.

    Raises DiskRefused, JobFailed.
    """
    uuid = await _own_group(host, found, log)
    select = f"--select=vg_uuid={uuid}"
    found.release()
    number, unnamed = found.array.array.number, say("is open in some program; end that first")
    try:
        async with host.looks.kept_out({number}):
            await lvm.run_lvm(("vgchange", "--activate=n", select), log)
    except JobFailed as error:
        raise _in_use(found.array, await open_in(host, number) or unnamed, "array-open") from error
    if lvm.volume_on(host, found.array.array.name, found.bands) is not None:
        raise _in_use(found.array, await open_in(host, number) or unnamed, "array-open")
    how = await open_in(host, *found.bands)  # md stops none that is open; the others would be stopped by then
    for band in () if how else reversed(found.bands):
        finished = await md.stop(host, band)
        log.append(finished.command)
        if finished.code:
            how = await open_in(host, band) or unnamed
            break
    if how:
        with contextlib.suppress(RaidwrightError):
            await lvm.run_lvm(("vgchange", "--activate=y", select), log)
        raise _in_use(found.array, how, "array-open")


async def _own_group(host: Host, found: StoppableVolume, log: list[str]) -> str:
    """Return the UUID of the group on exactly the volume's arrays; raises DiskRefused for any other."""
    groups = await lvm.groups_on(host, found.bands, log)
    if [set(devices) for devices in groups.values()] != [set(found.bands)]:
        raise _in_use(found.array, say("shares its arrays with another group of LVM"), "array-held")
    return next(iter(groups))


def waits_for_activation(host: Host, uuid: str, name: str) -> bool:
    """Return whether the array of ``uuid`` runs and is the first of the joined volume ``name``, which isn't active."""
    number = host.number_of(md.uuid_path(md.checked_uuid(uuid)))
    called = name_of(host.udev(number).properties.get("MD_NAME", ""), "") if number is not None else ""
    return number is not None and called == inner_name(name, 0) and lvm.volume_over(host, name, number) is None


@dataclass(frozen=True, slots=True)
class Activatable:
    """The first array of a joined volume that isn't active, held, and the volume's name."""

    lowest: PinnedArray
    name: str

    @property
    def label(self) -> str:
        """Label in prompts, sentences and the journal."""
        return array_label(self.name, self.lowest.array.uuid)


async def prepare_activation(
    host: Host, claims: Claims, uuid: str, name: str, until: contextlib.ExitStack
) -> Activatable:
    """Return the volume ``name``, whose first array runs; raises InputError, DiskRefused, Busy."""
    return Activatable(await pin_array(host, claims, uuid, inner_name(name, 0), until), name)


async def activate(host: Host, held: Activatable, log: list[str]) -> int:
    """Activate the volume; return its device number. Raises JobFailed, also if the group lacks an array."""
    if await activate_over(host, held.lowest.array, log):
        volume = lvm.volume_over(host, held.name, held.lowest.array.number)
        if volume is not None:
            return volume
    raise JobFailed(
        "LVM doesn't activate the volume “{name}”: no group of that name has all of its arrays here. “vgs” and “pvs” "
        "say more.",
        code="no-device",
        name=held.name,
    )


async def activate_over(host: Host, array: md.RunningArray, log: list[str]) -> bool:
    """Activate the joined volume that the started ``array`` is of, once all of its arrays run; return whether it is.

    Raises JobFailed.
    """
    name, _, slot = array.name.rpartition("-")
    if not (name and slot.isdecimal() and array.name == inner_name(name, int(slot))):
        return False
    groups = await lvm.groups_on(host, [array.number], log)
    told = await lvm.run_lvm(("vgs", "--noheadings", f"--options={_GROUP_COLUMNS}"), log)
    whole = {uuid for uuid, called, missing in map(str.split, told.splitlines()) if called == name and missing == "0"}
    uuid = next(iter(groups.keys() & whole), None)
    if uuid is None:
        return False
    await lvm.run_lvm(("vgchange", "--activate=y", f"--select=vg_uuid={uuid}"), log)
    await md.settle(volume_path(name))
    return True


@dataclass(frozen=True, slots=True)
class DismantlingVolume:
    """An unused joined volume and the slices of its arrays, held."""

    volume: StoppableVolume
    held: Dismantling


async def prepare_dismantle(
    host: Host,
    claims: Claims,
    array_of: tuple[str, str],
    members: Sequence[Member],
    given_up: Sequence[str],
    until: contextlib.ExitStack,
    *,
    with_lines: bool = False,
) -> DismantlingVolume:
    """Return the volume with exactly these slices, held as by ``dismantle.prepare_dismantle``; raises as that does."""
    volume = await prepare_stop(host, claims, *array_of, until, has_disks=False)
    array = volume.array
    devices = await pin_disks(host, claims, members, until)
    dismantle.verify_confirmed(host, array, devices)
    for band in volume.bands:
        if host.attribute(band, "md/metadata_version") not in (Metadata.V1_1, Metadata.V1_2):
            raise _in_use(array, say("has superblocks at its disks' ends, and is only taken apart by hand"), "metadata")
    top = dismantle.Stoppable(array, volume.claim, volume.pin)
    held = await dismantle.released(host, top, members, devices, given_up, with_lines=with_lines)
    return DismantlingVolume(volume, held)


async def take_apart(host: Host, builds: Builds, what: DismantlingVolume, uid: int, job: Job) -> Build:
    """Stop the volume, save its arrays' superblocks, remove them.

    Raises DiskRefused or JobFailed, with all as it was.
    """
    held, array = what.held, what.volume.array.array
    uuids = [(await md.read_array(host, band)).uuid for band in what.volume.bands]
    job.progress(JobStep.STOP, 0.0)
    await stop(host, what.volume, job.record.commands)
    job.progress(JobStep.SAVE, 0.2)
    try:
        build = await builds.begin(array.name, uid, list(dismantle.to_save(host, held, ())), synchronises=False)
    except (RaidwrightError, asyncio.CancelledError):
        dismantle.announce_all(host, held.devices)  # nothing is written yet: udev starts the arrays again
        raise
    with builds.running(build.id):
        builds.note(build.id, BuildStep.DISMANTLE, uuids=uuids)
        await dismantle.take_off(host, builds, build, held, (), job)
    return build
