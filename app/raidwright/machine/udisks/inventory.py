"""Conversion of UDisks2's objects to disks and arrays, as frozen values. Pure, and one pass over the objects.

Properties and their meaning: ``org.freedesktop.UDisks2.xml``; signature names (``IdUsage``, ``IdType``): libblkid.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from raidwright.core.md.assembly import Assembly, assemblies
from raidwright.core.md.foreign_make import MEMBER_SIGNATURES
from raidwright.core.md.histories import History
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.model.disk import CELSIUS, MAX_POWER_ON_HOURS, Disk, Health, HealthSign, Use, UseKind
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import ArrayFacts, Membership
from raidwright.machine.helper.facts import NO_FACTS, NOTHING_KNOWN, DiskFactsByDevice, HelperFacts
from raidwright.machine.local_md import LocalArray
from raidwright.machine.values import Array, ArrayDevice, Former, Lack, Snapshot

from .kernel_members import with_kernel_members
from .objects import BLOCK, MDRAID, NO_OBJECT, PARTITION, PREFIX, Objects
from .uses import BlockMap, array_name, disk_uses, links_of

_NOT_DISKS = re.compile(r"/dev/(loop|z?ram|sr|fd|dm-|md|bcache|drbd|mmcblk\d+(boot|rpmb))")
_BY_ID = "/dev/disk/by-id/"
_BY_PATH = "/dev/disk/by-path/"
_MD = "/dev/md/"
# Names that come from a disk's content, or from a device stacked on it, not from the disk itself.
_UNSTABLE = ("lvm-pv-uuid-", "md-", "dm-", "raid-")
_BUS_NAMES = ("ata", "nvme", "scsi", "virtio", "mmc", "usb")
_ESP_TYPES = frozenset({"c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "0xef"})  # of a GPT, and of a DOS table
_KELVIN = 273.15
_SIGNS = {
    "spare": HealthSign.SPARE, "temperature": HealthSign.TEMPERATURE, "degraded": HealthSign.RELIABILITY,
    "readonly": HealthSign.READ_ONLY, "volatile_mem": HealthSign.BACKUP, "pmr_readonly": HealthSign.PERSISTENT_MEMORY,
}  # fmt: skip
_MAX_COUNTED_SECTORS = 0xFFFF  # some makers keep other values above the low 16 bits (raw16(raw16) of drivedb.h)


def snapshot_from(
    objects: Objects,
    known: HelperFacts = NOTHING_KNOWN,
    problem: str = "",
    local: Mapping[str, LocalArray] | None = None,
) -> Snapshot:
    """The machine at this moment; ``problem`` is the sentence while it can't be seen.

    ``local`` are the arrays by this computer's own sysfs.
    """
    objects = with_kernel_members(objects, known.arrays, local)
    disks = disks_from(objects, known.disks, known.superblocks)
    arrays = arrays_from(objects, disks, known)
    return Snapshot(disks, arrays, problem, known.host, slices=_slices(objects, disks))


def _slices(objects: Objects, disks: Iterable[Disk]) -> tuple[Member, ...]:
    """Return every partition of ``disks``, by its id."""
    blocks, by_device = BlockMap(objects), {disk.device: disk for disk in disks}
    found = (_as_member(path, blocks, by_device) for path, interfaces in objects.items() if PARTITION in interfaces)
    return tuple(sorted(filter(None, found), key=lambda member: member.id))


def disks_from(
    objects: Objects, facts: DiskFactsByDevice, superblocks: Mapping[str, MemberSuperblock] | None = None
) -> tuple[Disk, ...]:
    """Every whole disk, in the kernel's order of names; loop, RAM, optical and stacked devices are none.

    ``superblocks`` are those of members of arrays, by the disks' and partitions' ids.
    """
    blocks = BlockMap(objects, assemblies(superblocks or {}))
    paths = [path for path, block in blocks.whole() if _is_disk(block)]
    names = Counter(name for path in paths for name in _by_id(objects[path][BLOCK]))
    disks = (_disk(path, blocks, facts, names) for path in paths)
    return tuple(sorted(disks, key=lambda disk: (len(disk.device), disk.device)))


def _is_disk(block: Mapping[str, Any]) -> bool:
    # UDisks2 gives a Drive to all hardware; HintIgnore is set by an administrator, size 0 is a reader without a medium.
    return (
        not block.get("HintIgnore")
        and block.get("Drive", NO_OBJECT) != NO_OBJECT
        and block.get("Size", 0) > 0
        and not _NOT_DISKS.match(block.get("Device", ""))
    )


def _disk(path: str, blocks: BlockMap, facts: DiskFactsByDevice, names: Counter[str]) -> Disk:
    block = blocks.objects[path][BLOCK]
    interfaces = blocks.objects.get(block["Drive"], {})
    drive = interfaces.get(f"{PREFIX}Drive", {})
    device = block["Device"]
    by_id = _by_id(block)
    known = facts.get(device, NO_FACTS)
    name = _stable_name(by_id, names)
    uses = disk_uses(path, blocks, known, name)
    return Disk(
        id=name or device,
        device=device,
        model=f"{drive.get('Vendor', '')} {drive.get('Model', '')}".strip(),
        serial=drive.get("Serial", ""),
        wwn=drive.get("WWN", ""),
        size_bytes=block["Size"],
        by_id=by_id,
        logical_sector_bytes=known.logical_sector_bytes,
        physical_sector_bytes=known.physical_sector_bytes,
        rotation_rpm=_rotation_rpm(drive.get("RotationRate"), known.rotation_rpm),
        zoned=known.zoned,
        has_esp=any(_is_esp(part, blocks) for _, part in blocks.partitions(path)),
        bus=drive.get("ConnectionBus") or _bus_name(by_id),
        link=known.link,
        path=_by_path(block),
        health=_health(interfaces),
        uses=uses if name else (Use(UseKind.NAMELESS), *uses),
    )


def _is_esp(path: str, blocks: BlockMap) -> bool:
    return str(blocks.objects[path][PARTITION].get("Type", "")).lower() in _ESP_TYPES


def _rotation_rpm(udisks: int | None, helper: int | None) -> int | None:
    """Return the rotation rate; UDisks2 knows it for ATA disks only and reports -1 for other spinning disks."""
    return helper if helper and udisks in (None, -1) else udisks


def _by_id(block: Mapping[str, Any]) -> tuple[str, ...]:
    links = (link.removeprefix(_BY_ID) for link in links_of(block) if link.startswith(_BY_ID))
    return tuple(sorted(name for name in links if not name.startswith(_UNSTABLE)))


def _by_path(block: Mapping[str, Any]) -> str:
    """Return the shortest name by path; udev has an older one beside some, such as ``ata-3.0`` beside ``ata-3``."""
    links = (link.removeprefix(_BY_PATH) for link in links_of(block) if link.startswith(_BY_PATH))
    return min(links, key=lambda name: (len(name), name), default="")


def _stable_name(by_id: Iterable[str], names: Counter[str]) -> str:
    """Return the WWN's name, else the longest; only one that no other disk has ("" if there is none).

    Two paths to one disk, and clones with one serial, have the same names and can't be told apart.
    """
    unique = [name for name in by_id if names[name] == 1]
    world_wide = [name for name in unique if name.startswith("wwn-0x")]
    return max(world_wide or unique, key=len, default="")


def _bus_name(by_id: Iterable[str]) -> str:
    prefixes = {name.partition("-")[0] for name in by_id}
    return next((bus for bus in _BUS_NAMES if bus in prefixes), "")


def _health(interfaces: Mapping[str, Mapping[str, Any]]) -> Health:
    ata = interfaces.get(f"{PREFIX}Drive.Ata", {})
    is_flash = interfaces.get(f"{PREFIX}Drive", {}).get("RotationRate") == 0
    if ata.get("SmartUpdated"):
        return Health(
            failing=ata.get("SmartFailing"),
            temperature_celsius=_celsius(ata.get("SmartTemperature")),
            power_on_hours=_hours(ata.get("SmartPowerOnSeconds", 0) // 3600) or None,
            # libatasmart adds attributes up by their numbers, which mean other things on flash.
            bad_sectors=None if is_flash else _count(ata.get("SmartNumBadSectors")),
        )
    nvme = interfaces.get(f"{PREFIX}NVMe.Controller", {})
    if nvme.get("SmartUpdated"):
        words = nvme.get("SmartCriticalWarning", ())
        signs = tuple(_SIGNS[word] for word in words if word in _SIGNS)
        return Health(
            failing=any(_SIGNS.get(word) is not HealthSign.TEMPERATURE for word in words),
            signs=signs,
            temperature_celsius=_celsius(nvme.get("SmartTemperature")),
            power_on_hours=_hours(nvme.get("SmartPowerOnHours")),
        )
    return Health()


def _celsius(kelvin: float | None) -> float | None:
    celsius = round(kelvin - _KELVIN, 1) if kelvin else None
    return celsius if celsius is not None and int(celsius) in CELSIUS else None


def _hours(hours: int | None) -> int | None:
    return hours if hours is not None and 0 <= hours <= MAX_POWER_ON_HOURS else None


def _count(sectors: int | None) -> int | None:
    """Return the bad sectors; None for -1 (unknown), and for libatasmart's raw values that hold more than a count."""
    return sectors if sectors is not None and 0 <= sectors <= _MAX_COUNTED_SECTORS else None


