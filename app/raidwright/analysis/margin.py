"""Remaining fault tolerance of an array that has lost members: exact, as md sees it (``survival``)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from raidwright.core.md.layouts import Level, canonical_layout
from raidwright.core.model.plan import MdArray, Member

from .layers.survival import survival_of


@dataclass(frozen=True, slots=True)
class Margin:
    """``more``: any so many further members may fail; -1: data are lost already.

    ``needed`` are the slots whose member's failure alone loses data, ``spared`` those whose failure alone doesn't.
    """

    more: int
    needed: tuple[int, ...]
    spared: tuple[int, ...]


def margin_of(level: str, layout: str, slots: int, working: Collection[int]) -> Margin | None:
    """Return the margin of an array of ``slots`` slots of which ``working`` work.

    ``layout`` is a plan's; "" if unknown. None for an unknown level, or a raid10 of unknown layout.
    """
    if level not in set(Level) or not slots or (level == Level.RAID10 and not layout):
        return None
    known = canonical_layout(Level(level), layout) if level == Level.RAID10 else None
    members = tuple(Member(str(slot), 1) if slot in working else None for slot in range(slots))
    survival = survival_of(MdArray(Level(level), members, layout=known))
    there = [int(unit) for unit in survival.units]
    needed = tuple(slot for unit, slot in enumerate(there) if not survival.survives({unit}))
    return Margin(survival.most(), needed, tuple(slot for slot in there if slot not in needed))
