"""A disk's two halves as members of a plan: temporary kernel partitions, without an entry in a partition table.

Standard library only: the helper, which runs as root, imports this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level

from .plan import MdArray, Member

_FIRST_BYTE = 2**20  # a partition made here later with another tool won't begin at an old superblock
_UNIT = 2**20
_CHUNK_KIB = 256  # of the known example (madpenguin 2010)


def halves_of(disk: Member) -> tuple[Member, Member]:
    """Return the outer and the inner half of a whole ``disk``, in whole MiB and of equal size; raises InputError."""
    size_bytes = (disk.size_bytes - _FIRST_BYTE) // 2 // _UNIT * _UNIT
    if disk.partition is not None or size_bytes <= 0:
        raise InputError("Only a whole disk has halves.", code="halves")
    outer, inner = (
        replace(disk, id=f"{disk.id}-part{number}", disk=disk.id, partition=number, size_bytes=size_bytes)
        for number in (1, 2)
    )
    return outer, inner


def begin_bytes(half: Member) -> int:
    """Return the half's offset on its disk in bytes."""
    return _FIRST_BYTE + ((half.partition or 1) - 1) * half.size_bytes


def cross_paired(first: Member, second: Member) -> MdArray:
    """Return raid0 over two mirrors of one disk's outer half and the other's inner half: streams use both disks."""
    (outer, inner), (other_outer, other_inner) = halves_of(first), halves_of(second)
    pairs = ((outer, other_inner), (other_outer, inner))
    return MdArray(Level.RAID0, tuple(MdArray(Level.RAID1, pair) for pair in pairs), chunk_kib=_CHUNK_KIB)


def verify_halves(plan: MdArray, disks: Iterable[Member]) -> None:
    """Raise InputError unless every member of ``plan`` is a half of one of the whole ``disks``, to the byte."""
    halves = {_known_by(half) for disk in disks for half in halves_of(disk)}
    for member in plan.disks():
        if _known_by(member) not in halves:
            raise InputError("{id} is no half of a disk that was named.", code="halves", id=member.id)


def _known_by(member: Member) -> Member:
    return replace(member, baseline=None, afr=None, age_years=None)
