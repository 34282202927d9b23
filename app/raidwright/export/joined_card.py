"""Recovery card of a joined plan: its disks' slices, its arrays, and the volume, with and without LVM's metadata."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidwright.core.md.capacity import Capacity, capacity_of
from raidwright.core.md.joined import begins_of, sector_bytes_of, slices_of
from raidwright.core.md.mdadm import array_path, device_path, inner_name, partition_table
from raidwright.core.model.plan import Piece, Plan
from raidwright.core.units import SECTOR_BYTES
from raidwright.text.catalogue import tr

from .needs import starts_on


def joined_facts(plan: Plan, capacity: Capacity) -> dict[str, str]:
    """Return the facts of the volume, by their names."""
    return {
        tr("Name"): plan.name,
        tr("Home host"): plan.homehost,
        tr("Made of"): tr("{count} arrays on slices of disks, joined by LVM", count=len(plan.members)),
        tr("Volume"): device_path(plan),
        tr("Starts on"): starts_on(plan),
        tr("Size"): tr(
            "{sectors} sectors of 512 bytes ({size_bytes:size}, {size_bytes:binary})",
            sectors=capacity.array_sectors,
            size_bytes=capacity.array_bytes,
        ),
    }


def slice_lines(plan: Plan) -> Iterator[str]:
    """Yield each disk with its slices, and the input of sfdisk that makes its partition table anew."""
    arrays = {member.id: slot for slot, band in enumerate(plan.members) if isinstance(band, Plan)
              for member in band.disks()}  # fmt: skip
    for disk, slices in slices_of(plan).items():
        first = slices[0]
        label = " ".join(part for part in (first.model, first.serial) if part) or disk
        yield tr("{disk}, {size_bytes} bytes, sectors of {sector_bytes}", disk=label,
                 size_bytes=first.disk_size_bytes, sector_bytes=sector_bytes_of(first))  # fmt: skip
        yield f"    /dev/disk/by-id/{disk}"
        for begin, member in zip(begins_of(slices), slices, strict=True):
            place = tr(
                "partition {number}: byte {begin}, {size_bytes} bytes, in the array “{array}”",
                number=member.partition,
                begin=begin,
                size_bytes=member.size_bytes,
                array=inner_name(plan.name, arrays[member.id]),
            )
            yield f"    {place}"
        yield "    " + tr("sfdisk reads: {lines}", lines=" | ".join(partition_table(slices)))


def named_bands(plan: Plan) -> tuple[tuple[Plan, Capacity], ...]:
    """Return each array under its own name, with its capacity."""
    named = (
        replace(band, name=inner_name(plan.name, slot), homehost=plan.homehost) for slot, band in enumerate(plan.inner)
    )
    return tuple(zip(named, capacity_of(plan).inner, strict=True))


def volume_lines(plan: Plan, capacity: Capacity) -> Iterator[str]:
    """Yield how the volume is started, and where its bytes lie should LVM's metadata be lost."""
    yield tr("The arrays first, as below, then the volume:")
    yield ""
    yield f"    vgchange --activate y {plan.name}"
    yield f"    mount -o ro {device_path(plan)} /mnt"
    yield ""
    yield tr("Without LVM's metadata the volume is the arrays' own sectors, one after the other (dmsetup's table):")
    yield ""
    at = 0
    whole = zip(capacity.data_offset_sectors, capacity.member_sectors, strict=True)
    for piece in plan.pieces or (Piece(slot, start or 0, sectors) for slot, (start, sectors) in enumerate(whole)):
        yield f"    {at} {piece.sectors} linear {array_path(inner_name(plan.name, piece.member))} {piece.start_sector}"
        at += piece.sectors
    yield ""
    yield tr(
        "Give these lines to: dmsetup create --readonly {name}; then mount -o ro /dev/mapper/{name}", name=plan.name
    )
    assert at * SECTOR_BYTES == capacity.array_bytes  # noqa: S101
