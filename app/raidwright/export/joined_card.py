"""Recovery card of a joined plan: its disks' slices, its arrays, and the volume, with and without LVM's metadata."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.layers.commands import device_path
from raidwright.core.lvm.capacity import volume_capacity
from raidwright.core.lvm.commands import named_bands, partition_table
from raidwright.core.lvm.joined import begins_of, sector_bytes_of, slices_of
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.mdadm import array_path, inner_name
from raidwright.core.model.plan import LinearVolume, MdArray, Piece
from raidwright.core.units import SECTOR_BYTES
from raidwright.text.catalogue import tr

from .needs import starts_on


def joined_facts(volume: LinearVolume, capacity: Capacity) -> dict[str, str]:
    """Return the facts of the volume, by their names."""
    return {
        tr("Name"): volume.name,
        tr("Home host"): volume.homehost,
        tr("Made of"): tr("{count} arrays on slices of disks, joined by LVM", count=len(volume.arrays)),
        tr("Volume"): device_path(volume),
        tr("Starts on"): starts_on(volume),
        tr("Size"): tr(
            "{sectors} sectors of 512 bytes ({size_bytes:size}, {size_bytes:binary})",
            sectors=capacity.array_sectors,
            size_bytes=capacity.array_bytes,
        ),
    }


def slice_lines(volume: LinearVolume) -> Iterator[str]:
    """Yield each disk with its slices, and the input of sfdisk that makes its partition table anew."""
    arrays = {member.id: slot for slot, band in enumerate(volume.arrays) for member in band.disks()}
    for disk, slices in slices_of(volume).items():
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
                array=inner_name(volume.name, arrays[member.id]),
            )
            yield f"    {place}"
        yield "    " + tr("sfdisk reads: {lines}", lines=" | ".join(partition_table(slices)))


def arrays_with_capacity(volume: LinearVolume) -> tuple[tuple[MdArray, Capacity], ...]:
    """Return each array under its own name, with its capacity."""
    return tuple(zip(named_bands(volume), volume_capacity(volume).inner, strict=True))


def volume_lines(volume: LinearVolume, capacity: Capacity) -> Iterator[str]:
    """Yield how the volume is started, and where its bytes lie should LVM's metadata be lost."""
    yield tr("The arrays first, as below, then the volume:")
    yield ""
    yield f"    vgchange --activate y {volume.name}"
    yield f"    mount -o ro {device_path(volume)} /mnt"
    yield ""
    yield tr("Without LVM's metadata the volume is the arrays' own sectors, one after the other (dmsetup's table):")
    yield ""
    at = 0
    whole = zip(capacity.data_offset_sectors, capacity.member_sectors, strict=True)
    for piece in volume.pieces or (Piece(slot, start or 0, sectors) for slot, (start, sectors) in enumerate(whole)):
        path = array_path(inner_name(volume.name, piece.member))
        yield f"    {at} {piece.sectors} linear {path} {piece.start_sector}"
        at += piece.sectors
    yield ""
    yield tr(
        "Give these lines to: dmsetup create --readonly {name}; then mount -o ro /dev/mapper/{name}", name=volume.name
    )
    assert at * SECTOR_BYTES == capacity.array_bytes  # noqa: S101
