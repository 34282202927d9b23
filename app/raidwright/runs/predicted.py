"""What was to be expected of a run: predicted from the plan that it was of."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.analysis.performance.prediction import Prediction, State, predict
from raidwright.core.errors import InputError
from raidwright.core.md.capacity import capacity_of
from raidwright.core.model.plan_json import read_plan
from raidwright.core.system.workload import Workload

from .run import ArrayState, Run

_MIB = 2**20


def predicted(run: Run) -> Prediction | None:
    """What was to be expected of ``run``; None where it says of no plan, or was of no workload of ours."""
    told = run.context.get("plan")
    if told is None or run.result.workload not in set(Workload):
        return None
    try:
        plan = read_plan(told)
        size_bytes = capacity_of(plan).array_sectors * 512
    except InputError:
        return None  # a newer program's
    span = min(1.0, run.region_mib * _MIB / size_bytes) if run.region_mib and size_bytes else 1.0
    state = State(frozenset(_coming(run)), rebuilding=run.state is ArrayState.REBUILDING)
    return predict(plan, Workload(run.result.workload), state, span=span)


def _coming(run: Run) -> Iterator[str]:
    """The members that are written anew, by id: they don't serve yet. What is missing, the plan leaves empty."""
    array = run.context.get("array")
    for place in (array.get("places") or ()) if isinstance(array, dict) else ():
        member = place.get("member")
        if place.get("slot") is not None and "in_sync" not in place.get("states", ()) and member:
            yield str(member["id"])
