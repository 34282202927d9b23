"""Looking at arrays: what UDisks2 doesn't tell of them, and of which array a disk was a member.

Sources: kernel ``Documentation/admin-guide/md.rst`` (md/…), ``md.c`` (``super_1_validate``: who may come back by what
it has missed), ``md-bitmap.c`` (``events_cleared``); mdadm(8), Examine mode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dbus_fast import Variant
from raidwright.core.errors import DiskRefused
from raidwright.core.md.layouts import Level, layout_name
from raidwright.core.md.superblock import PPL_SECTORS, bitmap_bytes, least_device
from raidwright.core.model.plan import Metadata

from raidwright_helper.service.wire import to_wire

from . import md
from .guards import pinned
from .host import Host
from .members import places
from .power import PowerStates
from .runner import run

_LIMIT_SECONDS = 60.0
_BLOCK_BYTES = 4096
_ROLE = re.compile(r"^\s+(?:Device Role : Active device (\d+)|this\s+\d+\s+\d+\s+\d+\s+(\d+)\s)", re.MULTILINE)
_CLEARED = re.compile(r"^\s+Events Cleared : (\d+)", re.MULTILINE)


class Way(StrEnum):
    """How md would take a former member back."""

    CAUGHT_UP = "caught-up"  # what it has missed is known
    REBUILDS = "rebuilds"  # all of it is written anew


def examine_arrays(host: Host) -> list[dict[str, Variant]]:
    """One dict an array that runs, read from sysfs alone: no device is opened, so none wakes."""
    return [_array(host, number) for number in host.arrays() if host.attribute(number, "md/level")]


def _array(host: Host, number: int) -> dict[str, Variant]:
    level = host.attribute(number, "md/level")
    offsets = {
        host.kernel_name(place.number): _number(host, number, f"dev-{host.kernel_name(place.number)}/offset")
        for place in places(host, number)
    }
    bitmap = host.attribute(number, "md/bitmap/location")
    told = to_wire(
        {
            "device": host.node(number),
            "level": level,
            "layout": layout_name(level, _number(host, number, "layout")),
            "metadata": host.attribute(number, "md/metadata_version"),
            "bitmap": "internal" if bitmap.startswith(("+", "-")) else bitmap,
            "consistency": host.attribute(number, "md/consistency_policy"),
            "component_size_kib": _number(host, number, "component_size"),
            "logical_sector_bytes": int(host.attribute(number, "queue/logical_block_size") or 512),
            "least_member_bytes": least_member_bytes(host, number),
            "vanished": vanished(host, number),
        }
    )
    return told | {"data_offset_sectors": Variant("a{st}", offsets)}


def _number(host: Host, array: int, attribute: str) -> int:
    text = host.attribute(array, f"md/{attribute}").partition(" ")[0]  # "4 (3)" while it is reshaped
    return int(text) if text.isdecimal() else 0


def vanished(host: Host, array: int) -> list[str]:
    """The kernel's names of members that md still has, and the machine no more."""
    found = sorted((host.block_dir(array) / "md").glob("dev-*"))
    return [path.name.removeprefix("dev-") for path in found if not (path / "block").exists()]


def least_member_bytes(host: Host, array: int) -> int:
    """How large a disk has to be, at least, to take a member's place; 0 where none can."""
    level, component = host.attribute(array, "md/level"), 2 * _number(host, array, "component_size")
    metadata = host.attribute(array, "md/metadata_version")
    if level not in set(Level) or not component or metadata not in set(Metadata):
        return 0
    covered = host.size_bytes(array) // 512 if level == Level.RAID10 else component
    kept = {"bitmap": -(-bitmap_bytes(covered, component) // _BLOCK_BYTES) * 8, "ppl": PPL_SECTORS}
    log = kept.get(host.attribute(array, "md/consistency_policy"), 0)
    names = [host.kernel_name(place.number) for place in places(host, array)]
    offset = max((_number(host, array, f"dev-{name}/offset") for name in names), default=0)
    return 512 * least_device(Metadata(metadata), component, offset, log)


@dataclass(frozen=True, slots=True)
class Membership:
    """What a disk's superblock says: of which array, in which slot (None: a spare), and until when.

    ``updated_s`` is Unix time, ``way`` how that array, which runs, would take it back; None where it doesn't.
    """

    uuid: str
    name: str
    slot: int | None
    updated_s: int
    way: Way | None


async def examine_memberships(
    host: Host, power: PowerStates, ids: Sequence[str], *, wake: bool
) -> Mapping[str, Mapping[str, Variant]]:
    """By disk, its membership; empty for what was never a member.

    Raises DiskRefused for what is no disk, and, unless it may be woken, for one that sleeps (``disk-asleep``).
    """
    found = {}
    for one in ids:
        path = f"/dev/disk/by-id/{one}"
        if not wake and (number := host.number_of(path)) is not None:  # before anything is opened
            await power.verify_awake(host, host.whole(number), one)
        with pinned(host, path, who=one) as device:
            if not host.is_disk(host.whole(device.number)):
                raise DiskRefused(f"{one} is not a disk of hardware.", code="disk-kind", disk=one)
            membership = await membership_of(host, device.node)
        found[one] = _told(membership)
    return found


def _told(membership: Membership | None) -> Mapping[str, Variant]:
    if membership is None:
        return {}
    return to_wire({name: getattr(membership, name) for name in Membership.__slots__})


async def membership_of(host: Host, node: str) -> Membership | None:
    """The membership of the disk at ``node``; None when it has none. Raises JobFailed."""
    facts = await _examined(node)
    if not (uuid := facts.get("MD_UUID")):
        return None
    said = (await run((md.MDADM, "--examine", node), limit_s=_LIMIT_SECONDS)).output
    role = _ROLE.search(said)
    slot = int(role[1] or role[2]) if role else None
    array = host.number_of(md.uuid_path(md.checked_uuid(uuid)))
    way = await _way_back(host, array, slot, int(facts.get("MD_EVENTS", 0))) if array else None
    name = facts.get("MD_NAME", "").rpartition(":")[2] or uuid
    return Membership(uuid, name, slot, int(facts.get("MD_UPDATE_TIME", 0)), way)


async def _way_back(host: Host, array: int, slot: int | None, events: int) -> Way | None:
    """``super_1_validate``: with a bitmap what is no older than its events_cleared, else only what missed nothing."""
    working = [place for place in places(host, array) if place.works]
    if not working:
        return None
    taken = {place.slot for place in places(host, array) if "faulty" not in place.flags}
    node = host.node(working[0].number)
    needed = int((await _examined(node)).get("MD_EVENTS", 0))
    said = (await run((md.MDADM, "--examine-bitmap", node), limit_s=_LIMIT_SECONDS, accept=(0, 1))).output
    if cleared := _CLEARED.search(said):
        needed = int(cleared[1])
    return Way.CAUGHT_UP if slot is not None and slot not in taken and events >= needed else Way.REBUILDS


async def _examined(node: str) -> Mapping[str, str]:
    finished = await run((md.MDADM, "--examine", "--export", node), limit_s=_LIMIT_SECONDS, accept=(0, 1))
    return dict(line.split("=", 1) for line in finished.output.splitlines() if "=" in line)
