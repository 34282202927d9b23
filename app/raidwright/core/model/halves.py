"""A disk's two halves as members of a plan: partitions that the kernel is told of for a while, and no table says.

Standard library only: the helper, which runs as root, imports this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level

from .plan import Member, Plan

_FIRST_BYTE = 2**20  # what a partition that some tool makes later begins with is not left with a superblock's place
_UNIT = 2**20
_CHUNK_KIB = 256  # of the array that is known for this (madpenguin 2010)


def halves_of(disk: Member) -> tuple[Member, Member]:
    """The outer and the inner half of a whole ``disk``, in whole MiB and of one size; raises InputError."""
    size_bytes = (disk.size_bytes - _FIRST_BYTE) // 2 // _UNIT * _UNIT
    if disk.partition is not None or size_bytes <= 0:
        raise InputError("Only a whole disk has halves.", code="halves")
    outer, inner = (
        replace(disk, id=f"{disk.id}-part{number}", disk=disk.id, partition=number, size_bytes=size_bytes)
        for number in (1, 2)
    )
    return outer, inner


def begin_bytes(half: Member) -> int:
    """Where it begins on its disk."""
    return _FIRST_BYTE + ((half.partition or 1) - 1) * half.size_bytes


def cross_paired(first: Member, second: Member) -> Plan:
    """Each disk's outer half mirrored on the other's inner one, raid0 over both: a stream comes from both disks."""
    (outer, inner), (other_outer, other_inner) = halves_of(first), halves_of(second)
    pairs = ((outer, other_inner), (other_outer, inner))
    return Plan(Level.RAID0, tuple(Plan(Level.RAID1, pair) for pair in pairs), chunk_kib=_CHUNK_KIB)


def verify_halves(plan: Plan, disks: Iterable[Member]) -> None:
    """Raise InputError unless every member of ``plan`` is a half of one of the whole ``disks``, to the byte."""
    halves = {_known_by(half) for disk in disks for half in halves_of(disk)}
    for member in plan.disks():
        if _known_by(member) not in halves:
            raise InputError("{id} is no half of a disk that was named.", code="halves", id=member.id)


def _known_by(member: Member) -> Member:
    return replace(member, baseline=None, afr=None, age_years=None)
