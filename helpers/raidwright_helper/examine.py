"""ExamineDisks: what UDisks2 doesn't tell. Read from sysfs alone, so no sleeping disk wakes."""

from __future__ import annotations

from dbus_fast import Variant

from .host import Host


def examine_disks(host: Host) -> list[dict[str, Variant]]:
    """One dict a whole disk: device, sector sizes, link, holders (kernel names, its partitions' too), read_only."""
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
