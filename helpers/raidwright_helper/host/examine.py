"""Looking at disks: what UDisks2 doesn't tell, and what they carry. Nothing is written, and no sleeping disk wakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbus_fast import Variant
from raidwright.core.errors import DiskRefused

from raidwright_helper.service.wire import ascii_text

from .guards import pinned
from .host import Host
from .power import PowerStates
from .signatures import found_within


def examine_disks(host: Host) -> list[dict[str, Variant]]:
    """One dict a whole disk: device, sector sizes, link, holders (kernel names, its partitions' too), read_only.

    Read from sysfs alone.
    """
    return [_examine(host, number) for number in host.disks()]


def _examine(host: Host, number: int) -> dict[str, Variant]:
    parts = (number, *host.partitions(number))
    holders = sorted({host.kernel_name(holder) for part in parts for holder in host.holders(part)})
    return {
        "device": Variant("s", host.node(number)),
        "logical_sector_bytes": Variant("u", int(host.attribute(number, "queue/logical_block_size") or 512)),
        "physical_sector_bytes": Variant("u", int(host.attribute(number, "queue/physical_block_size") or 512)),
        "link": Variant("s", host.link(number)),
        "holders": Variant("as", holders),
        "read_only": Variant("b", host.attribute(number, "ro") == "1"),
    }


async def examine_signatures(
    host: Host, power: PowerStates, ids: Sequence[str], *, wake: bool
) -> Mapping[str, list[list[object]]]:
    """By disk, (name, offset in bytes from the disk's start, label) of each signature on it and its partitions.

    Raises DiskRefused for what is no disk, and, unless it may be woken, for one that sleeps (``disk-asleep``).
    """
    return {one: await _signatures_of(host, power, one, wake=wake) for one in ids}


async def _signatures_of(host: Host, power: PowerStates, disk_id: str, *, wake: bool) -> list[list[object]]:
    path = f"/dev/disk/by-id/{disk_id}"
    if not wake and (number := host.number_of(path)) is not None:  # before anything is opened
        await power.verify_awake(host, host.whole(number), disk_id)
    with pinned(host, path, who=disk_id) as device:
        if not host.is_disk(host.whole(device.number)):
            raise DiskRefused(f"{disk_id} is not a disk of hardware.", code="disk-kind", disk=disk_id)
        found = await found_within(host, device.number)
    return [[one.name, one.offset_bytes, ascii_text(one.label)] for one in found]
