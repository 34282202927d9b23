"""Groups of LVM on an array, deactivated before it is stopped and activated once it runs.

Whole groups are switched, by their UUIDs, and only where none of their volumes is in use. LVM activates a group by
itself only once after each boot (``lvm2-pvscan``).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from raidwright.core.errors import DiskRefused, RaidwrightError
from raidwright.core.messages import say

from .array_users import open_in
from .host import Host
from .layers import layers_on, reasons_of_use
from .lvm import groups_on, run_lvm

_PREFIX = "LVM-"
_WHOLE = "vg_uuid,vg_missing_pv_count"


async def deactivated_on(host: Host, number: int, log: list[str]) -> tuple[str, ...]:
    """Deactivate the groups on the array; return their UUIDs. Raises DiskRefused, with all active, if one is in use."""
    groups = await groups_on(host, [number], log)
    for uuid, devices in groups.items():
        verify_group_unused(host, uuid, devices)
    try:
        for uuid in groups:
            await run_lvm(("vgchange", "--activate=n", f"--select=vg_uuid={uuid}"), log)
        left = [one.name for one in layers_on(host, number)]
        if left:
            raise DiskRefused(
                "{names:and} can't be deactivated, since something has them open; end that first. Nothing was done.",
                code="array-held",
                names=left,
            )
    except RaidwrightError as error:
        how = await open_in(host, number)
        await activate(tuple(groups), log)
        if how is None:
            raise
        raise DiskRefused(
            "The group of LVM on it {reason}. Nothing was done.", code="array-held", reason=how
        ) from error
    return tuple(groups)


def verify_group_unused(host: Host, uuid: str, devices: Collection[int]) -> None:
    """Raise DiskRefused if a volume of the group on ``devices`` is in use, also one that is on other devices alone."""
    own = _PREFIX + uuid.replace("-", "")
    for device in devices:
        layers = tuple(one for one in layers_on(host, device) if host.attribute(one.number, "dm/uuid").startswith(own))
        above = tuple(layer for one in layers for layer in layers_on(host, one.number))
        for reason in reasons_of_use((*layers, *above)):
            raise DiskRefused(
                "The group of LVM on it {reason}. Nothing was done.", code="array-held", reason=say(reason)
            )


async def activate(groups: Sequence[str], log: list[str]) -> None:
    """Activate the groups, as LVM does at the computer's start; one that can't be is noted in ``log``."""
    for uuid in groups:
        try:
            await run_lvm(("vgchange", "--activate=ay", f"--select=vg_uuid={uuid}"), log)
        except RaidwrightError as error:
            log.append(f"# {error.sentence}")


async def activate_on(host: Host, number: int, log: list[str]) -> None:
    """Activate those groups on the array of which no device is missing; failures are noted in ``log``."""
    try:
        groups = await groups_on(host, [number], log)
        told = await run_lvm(("vgs", "--noheadings", f"--options={_WHOLE}"), log) if groups else ""
    except RaidwrightError as error:
        log.append(f"# {error.sentence}")
        return
    whole = {uuid for uuid, missing in map(str.split, told.splitlines()) if missing == "0"}
    await activate(tuple(uuid for uuid in groups if uuid in whole), log)
