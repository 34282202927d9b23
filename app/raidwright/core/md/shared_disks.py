"""Disks of which several members are slices, so that the members fail together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raidwright.core.model.plan import Member, Plan

from .survival import survival_of


def lost_with_one(plan: Plan, unit_of: Callable[[Member], str]) -> tuple[str, ...]:
    """Return the disks that lose the array alone, though it would survive the loss of any one member.

    ``unit_of`` is the disk that a member lies on. Each array of a joined volume is looked at by itself.
    """
    if plan.is_joined:
        return tuple(dict.fromkeys(unit for band in plan.inner for unit in lost_with_one(band, unit_of)))
    if not survival_of(_placed(plan, lambda member: member.id)).most():
        return ()
    placed = survival_of(_placed(plan, unit_of))
    return tuple(unit for index, unit in enumerate(placed.units) if not placed.survives({index}))


def _placed(plan: Plan, unit_of: Callable[[Member], str]) -> Plan:
    members = (
        _placed(one, unit_of) if isinstance(one, Plan) else one and replace(one, disk=unit_of(one))
        for one in plan.members
    )
    return replace(plan, members=tuple(members))
