"""The trial of an array: the newest shoot-out of the same layout on the same disks, and the array's own runs.

Both are compared in the array's whole state; a trial's other states have no counterpart on an array in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from raidwright.analysis.likeness import likeness
from raidwright.core.model.plan import Plan
from raidwright.core.system.own_workload import pattern_named

from .run import ArrayState, Run
from .run_plan import plan_of_run

_SHOOTOUT = "shootout"


class Trial(NamedTuple):
    """The ``runs`` of an array's trial, newest first, and ``as_built``, the array's own of the same workloads."""

    runs: tuple[Run, ...]
    as_built: tuple[Run, ...]

    @property
    def is_measured_alike(self) -> bool:
        """True if the array's own runs cover the same region as the trial's, so that they compare.

        Buffered ones move as much as fits into their time, so their region doesn't count.
        """
        regions = {run.workload: run.region_mib for run in self.runs if not _is_buffered(run)}
        return bool(self.as_built) and all(
            run.region_mib == regions.get(run.workload, run.region_mib) for run in self.as_built
        )

    @property
    def region_mib(self) -> int | None:
        """The largest region that was measured."""
        return max((run.region_mib for run in self.runs if run.region_mib), default=None)


def trial_of(runs: Sequence[Run], plan: Plan, target: str) -> Trial | None:
    """Return the trial of the array ``target`` (``md:UUID``), built of ``plan``, among ``runs``; None without one."""
    wanted, series = likeness(plan.top), ""
    found: list[Run] = []
    for run in sorted(runs, key=lambda run: run.started, reverse=True):
        if run.series is None or run.series.kind != _SHOOTOUT or run.state is not ArrayState.HEALTHY:
            continue
        if series and run.series.id != series:
            continue
        tried = plan_of_run(run)
        if tried is not None and likeness(tried.top) == wanted:
            series = run.series.id
            found.append(run)
    if not found:
        return None
    return Trial(tuple(found), _as_built(runs, target, found))


def _as_built(runs: Sequence[Run], target: str, trial: Sequence[Run]) -> tuple[Run, ...]:
    """Return the newest series or single run of ``target`` by workload: of the trial's region, if there is any."""
    regions = {run.workload: run.region_mib for run in trial}
    own = [
        run
        for run in sorted(runs, key=lambda run: run.started, reverse=True)
        if run.target == target and run.state is ArrayState.HEALTHY and run.workload in regions
    ]
    found: list[Run] = []
    for workload, region_mib in regions.items():
        of_it = [run for run in own if run.workload == workload]
        alike = [run for run in of_it if run.region_mib == region_mib] or of_it
        found += [run for run in alike if _side(run) == _side(alike[0])]
    return tuple(found)


def _is_buffered(run: Run) -> bool:
    pattern = pattern_named(run.workload)
    return pattern is not None and pattern.buffered


def _side(run: Run) -> str:
    return run.series.id if run.series is not None else run.id
