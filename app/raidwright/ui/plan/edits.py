"""From one plan to the next: what changing the level, the layout or the disks makes of a plan. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...core.layouts import CHUNKED, PARITY_DISKS, Level, parse_copies
from ...core.plan import Bitmap, Member, Metadata, Plan

# What mdadm takes when no chunk is asked for (mdadm Create.c, since 3.1).
DEFAULT_CHUNK_KIB = 512
CHUNKS_KIB = tuple(4 << step for step in range(11))  # 4 KiB … 4 MiB
NO_BITMAP = frozenset({Level.LINEAR, Level.RAID0})
_MOST_COPIES = 4

Members = tuple[Member, ...]


def first_plan(members: Members) -> Plan:
    """A sensible plan to begin with: what most people would build of so many disks."""
    level = {2: Level.RAID1, 3: Level.RAID5, 4: Level.RAID10}.get(len(members), Level.RAID6)
    return with_level(Plan(level, members, name="tank", bitmap=Bitmap.INTERNAL), level, members)


def with_level(plan: Plan, level: Level, pool: Members) -> Plan:
    """``plan`` at ``level``, with what the level can't have left out and what it needs at its default.

    A nested plan becomes a plain one on the whole ``pool``.
    """
    if plan.is_nested:
        plan = replace(plan, members=pool, layout=None)
    layout = plan.layout if level is plan.level else None
    if layout is None and level is not Level.RAID4 and (level is Level.RAID10 or level in PARITY_DISKS):
        layout = "n2" if level is Level.RAID10 else "left-symmetric"
    bitmap = Bitmap.NONE if level in NO_BITMAP else plan.bitmap
    if plan.level in NO_BITMAP and level not in NO_BITMAP:
        bitmap = Bitmap.INTERNAL
    chunk_kib = (plan.chunk_kib or DEFAULT_CHUNK_KIB) if level in CHUNKED else None
    return replace(plan, level=level, layout=layout, bitmap=bitmap, chunk_kib=chunk_kib)


def with_members(plan: Plan, members: Members) -> Plan:
    """``plan`` on other disks, all of them at work, in the same arrangement as far as so many disks allow it."""
    if {member.id for member in plan.disks()} == {member.id for member in members}:
        return plan
    if plan.is_nested:
        return replace(first_plan(members), name=plan.name)
    if plan.level is Level.RAID10 and copies_of(plan) > len(members):
        plan = with_copies(plan, 2)
    return replace(plan, members=members, spares=())


def adopt(candidate: Plan, present: Plan) -> Plan:
    """``candidate`` with the name and the chunk that the ``present`` plan has."""
    chunk_kib = (present.chunk_kib or DEFAULT_CHUNK_KIB) if candidate.level in CHUNKED else None
    layout = candidate.layout or (None if candidate.is_nested else candidate.effective_layout)
    return replace(candidate, name=present.name, chunk_kib=chunk_kib, layout=layout)


def shape(plan: Plan) -> tuple[object, ...]:
    """What makes a plan the same candidate whatever its name, chunk and bitmap are."""
    members = frozenset(
        shape(member) if isinstance(member, Plan) else (member.id if member else None) for member in plan.members
    )
    boots = plan.metadata if plan.level is Level.RAID1 else None
    return plan.level, plan.effective_layout, members, frozenset(spare.id for spare in plan.spares), boots


def leaves(plan: Plan) -> Iterator[tuple[str, Member | None]]:
    """Every column of the stage: its slot's name (``1``, or ``0·1`` inside a nested array) and its disk."""
    for slot, member in enumerate(plan.members):
        if isinstance(member, Plan):
            yield from ((f"{slot}·{inner}", disk) for inner, disk in leaves(member))
        else:
            yield str(slot), member


def with_arrangement(plan: Plan, letter: str) -> Plan:
    """A raid10 ``plan`` with the same copies lying near (``n``), far (``f``) or offset (``o``)."""
    return replace(plan, layout=f"{letter}{copies_of(plan)}")


def with_copies(plan: Plan, copies: int) -> Plan:
    """A raid10 ``plan`` with so many copies in the same arrangement."""
    return replace(plan, layout=f"{arrangement_of(plan)}{copies}")


def copies_of(plan: Plan) -> int:
    """Copies of each chunk of a raid10 ``plan``."""
    return parse_copies(plan.layout or "n2").total


def arrangement_of(plan: Plan) -> str:
    """``n``, ``f`` or ``o``."""
    copies = parse_copies(plan.layout or "n2")
    return "o" if copies.offset else "f" if copies.far > 1 else "n"


def copy_counts(plan: Plan) -> tuple[int, ...]:
    """The copies that so many disks allow, as far as they are sensible."""
    return tuple(range(2, min(len(plan.members), _MOST_COPIES) + 1))


def with_metadata(plan: Plan, metadata: Metadata) -> Plan:
    """``plan`` with its superblock in another format."""
    return replace(plan, metadata=metadata)
