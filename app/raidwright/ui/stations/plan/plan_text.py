"""A plan's text, from a file or pasted, as far as the window can plan it."""

from __future__ import annotations

from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.core.errors import InputError
from raidwright.core.model.plan import Plan
from raidwright.reading.plans import loads_plan


def plan_of_text(text: str) -> Plan:
    """Return the plan in ``text``, JSON; raise InputError for one that is no plan, or that isn't on whole disks."""
    plan = loads_plan(text)
    Assumptions.of(plan)  # refuses values that can't be computed with
    slices = [disk.id for disk in plan.disks() if disk.partition is not None]
    if slices and not plan.volume:
        raise InputError(
            "The plan uses slices of disks ({slices}), and the window plans whole disks. The commands assess, export "
            "and build take it.",
            code="plan-disks",
            slices=slices,
        )
    return plan
