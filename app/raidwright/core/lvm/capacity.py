"""Capacity of a volume over arrays: whole extents of LVM's on each."""

from __future__ import annotations

from dataclasses import replace

from raidwright.core.errors import PlanRefused
from raidwright.core.md.capacity import Capacity, Lost, array_capacity
from raidwright.core.md.mdadm_versions import MDADM_4_4, MdadmVersion
from raidwright.core.md.refusals import refuse_double_use
from raidwright.core.model.plan import LinearVolume, Piece

from .joined import EXTENT_SECTORS, data_start_sectors, extents_of, refuse_joined


def volume_capacity(volume: LinearVolume, mdadm: MdadmVersion = MDADM_4_4) -> Capacity:
    """Return the volume's capacity: whole extents after each array's data start, or the pieces that it has.

    Raises PlanRefused for what mdadm, md or LVM would refuse.
    """
    refuse_double_use(volume.disks())
    refuse_joined(volume)
    bands = tuple(replace(band, homehost=volume.homehost) for band in volume.arrays)
    inner = tuple(array_capacity(band, mdadm) for band in bands)
    pieces = volume.pieces or tuple(
        Piece(place, data_start_sectors(band), extents_of(band, capacity.array_sectors) * EXTENT_SECTORS)
        for place, (band, capacity) in enumerate(zip(bands, inner, strict=True))
    )
    _refuse_pieces(pieces, inner)
    used = tuple(sum(one.sectors for one in pieces if one.member == place) for place in range(len(inner)))
    starts = tuple(min(one.start_sector for one in pieces if one.member == place) for place in range(len(inner)))
    arrays = sum(capacity.array_sectors for capacity in inner)
    lost = Lost(metadata_sectors=sum(starts), rounding_sectors=arrays - sum(starts) - sum(used))
    return Capacity(
        array_sectors=sum(used),
        component_size_kib=0,
        data_offset_sectors=starts,
        member_sectors=used,
        lost=sum((capacity.lost for capacity in inner), lost),
        smallest_replacement_sectors=None,
        inner=inner,
    )


def _refuse_pieces(pieces: tuple[Piece, ...], inner: tuple[Capacity, ...]) -> None:
    """Raise PlanRefused for an array without an extent, and for pieces that the arrays don't have."""
    ends = dict.fromkeys(range(len(inner)), 0)
    for one in sorted(pieces, key=lambda one: one.start_sector):
        if not one.sectors:
            raise PlanRefused(
                "Array {number} is too small for an extent of LVM's, 4 MiB; leave it out.",
                code="band-too-small",
                number=one.member,
            )
        if one.member not in ends or one.start_sector < ends[one.member]:
            raise PlanRefused("The pieces of the volume lie over one another.", code="pieces")
        ends[one.member] = one.start_sector + one.sectors
    for number, capacity in enumerate(inner):
        if not 0 < ends[number] <= capacity.array_sectors:
            raise PlanRefused(
                "The volume's pieces go beyond array {number}, or leave it out.", code="pieces", number=number
            )
