"""Prediction for a run, from its plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from raidwright.analysis.performance.host import HostModel, kernel_version
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.system.own_workload import pattern_named
from raidwright.core.system.workload import Pattern
from raidwright.core.units import SECTOR_BYTES

from .baselines import has_figure
from .run import ArrayState, BegunRun, Run
from .run_plan import plan_of_run

if TYPE_CHECKING:
    from raidwright.analysis.performance.prediction import Prediction

_MIB = 2**20


def predicted(run: BegunRun) -> Prediction | None:
    """Return the prediction for ``run``; None if it names no plan, or an unknown workload."""
    plan, pattern = plan_of_run(run), pattern_named(_workload(run))
    if plan is None or pattern is None:
        return None
    return _predict(run, plan, pattern, frozenset(_coming(run)))


def is_of_measured_disks(run: BegunRun) -> bool:
    """Return True if each of its disks was measured, so that the prediction is of them and not of typical ones."""
    plan = plan_of_run(run)
    return plan is not None and all(has_figure(disk.baseline) for disk in plan.disks())


def predicted_alone(run: BegunRun) -> Prediction | None:
    """Return the prediction for one disk alone, on the same share: of the first that was measured, if any was.

    None as for ``predicted``, and if the run has a single disk.
    """
    plan, pattern = plan_of_run(run), pattern_named(_workload(run))
    if plan is None or pattern is None or sum(1 for _ in plan.disks()) < 2:
        return None
    disks = list(plan.disks())
    alone = Plan(MdArray(Level.LINEAR, (next((disk for disk in disks if has_figure(disk.baseline)), disks[0]),)))
    return _predict(run, alone, pattern)


def _predict(run: BegunRun, plan: Plan, pattern: Pattern, coming: frozenset[str] | None = None) -> Prediction | None:
    """Return the prediction for ``plan``: healthy, or in the run's state, with the members that are ``coming``."""
    from raidwright.analysis.performance.prediction import HEALTHY, PredictedState, predict  # noqa: PLC0415 -- numpy

    is_rebuilding = run.state is ArrayState.REBUILDING
    state = HEALTHY if coming is None else PredictedState(coming, rebuilding=is_rebuilding)
    return predict(plan, pattern, state, span=_span(run, plan), host=_host(run))


def _workload(run: BegunRun) -> str:
    return run.result.workload if isinstance(run, Run) else run.workload


def _host(run: BegunRun) -> HostModel:
    """Return the run's kernel, and its number of stripe threads, if recorded."""
    told = run.context.get("surroundings")
    around: Mapping[str, object] = told if isinstance(told, Mapping) else {}
    kernel, threads = (str(around.get(name, "")) for name in ("kernel", "group_thread_cnt"))
    version = kernel_version(kernel)
    host = HostModel(group_threads=int(threads) if threads.isascii() and threads.isdecimal() else 0)
    return host if version is None else replace(host, kernel=version)


def _span(run: BegunRun, plan: Plan) -> float:
    size_bytes = capacity_of(plan.top).array_sectors * SECTOR_BYTES
    return min(1.0, run.region_mib * _MIB / size_bytes) if run.region_mib and size_bytes else 1.0


def _coming(run: BegunRun) -> Iterator[str]:
    """Yield the ids of members being rebuilt, which don't serve I/O yet. Missing members are empty in the plan."""
    array = run.context.get("array")
    for place in (array.get("places") or ()) if isinstance(array, dict) else ():
        member = place.get("member")
        if place.get("slot") is not None and "in_sync" not in place.get("states", ()) and member:
            yield str(member["id"])