def arrays_from(objects: Objects, disks: Iterable[Disk] = (), known: HelperFacts = NOTHING_KNOWN) -> tuple[Array, ...]:
    """Every md array that UDisks2 knows, running or not, by device name; ``disks`` are what members may be."""
    blocks, by_device = BlockMap(objects, assemblies(known.superblocks)), {disk.device: disk for disk in disks}
    members: dict[str, list[str]] = defaultdict(list)
    for member, block in blocks.all():
        members[block.get("MDRaidMember", NO_OBJECT)].append(member)
    arrays = (
        _array(interfaces[MDRAID], _Found(blocks, path, members[path], by_device, known))
        for path, interfaces in objects.items()
        if MDRAID in interfaces
    )
    return tuple(sorted(arrays, key=lambda array: (len(array.device), array.device, array.uuid)))


@dataclass(frozen=True, slots=True)
class _Found:
    """Lookup tables for an array: the blocks, its object path, the blocks with its superblock, and the disks."""

    blocks: BlockMap
    path: str
    carriers: list[str]
    disks: Mapping[str, Disk]
    known: HelperFacts


def _array(array: Mapping[str, Any], found: _Found) -> Array:
    active = sorted(array.get("ActiveDevices", ()), key=lambda entry: (entry[1] < 0, entry[1]))
    paths = [entry[0] for entry in active] or sorted(found.carriers, key=found.blocks.device)
    places = tuple(_place(entry, found) for entry in active)
    named = (_as_member(path, found.blocks, found.disks) for path in paths)
    device = found.blocks.array_device(found.path)
    facts = found.known.arrays.get(device) or _failed(found, array_uuid(array.get("UUID", "")))
    assembly = found.blocks.assemblies.get(array_uuid(array.get("UUID", "")))
    make = _make(paths, found, facts)
    links = sorted(link for link in found.blocks.array_links(found.path) if link.startswith(_MD))
    name = _name(array, make, links)
    told = Array(
        uuid=array_uuid(array.get("UUID", "")),
        name=name,
        link=min(links, key=lambda link: link != _MD + name, default=""),
        homehost=array.get("Name", "").rpartition(":")[0],
        level=(facts and facts.level) or array.get("Level", ""),
        device=device or (facts.device if facts else ""),
        size_bytes=array.get("Size", 0) or (facts.size_bytes if facts else 0),
        chunk_kib=(facts and facts.chunk_kib) or array.get("ChunkSize", 0) // 1024,
        running=found.blocks.is_running(found.path) or bool(facts and facts.has_failed),
        degraded=array.get("Degraded", 0),
        member_devices=tuple(map(found.blocks.device, paths)),
        members=tuple(member for member in named if member),
        sync_action=array.get("SyncAction") or "idle",
        sync_fraction=array.get("SyncCompleted", 0.0),
        sync_bytes_per_s=array.get("SyncRate", 0),
        sync_seconds_left=array.get("SyncRemainingTime", 0) // 10**6,
        slots=_slots(array, places, facts, assembly),
        places=places,
        former=tuple(_former(array, paths, found)) if active else (),
        facts=facts,
        make=make,
        mounted_at=next(iter(found.blocks.array_mounts(found.path)), "")
        or (facts.mounted_at if facts and facts.has_failed else ""),
        assembly=assembly,
        host=found.known.host,
        volume=found.blocks.volume_over(found.path, array_name(array)),
    )
    has_slots = told.running and active and not told.is_container
    empty = sorted(set(range(told.slots)) - told.working) if has_slots else ()
    if len(empty) > told.degraded:  # md counts them; UDisks2 hasn't listed all members of a new array yet
        return replace(told, former=())
    return replace(told, lacks=tuple(map(Lack, empty)))


