"""What an array that has lost members survives now: exactly, as md sees it (``survival``)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from raidwright.core.md.layouts import Level, canonical_layout
from raidwright.core.md.survival import survival_of
from raidwright.core.model.plan import Member, Plan


@dataclass(frozen=True, slots=True)
class Margin:
    """``more``: so many more members may fail, whichever they are; -1: data are lost already.

    ``needed`` are the slots whose member alone must not go, ``spared`` those whose member alone may.
    """

    more: int
    needed: tuple[int, ...]
    spared: tuple[int, ...]


def margin_of(level: str, layout: str, slots: int, working: Collection[int]) -> Margin | None:
    """The margin of an array of ``slots`` slots of which ``working`` work.

    ``layout`` is a plan's; "" where it isn't known. None where nobody can tell: a level that we don't know, or a
    raid10 whose layout isn't known.
    """
    if level not in set(Level) or not slots or (level == Level.RAID10 and not layout):
        return None
    known = canonical_layout(Level(level), layout) if level == Level.RAID10 else None
    members = tuple(Member(str(slot), 1) if slot in working else None for slot in range(slots))
    survival = survival_of(Plan(Level(level), members, layout=known))
    there = [int(unit) for unit in survival.units]
    needed = tuple(slot for unit, slot in enumerate(there) if not survival.survives({unit}))
    return Margin(survival.most(), needed, tuple(slot for slot in there if slot not in needed))
