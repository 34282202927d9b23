"""Facts on arrays that UDisks2 doesn't report, and the array of which a disk was a member.

Sources: kernel ``Documentation/admin-guide/md.rst`` (md/…), ``md.c`` (``super_1_validate``: whether a member may be
re-added, by the events it missed), ``md-bitmap.c`` (``events_cleared``); mdadm(8), Examine mode.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from raidwright.core.md.layouts import Level, layout_name
from raidwright.core.md.superblock import PPL_SECTORS, bitmap_bytes, least_device
from raidwright.core.model.plan import Metadata
from raidwright.core.protocol.facts import ArrayFacts, CameBack, Membership

from . import md
from .arrays import would_stay_stopped
from .foreign_make import container_of, is_container, make_of, node_of
from .guards import Pinned
from .host import Host
from .layers import layers_on
from .looking import pinned_to_look
from .members import bad_sectors, has_failed, places
from .power import PowerStates
from .runner import run
from .running_state import state_of
from .seen import uuid_of
from .superblocks import history_beside, read_superblock

_LIMIT_SECONDS = 60.0
_BLOCK_BYTES = 4096
_ROLE = re.compile(r"^\s+(?:Device Role : Active device (\d+)|this\s+\d+\s+\d+\s+\d+\s+(\d+)\s)", re.MULTILINE)
_RESHAPES = "Reshape pos'n"
_CLEARED = re.compile(r"^\s+Events Cleared : (\d+)", re.MULTILINE)


def examine_arrays(host: Host) -> list[ArrayFacts]:
    """Return the facts on each running array, read from sysfs alone: no device is opened, so none wakes.

    What LVM makes of the arrays is added by ``lvm_table.with_pieces``.
    """
    arrays = (one for one in host.arrays() if host.attribute(one, "md/level") or is_container(host, one))
    return [_array(host, number) for number in arrays]


def _array(host: Host, number: int) -> ArrayFacts:
    level = "container" if is_container(host, number) else host.attribute(number, "md/level")
    container = container_of(host, number)
    members = list(places(host, number))
    names = [host.kernel_name(place.number) for place in members]
    used_bytes, file_system_bytes = _space(host, number)
    state = state_of(host, number)
    return ArrayFacts(
        layout=layout_name(level, _number(host, number, "layout")),
        metadata=host.attribute(number, "md/metadata_version"),
        bitmap=_bitmap(host, number),
        consistency=state.policy,
        component_size_kib=_number(host, number, "component_size"),
        logical_sector_bytes=int(host.attribute(number, "queue/logical_block_size") or 512),
        least_member_bytes=least_member_bytes(host, number),
        vanished=tuple(vanished(host, number)),
        data_offset_sectors=tuple((name, _number(host, number, f"dev-{name}/offset")) for name in names),
        device=host.node(number),
        level=level,
        starts_at_write=state.array_state == "read-auto",
        slots=_number(host, number, "raid_disks"),
        chunk_kib=_number(host, number, "chunk_size") // 1024,
        size_bytes=host.size_bytes(number),
        bitmap_chunk_kib=_number(host, number, "bitmap/chunksize") // 1024,
        reshapes=state.reshapes,
        bad_sectors=tuple((name, sectors) for name in names if (sectors := bad_sectors(host, number, name))),
        make=make_of(host, number),
        container=node_of(host, container) if container is not None else "",
        used_bytes=used_bytes,
        file_system_bytes=file_system_bytes,
        read_only=state.array_state == "readonly",
        holders=tuple(host.attribute(one, "dm/name") or host.kernel_name(one) for one in host.holders(number)),
        limit_kib_s=_own_limit_kib_s(host, number),
        delayed=host.attribute(number, "md/sync_completed") == "delayed",
        stays_stopped=would_stay_stopped(host, number),
        uuid=uuid_of(host, number),
        has_failed=has_failed(host, number),
        mounted_at=host.mount_point(number) or "",
        spares=sum(place.slot is None and not place.flags & {"faulty", "journal"} for place in members),
        array_state=state.array_state,
        sync_action=state.sync_action,
        degraded=state.degraded,
        resync_pending=state.resync_pending,
        suspended=state.is_suspended,
        shortened=state.is_shortened,
        layers=tuple(one.line() for one in layers_on(host, number)),
        slots_before=_slots_before(host, number),
        members=tuple(one.line() for one in state.members),
    )


def _slots_before(host: Host, number: int) -> int:
    before = host.attribute(number, "md/raid_disks").partition(" (")[2].removesuffix(")")  # "4 (3)" during a reshape
    return int(before) if before.isdecimal() else 0


def _own_limit_kib_s(host: Host, number: int) -> int:
    limit, _, whose = host.attribute(number, "md/sync_speed_max").partition(" ")  # "200000 (system)"
    return int(limit) if whose == "(local)" and limit.isdecimal() else 0


def _space(host: Host, number: int) -> tuple[int, int]:
    """Return the bytes taken and the size of the file system mounted from the array; (0, 0) without one."""
    place = host.mount_point(number)
    if place is None:
        return 0, 0
    try:
        found = os.statvfs(place)  # answered from memory: no disk wakes
    except OSError:  # somebody's home is hidden from the helper
        return 0, 0
    return (found.f_blocks - found.f_bfree) * found.f_frsize, found.f_blocks * found.f_frsize


def _bitmap(host: Host, number: int) -> str:
    """Return the bitmap's location; Linux 6.18 has ``bitmap_type`` as well, and a lockless one has no location."""
    if "[llbitmap]" in host.attribute(number, "md/bitmap_type"):
        return "lockless"
    location = host.attribute(number, "md/bitmap/location")
    return "internal" if location.startswith(("+", "-")) else location


