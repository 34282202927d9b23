"""From one plan to the next: what changing the level, the layout or the disks makes of a plan. Pure."""

from __future__ import annotations

from dataclasses import replace

from ...core.layouts import CHUNKED, PARITY_DISKS, Copies, Level, parse_copies
from ...core.plan import Bitmap, Member, Metadata, Plan

# What mdadm takes when no chunk is asked for (mdadm Create.c, since 3.1).
DEFAULT_CHUNK_KIB = 512
CHUNKS_KIB = tuple(4 << step for step in range(11))  # 4 KiB … 4 MiB
NO_BITMAP = frozenset({Level.LINEAR, Level.RAID0})
_MOST_COPIES = 4


def first_plan(members: tuple[Member, ...]) -> Plan:
    """A sensible plan to begin with: what most people would build of so many disks."""
    level = {2: Level.RAID1, 3: Level.RAID5, 4: Level.RAID10}.get(len(members), Level.RAID6)
    return with_level(Plan(level, members, name="tank", bitmap=Bitmap.INTERNAL), level)


def with_level(plan: Plan, level: Level) -> Plan:
    """``plan`` at ``level``, with what the level can't have left out and what it needs at its default."""
    layout = plan.layout if level is plan.level else None
    if layout is None and (level is Level.RAID10 or level in PARITY_DISKS):
        layout = {Level.RAID10: "n2", Level.RAID4: None}.get(level, "left-symmetric")
    bitmap = Bitmap.NONE if level in NO_BITMAP else plan.bitmap
    if plan.level in NO_BITMAP and level not in NO_BITMAP:
        bitmap = Bitmap.INTERNAL
    chunk_kib = (plan.chunk_kib or DEFAULT_CHUNK_KIB) if level in CHUNKED else None
    return replace(plan, level=level, layout=layout, bitmap=bitmap, chunk_kib=chunk_kib)


def with_members(plan: Plan, members: tuple[Member, ...]) -> Plan:
    """``plan`` on other disks, at the same level where that many disks allow it."""
    if plan.level is Level.RAID10:
        copies = parse_copies(plan.layout or "n2")
        if copies.total > len(members):
            plan = replace(plan, layout=copies_name(replace(copies, near=1, far=1), min(2, len(members))))
    return replace(plan, members=members)


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


def copies_name(copies: Copies, total: int) -> str:
    """The layout's name for ``total`` copies in the arrangement of ``copies``."""
    return f"{'o' if copies.offset else 'f' if copies.far > 1 else 'n'}{total}"


def copy_counts(plan: Plan) -> tuple[int, ...]:
    """The copies that so many disks allow, as far as they are sensible."""
    return tuple(range(2, min(len(plan.members), _MOST_COPIES) + 1))


def with_metadata(plan: Plan, metadata: Metadata) -> Plan:
    """``plan`` with its superblock in another format."""
    return replace(plan, metadata=metadata)