def _failed(found: _Found, uuid: str) -> ArrayFacts | None:
    """Return the facts of an array that failed while it runs; UDisks2 has no device of it any more."""
    return next((one for one in found.known.arrays.values() if one.has_failed and uuid and one.uuid == uuid), None)


def _make(paths: Iterable[str], found: _Found, facts: ArrayFacts | None) -> str:
    """Return the helper's word, or what libblkid finds on the members."""
    kinds = (found.blocks.objects.get(path, {}).get(BLOCK, {}).get("IdType", "") for path in paths)
    told = next((MEMBER_SIGNATURES[kind] for kind in kinds if kind in MEMBER_SIGNATURES), "")
    return facts.make if facts else told


def _name(array: Mapping[str, Any], make: str, links: Sequence[str]) -> str:
    """Return its own name, or of foreign make, which has none in md's superblock, that of its node below /dev/md."""
    return links[0].removeprefix(_MD) if make and links and not array.get("Name") else array_name(array)


def _slots(
    array: Mapping[str, Any], places: tuple[ArrayDevice, ...], facts: ArrayFacts | None, assembly: Assembly | None
) -> int:
    """Return the kernel's word, or the superblocks'. A container has no slots.

    UDisks2's own count is udev's, which no event renews after a --grow.
    """
    if array.get("Level") == "container":
        return 0
    if facts and facts.slots:
        return facts.slots
    if assembly is not None and not places:
        return assembly.slots
    highest = max((place.slot for place in places if place.slot is not None), default=-1)
    return max(int(array.get("NumDevices", 0)), highest + 1)