def _number(host: Host, array: int, attribute: str) -> int:
    text = host.attribute(array, f"md/{attribute}").partition(" ")[0]  # "4 (3)" during a reshape
    return int(text) if text.isdecimal() else 0


def vanished(host: Host, array: int) -> list[str]:
    """Return the kernel names of members that md still has but the machine doesn't."""
    found = sorted((host.block_dir(array) / "md").glob("dev-*"))
    return [path.name.removeprefix("dev-") for path in found if not (path / "block").exists()]


def least_member_bytes(host: Host, array: int) -> int:
    """Return the minimum size of a disk that replaces a member; 0 if none can."""
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


async def examine_memberships(
    host: Host, power: PowerStates, ids: Sequence[str], *, wake: bool
) -> Mapping[str, Membership | None]:
    """Return each disk's membership; None if it was never a member.

    Raises DiskRefused for anything but a disk, and for a disk in standby (``Code.ASLEEP``) unless ``wake``.
    """
    found: dict[str, Membership | None] = {}
    for one in ids:
        async with pinned_to_look(host, power, one, wake=wake) as device:
            found[one] = await membership_of(host, device, None if wake else power)
    return found


async def membership_of(host: Host, device: Pinned, power: PowerStates | None = None) -> Membership | None:
    """Return the membership of the disk ``device``; None if it has none. Raises JobFailed.

    A working member of its array is read for it; with ``power`` none is woken (``history_beside``).
    """
    node = device.node
    facts = await _examined(node)
    if not (uuid := facts.get("MD_UUID")):
        return None
    said = (await run((md.MDADM, "--examine", node), limit_s=_LIMIT_SECONDS)).output
    role = _ROLE.search(said)
    slot = int(role[1] or role[2]) if role else None
    array = host.number_of(md.uuid_path(md.checked_uuid(uuid)))
    superblock = read_superblock(device.fd, host.size_bytes(device.number))
    history = await history_beside(host, array, superblock, power) if array and superblock else None
    way = await _way_back(host, array, slot, int(facts.get("MD_EVENTS", 0))) if array else None
    is_apart = _RESHAPES in said or (history is not None and not history.catches_up)
    if is_apart and way is CameBack.CAUGHT_UP:  # as ``members.re_add``
        way = CameBack.REBUILDS
    name = facts.get("MD_NAME", "").rpartition(":")[2] or uuid
    return Membership(uuid, slot, int(facts.get("MD_UPDATE_TIME", 0)), way, name, str(history or ""))


async def _way_back(host: Host, array: int, slot: int | None, events: int) -> CameBack | None:
    """Apply ``super_1_validate``: with a bitmap, events must reach events_cleared, without one none may be missed."""
    working = [place for place in places(host, array) if place.works]
    if not working:
        return None
    taken = {place.slot for place in places(host, array) if "faulty" not in place.flags}
    node = host.node(working[0].number)
    needed = int((await _examined(node)).get("MD_EVENTS", 0))
    said = (await run((md.MDADM, "--examine-bitmap", node), limit_s=_LIMIT_SECONDS, accept=(0, 1))).output
    if cleared := _CLEARED.search(said):
        needed = int(cleared[1])
    return CameBack.CAUGHT_UP if slot is not None and slot not in taken and events >= needed else CameBack.REBUILDS


async def _examined(node: str) -> Mapping[str, str]:
    finished = await run((md.MDADM, "--examine", "--export", node), limit_s=_LIMIT_SECONDS, accept=(0, 1))
    return dict(line.split("=", 1) for line in finished.output.splitlines() if "=" in line)
