"""Rates of layouts by their number of members, of a shoot-out's findings or of stored runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from raidwright.core.md.layouts import Level
from raidwright.core.model.array import MdArray
from raidwright.core.model.plan import Bitmap
from raidwright.core.system.own_workload import pattern_named
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState, Run
from raidwright.runs.run_sets import array_of_run, single_array
from raidwright.suites import SuiteWorkload
from raidwright.text.run.measurements import is_counted
from raidwright.text.run.shootout import values

_MIN_POINTS = 2


@dataclass(frozen=True, slots=True)
class MemberCurve:
    """The rates of one layout by its number of members, each repeat's, in the workload's unit."""

    array: MdArray
    state: ArrayState
    points: tuple[tuple[int, tuple[float, ...]], ...]

    @property
    def means(self) -> list[tuple[int, float]]:
        """The means by number of members."""
        return [(count, fmean(rates)) for count, rates in self.points]

    @property
    def key(self) -> tuple[object, ...]:
        """Key of the layout, whatever its members."""
        return _key(self.array)


def _key(array: MdArray) -> tuple[object, ...]:
    # raid0's layout says something of unlike disks alone, and md tells it where a plan leaves it open
    layout = None if array.level is Level.RAID0 else array.effective_layout
    return array.level, layout, array.effective_chunk_kib or None


def has_curves(findings: Findings) -> bool:
    """Return whether a layout takes part with several numbers of members."""
    counts: dict[tuple[object, ...], set[int]] = {}
    for contestant in findings.contest.contestants:
        array = single_array(contestant.wanted)
        if array is not None and contestant.is_layout and not contestant.halved and contestant.setup is None:
            counts.setdefault(_full_key(array), set()).add(len(array.members))
    return any(len(found) >= _MIN_POINTS for found in counts.values())


def _full_key(array: MdArray) -> tuple[object, ...]:
    return (*_key(array), array.bitmap is Bitmap.NONE, array.bitmap_chunk_kib)


def curves_of(findings: Findings, workload: SuiteWorkload) -> tuple[MemberCurve, ...]:
    """Return the curves of ``workload``, of layouts with several numbers of members; the healthy ones first."""
    found: dict[tuple[object, ...], tuple[MdArray, ArrayState, dict[int, tuple[float, ...]]]] = {}
    for one in findings.figures:
        contestant = findings.contest.contestants[one.contestant]
        array = single_array(contestant.wanted)
        if (
            one.workload != workload
            or array is None
            or not contestant.is_layout
            or contestant.halved
            or contestant.setup
        ):
            continue
        _array, _state, points = found.setdefault((*_full_key(array), one.state), (array, one.state, {}))
        points[len(array.members)] = values(one)
    return _curves(found)


def curves_of_runs(runs: Sequence[Run], workload: str) -> tuple[MemberCurve, ...]:
    """Return the curves of stored runs of ``workload``, as ``curves_of``."""
    found: dict[tuple[object, ...], tuple[MdArray, ArrayState, dict[int, tuple[float, ...]]]] = {}
    for run in runs:
        array = array_of_run(run)
        if run.workload != workload or array is None or run.state is None or _is_alone(array):
            continue
        key = (*_key(array), array.bitmap is Bitmap.NONE, run.state)
        _array, _state, points = found.setdefault(key, (array, run.state, {}))
        points[len(array.members)] = (*points.get(len(array.members), ()), rate_of_run(run))
    return _curves(found)


def _curves(
    found: dict[tuple[object, ...], tuple[MdArray, ArrayState, dict[int, tuple[float, ...]]]],
) -> tuple[MemberCurve, ...]:
    curves = (
        MemberCurve(array, state, tuple(sorted(points.items())))
        for array, state, points in found.values()
        if len(points) >= _MIN_POINTS
    )
    return tuple(sorted(curves, key=lambda one: list(ArrayState).index(one.state)))


def _is_alone(array: MdArray) -> bool:
    return len(array.members) == 1 and array.level in (Level.RAID1, Level.LINEAR)


def rate_of_run(run: Run) -> float:
    """Return the run's rate in its workload's unit."""
    pattern = pattern_named(run.workload)
    counted = is_counted(pattern.block_bytes) if pattern is not None else not run.result.mb_s
    return run.result.iops if counted else run.result.mb_s


def alone_rate(findings: Findings, workload: SuiteWorkload) -> float | None:
    """Return one disk's rate, as measured in the same shoot-out."""
    disk = findings.of(0, ArrayState.HEALTHY, workload)
    return None if disk is None or findings.is_at_memory_speed else fmean(values(disk))
