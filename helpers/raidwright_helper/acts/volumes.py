"""Stopping a joined volume as one, and activating it once its arrays run.

LVM's group is deactivated first: md can't stop an array that carries an active volume. Nothing on the disks is changed.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, RaidwrightError
from raidwright.core.md.joined import volume_path
from raidwright.core.md.mdadm import inner_name
from raidwright.core.messages import say

from raidwright_helper.host import lvm, md
from raidwright_helper.host.arrays import PinnedArray, find_filled, verify_shape_stays
from raidwright_helper.host.guards import Exclusive, lock_out_udev
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import run
from raidwright_helper.service.claims import Claims

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
    host: Host, claims: Claims, uuid: str, name: str, until: contextlib.ExitStack
) -> StoppableVolume:
    """Return the volume, its arrays and disks, held until ``until`` closes; raises InputError, DiskRefused, Busy."""
    pin = until.enter_context(contextlib.ExitStack())
    volume = await find_filled(host, uuid, name, pin)
    number = volume.array.number
    bands, disks = tuple(sorted(host.slaves(number))), host.leaves(number)
    until.enter_context(claims.hold({number, *bands, *disks}))
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
    claim = until.enter_context(Exclusive(host, volume.device, say("The volume “{name}”", name=name)))
    return StoppableVolume(volume, bands, claim, pin)


def _in_use(volume: PinnedArray, how: str, code: str) -> DiskRefused:
    return DiskRefused("The array {array} {how}. Nothing was done.", code=code, array=volume.label, how=how)


async def stop(host: Host, found: StoppableVolume, log: list[str]) -> None:
    """Deactivate the group and stop its arrays; if the first can't stop, the volume is active again.

    Raises DiskRefused, JobFailed.
    """
    uuid = await _own_group(host, found, log)
    select = f"--select=vg_uuid={uuid}"
    found.release()
    await lvm.run_lvm(("vgchange", "--activate=n", select), log)
    if lvm.volume_on(host, found.array.array.name, found.bands) is not None:
        raise _in_use(found.array, say("is open in some program; end that first"), "array-open")
    for place, band in enumerate(reversed(found.bands)):
        finished = await run((md.MDADM, "--stop", host.node(band)), limit_s=_STOP_SECONDS, accept=(0, 1))
        log.append(finished.command)
        if finished.code:
            if not place:
                with contextlib.suppress(RaidwrightError):
                    await lvm.run_lvm(("vgchange", "--activate=y", select), log)
            raise _in_use(found.array, say("is open in some program; end that first"), "array-open")


async def _own_group(host: Host, found: StoppableVolume, log: list[str]) -> str:
    """Return the UUID of the group on exactly the volume's arrays; raises DiskRefused for any other."""
    groups = await lvm.groups_on(host, found.bands, log)
    if [set(devices) for devices in groups.values()] != [set(found.bands)]:
        raise _in_use(found.array, say("shares its arrays with another group of LVM"), "array-held")
    return next(iter(groups))


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
    [uuid] = [*groups.keys() & whole] or [""]
    if not uuid:
        return False
    await lvm.run_lvm(("vgchange", "--activate=y", f"--select=vg_uuid={uuid}"), log)
    await md.settle(volume_path(name))
    return True
