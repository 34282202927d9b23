"""What was to be expected of a run: predicted from the plan that it was of."""

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
    """What is to be expected of ``run``; None where it says of no plan, or is of no workload of ours."""
    plan = _plan_of(run)
    if plan is None:
        return None
    state = State(frozenset(_coming(run)), rebuilding=run.state is ArrayState.REBUILDING)
    return predict(plan, Workload(_workload(run)), state, span=_span(run, plan))


def predicted_alone(run: BegunRun) -> Prediction | None:
    """What one of its disks would do alone, on as much of itself; None as for ``predicted``, and for one disk alone."""
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
        return None  # a newer program's


def _span(run: BegunRun, plan: Plan) -> float:
    size_bytes = capacity_of(plan).array_sectors * SECTOR_BYTES
    return min(1.0, run.region_mib * _MIB / size_bytes) if run.region_mib and size_bytes else 1.0


def _coming(run: BegunRun) -> Iterator[str]:
    """The members that are written anew, by id: they don't serve yet. What is missing, the plan leaves empty."""
    array = run.context.get("array")
    for place in (array.get("places") or ()) if isinstance(array, dict) else ():
        member = place.get("member")
        if place.get("slot") is not None and "in_sync" not in place.get("states", ()) and member:
            yield str(member["id"])
