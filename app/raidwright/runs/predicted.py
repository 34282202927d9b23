"""What a run was of, as a plan with its disks' measured speeds, and what is predicted of that."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.analysis.performance.prediction import Prediction, State, predict
from raidwright.core.errors import InputError
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan, read_plan
from raidwright.core.system.workload import Workload
from raidwright.machine.array_plan import plan_of
from raidwright.machine.values import Snapshot

from .baselines import Baselines
from .run import ArrayState, Run, array_meant

_MIB = 2**20


def plan_meant(snapshot: Snapshot, target: str) -> dict[str, object] | None:
    """The plan of what ``target`` means, with what was measured of its disks; None where no plan can say it.

    A disk alone is a linear array of it. Reads the kept baselines.
    """
    array = array_meant(snapshot, target)
    try:
        if array is not None:
            plan = plan_of(array)
        else:
            disk = next(disk for disk in snapshot.disks if target in (disk.id, *disk.by_id))
            plan = Plan(Level.LINEAR, (disk.as_member(),))
    except (InputError, StopIteration):
        return None
    return dump_plan(Baselines().filled_in(plan)[0])


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
