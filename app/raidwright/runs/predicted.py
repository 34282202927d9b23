"""Prediction for a run, from its plan."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.analysis.performance.prediction import Prediction, State, predict
from raidwright.core.errors import InputError
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import read_plan
from raidwright.core.system.workload import Workload
from raidwright.core.units import SECTOR_BYTES

from .run import ArrayState, BegunRun, Run

_MIB = 2**20


def predicted(run: BegunRun) -> Prediction | None:
    """Return the prediction for ``run``; None without a plan, or for a workload that isn't predefined."""
    plan = _plan_of(run)
    if plan is None:
        return None
    state = State(frozenset(_coming(run)), rebuilding=run.state is ArrayState.REBUILDING)
    return predict(plan, Workload(_workload(run)), state, span=_span(run, plan))


def predicted_alone(run: BegunRun) -> Prediction | None:
    """Predict one of its disks alone over as large a region; None as for ``predicted``, and for a single disk."""
    plan = _plan_of(run)
    if plan is None or sum(1 for _ in plan.disks()) < 2:
        return None
    alone = Plan(Level.LINEAR, (next(plan.disks()),))
    return predict(alone, Workload(_workload(run)), span=_span(run, alone))


def _workload(run: BegunRun) -> str:
    return run.result.workload if isinstance(run, Run) else run.workload


def _plan_of(run: BegunRun) -> Plan | None:
    told = run.context.get("plan")
    if told is None or _workload(run) not in set(Workload):
        return None
    try:
        return read_plan(told)
    except InputError:
        return None  # of a newer version


def _span(run: BegunRun, plan: Plan) -> float:
    size_bytes = capacity_of(plan).array_sectors * SECTOR_BYTES
    return min(1.0, run.region_mib * _MIB / size_bytes) if run.region_mib and size_bytes else 1.0


def _coming(run: BegunRun) -> Iterator[str]:
    """Yield the ids of members being rebuilt, which don't serve I/O yet. Missing members are empty in the plan."""
    array = run.context.get("array")
    for place in (array.get("places") or ()) if isinstance(array, dict) else ():
        member = place.get("member")
        if place.get("slot") is not None and "in_sync" not in place.get("states", ()) and member:
            yield str(member["id"])
