"""Sets of runs: all of one shoot-out, with the conditions in which they can differ from those of another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from raidwright.core.model.array import MdArray
from raidwright.core.model.plan import Plan

from .conditions import conditions_of
from .run import Run
from .run_plan import plan_of_run

SHOOTOUT = "shootout"


@dataclass(frozen=True, slots=True)
class RunSet:
    """The ``runs`` of a series, oldest first, and the conditions of the first one; "" if unknown."""

    id: str
    started: datetime
    machine: str
    is_practice: bool
    kernel: str
    scheduler: str
    read_ahead_kib: str
    runs: tuple[Run, ...]

    @property
    def has_several_counts(self) -> bool:
        """True if a level was measured with several numbers of members; plans aren't read for it."""
        counts: dict[object, set[int]] = {}
        for run in self.runs:
            plan = run.context.get("plan")
            members = plan.get("members") if isinstance(plan, Mapping) else None
            if isinstance(plan, Mapping) and isinstance(members, list) and len(members) > 1:
                counts.setdefault((plan.get("level"), plan.get("layout")), set()).add(len(members))
        return any(len(found) > 1 for found in counts.values())


def run_sets(runs: Sequence[Run]) -> tuple[RunSet, ...]:
    """Return the shoot-outs among ``runs``, the newest first."""
    series: dict[str, list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.started):
        if run.series is not None and run.series.kind == SHOOTOUT:
            series.setdefault(run.series.id, []).append(run)
    return tuple(sorted(map(set_of, series.values()), key=lambda one: one.started, reverse=True))


def set_of(runs: Sequence[Run]) -> RunSet:
    """Return ``runs``, at least one, as a set."""
    first = min(runs, key=lambda run: run.started)
    around = conditions_of(first)
    return RunSet(
        first.series.id if first.series else "",
        first.started,
        first.machine,
        bool(first.is_practice),
        around.kernel or "",
        around.scheduler or "",
        around.read_ahead_kib or "",
        tuple(sorted(runs, key=lambda run: run.started)),
    )


def single_array(plan: Plan | None) -> MdArray | None:
    """Return the plan's array if it is one of disks alone: not joined, nested, or missing a member's place."""
    if plan is None or plan.volume or plan.array.is_nested:
        return None
    return plan.array


def array_of_run(run: Run) -> MdArray | None:
    """Return the array of disks that ``run`` measured; None if it isn't known, or another kind."""
    return single_array(plan_of_run(run))