def _place(entry: Any, found: _Found) -> ArrayDevice:
    """Convert one entry of UDisks2's ActiveDevices: block, slot (-1: none), md's states, …"""
    path, slot, states = entry[:3]
    disk = found.disks.get(found.blocks.device(_whole(path, found.blocks)))
    member = _as_member(path, found.blocks, found.disks)
    device = found.blocks.device(path)
    return ArrayDevice(
        slot if slot >= 0 else None, device, tuple(states), member, *((disk.link, disk.path) if disk else ())
    )


def _former(array: Mapping[str, Any], active: list[str], found: _Found) -> Iterator[Former]:
    for path in sorted(set(found.carriers) - set(active), key=found.blocks.device):
        if member := _as_member(path, found.blocks, found.disks):
            said = found.known.memberships.get(member.id)
            if said is None or said.uuid != array_uuid(array.get("UUID", "")):
                said = Membership("", None, 0, None)
            history = History(said.history) if said.history in set(History) else None
            device, updated_s = found.blocks.device(path), said.updated_s or None
            yield Former(member, device, said.slot, updated_s, said.way, history)


def _whole(path: str, blocks: BlockMap) -> str:
    part = blocks.objects.get(path, {}).get(PARTITION)
    return part.get("Table", "") if part else path


def _as_member(path: str, blocks: BlockMap, disks: Mapping[str, Disk]) -> Member | None:
    """Return the disk or partition at ``path`` as a plan's member; None for anything else."""
    part = blocks.objects.get(path, {}).get(PARTITION)
    disk = disks.get(blocks.device(_whole(path, blocks)))
    if disk is None or part is None:
        return disk.as_member() if disk else None
    number, size_bytes = part.get("Number", 0), blocks.objects[path].get(BLOCK, {}).get("Size", 0)
    whole = disk.as_member()
    return replace(
        whole,
        id=f"{disk.id}-part{number}",
        size_bytes=size_bytes,
        disk=disk.id,
        partition=number,
        disk_size_bytes=disk.size_bytes,
    )
