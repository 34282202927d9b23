"""Plans that a shoot-out offers by itself: the present one, and the advised ones for its disks, best first."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.analysis.likeness import shape
from raidwright.core.model.plan import Plan

_MAX_OFFERED = 12


def offered_plans(own: Plan | None, ranked: Sequence[Plan]) -> tuple[Plan, ...]:
    """Return the present plan and the advised ones, each shape once, without joined ones: a shoot-out tries arrays."""
    shapes = {shape(own.top): own} if own is not None and not own.volume else {}
    for plan in ranked:
        if not plan.volume:
            shapes.setdefault(shape(plan.top), plan)
    return tuple(shapes.values())[:_MAX_OFFERED]
