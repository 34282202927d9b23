"""A joined plan: md arrays on slices of disks of unlike sizes, a band each, joined by LVM to one linear volume.

A disk's slices are the partitions 1, 2 … of a GPT: each a whole number of MiB, the first at 1 MiB, without gaps. Each
array is a physical volume; one logical volume takes all extents, array after array.

Sources: UEFI 2.10, 5.3 (GPT: the backup header and 16 KiB of entries at the disk's end); lvm2
``lib/format_text/format-text.c`` ``_text_pv_setup``, ``lib/metadata/metadata.c`` ``check_vg_compatibility``.
Standard library only: the helper, which runs as root, imports this.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from raidwright.core.errors import PlanRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import LinearVolume, MdArray, Member

MIB = 2**20
EXTENT_SECTORS = 8192  # lvm's default, 4 MiB
VOLUME = "data"  # the logical volume's name
LINEAR, STRIPED = "linear", "striped"  # targets of device-mapper
UNTOLD = "unknown"  # neither LVM's backup nor device-mapper told
_FIRST_BYTE = MIB
_ENTRY_BYTES = 128 * 128  # of a GPT
_MIN_DATA_START_SECTORS = 2048  # lvm's default_data_alignment, 1 MiB


def volume_path(name: str) -> str:
    """Return the path of the logical volume of the joined plan ``name``."""
    return f"/dev/{name}/{VOLUME}"


def sector_bytes_of(member: Member) -> int:
    """Return the logical sector of the member's disk in bytes; 512 where it isn't known."""
    return member.sector_bytes or 512


def partitionable_bytes(size_bytes: int, sector_bytes: int = 512) -> int:
    """Return the bytes for slices on a disk of ``size_bytes``, in whole MiB: without 1 MiB before, and the GPT behind.

    The backup GPT takes the last sector and the entries before it: 33 sectors of 512 bytes, 5 of 4096.
    """
    behind = _ENTRY_BYTES + sector_bytes
    return max(0, size_bytes // sector_bytes * sector_bytes - behind - _FIRST_BYTE) // MIB * MIB


def disk_bytes_for(slices_bytes: int, sector_bytes: int = 512) -> int:
    """Return the bytes of the smallest disk that has ``slices_bytes`` for slices beside its partition table."""
    return _FIRST_BYTE + slices_bytes + _ENTRY_BYTES + sector_bytes


def slices_of(plan: LinearVolume) -> Mapping[str, tuple[Member, ...]]:
    """Return each disk's slices, in the order of their partitions."""
    found: defaultdict[str, list[Member]] = defaultdict(list)
    for member in plan.disks():
        found[member.failure_unit].append(member)
    return {disk: tuple(sorted(slices, key=lambda one: one.partition or 0)) for disk, slices in found.items()}


def begins_of(slices: tuple[Member, ...]) -> Iterator[int]:
    """Yield the byte of the disk at which each of its slices begins."""
    begin = _FIRST_BYTE
    for member in slices:
        yield begin
        begin += member.size_bytes


def data_start_sectors(band: MdArray) -> int:
    """Return the first extent's sector on the band's array: a whole number of its stripes, at least 1 MiB."""
    stripe = 2 * band.effective_chunk_kib * _data_slots(band)
    return -(-_MIN_DATA_START_SECTORS // stripe) * stripe if stripe else _MIN_DATA_START_SECTORS


def extents_of(band: MdArray, array_sectors: int) -> int:
    """Return the number of LVM's extents on the band's array of ``array_sectors``."""
    return max(0, array_sectors - data_start_sectors(band)) // EXTENT_SECTORS


def _data_slots(band: MdArray) -> int:
    members = len(band.members)
    if band.level is Level.RAID10:
        return max(1, members // band.copies.near)
    return max(1, members - band.level.parity_disks)


def refuse_joined(plan: LinearVolume) -> None:
    """Raise PlanRefused for a joined plan that GPT, md or LVM couldn't make, before anything is written."""
    if plan.name.startswith("-"):
        raise PlanRefused("LVM takes no name that begins with a hyphen; choose another name.", code="volume-name")
    for number, band in enumerate(plan.arrays):
        if band.is_nested:
            raise PlanRefused(
                "Member {number} of a joined volume must be an array of slices.", code="joined-members", number=number
            )
        _refuse_shared_disk(band, number)
    for disk, slices in slices_of(plan).items():
        _refuse_slices(disk, slices)
    _refuse_unlike_sectors(plan)


def _refuse_shared_disk(band: MdArray, number: int) -> None:
    counts = Counter(member.failure_unit for member in band.disks())
    disk, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
    if count > 1:
        raise PlanRefused(
            "Array {number} has two slices of {disk}, which fail together; give each slice another disk.",
            code="slices-together",
            number=number,
            disk=disk,
        )


def _refuse_slices(disk: str, slices: tuple[Member, ...]) -> None:
    for number, member in enumerate(slices, start=1):
        if member.disk is None or member.disk_size_bytes is None:
            raise PlanRefused(
                "{disk}: a joined volume is made of slices; give “disk”, “partition” and “disk_size_bytes”.",
                code="slice-unknown",
                disk=disk,
            )
        if member.partition != number or member.id != f"{disk}-part{number}":
            raise PlanRefused(
                "The slices of {disk} must be its partitions 1 to {count}, each once.",
                code="slice-order",
                disk=disk,
                count=len(slices),
            )
        if member.size_bytes % MIB:
            raise PlanRefused(
                "{slice} isn't a whole number of MiB, as partitions are aligned; round its “size_bytes” down.",
                code="slice-size",
                slice=member.id,
            )
    if len({(member.disk_size_bytes, sector_bytes_of(member)) for member in slices}) > 1:
        raise PlanRefused(
            "The slices of {disk} differ in “disk_size_bytes” or “sector_bytes”; they are the disk's own.",
            code="slice-unknown",
            disk=disk,
        )
    first = slices[0]
    usable_bytes = partitionable_bytes(first.disk_size_bytes or 0, sector_bytes_of(first))
    if (asked_bytes := sum(member.size_bytes for member in slices)) > usable_bytes:
        raise PlanRefused(
            "The slices of {disk} take {asked:,} bytes; beside its partition table it has {usable:,}.",
            code="slices-too-large",
            disk=disk,
            asked=asked_bytes,
            usable=usable_bytes,
        )


def _refuse_unlike_sectors(plan: LinearVolume) -> None:
    """``vgcreate`` refuses physical volumes of different logical sectors, after the disks were written."""
    sizes = {sector_bytes_of(member): member.failure_unit for member in plan.disks()}
    if len(sizes) > 1:
        raise PlanRefused(
            "{large} has sectors of 4096 bytes and {small} of 512; LVM joins no arrays of both. Leave one kind out.",
            code="sector-sizes",
            large=sizes[4096],
            small=sizes[512],
        )
