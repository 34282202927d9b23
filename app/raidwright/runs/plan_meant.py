"""Plan of a run's target, with its disks' measured speeds."""

from __future__ import annotations

from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.machine.array_plan import plan_of
from raidwright.machine.values import Snapshot

from .baselines import Baselines
from .run import array_meant


def plan_meant(snapshot: Snapshot, target: str) -> dict[str, object] | None:
    """Return the plan of ``target``, with its disks' measured figures; None if no plan can express it.

    A single disk becomes a linear array. Reads the stored baselines.
    """
    plan = plan_here(snapshot, target)
    if plan is None:
        disk = next((disk for disk in snapshot.disks if target in (disk.id, *disk.by_id)), None)
        plan = Plan(MdArray(Level.LINEAR, (disk.as_member(),))) if disk is not None else None
    return dump_plan(Baselines().filled_in(plan)[0]) if plan is not None else None


def plan_here(snapshot: Snapshot, target: str) -> Plan | None:
    """Return the plan of the array ``target`` as it is now; None for a disk, or if no plan can express it."""
    array = array_meant(snapshot, target)
    if array is None:
        return None
    try:
        return plan_of(array, snapshot.arrays)
    except InputError:
        return None
