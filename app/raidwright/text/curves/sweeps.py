"""A sweep as a chart: the rate over the values of a setting, one disk and several of it as lines, the best marked."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from statistics import fmean

from raidwright.core.system.workload import Workload
from raidwright.operations.sweep import Point, Value
from raidwright.runs.run import RunResult
from raidwright.text.catalogue import tr
from raidwright.text.plan.names import chunk_words
from raidwright.text.run.measurements import figure, is_counted
from raidwright.text.run.measurements import workload as workload_name
from raidwright.text.run.sweeps import setting_words

from .chart import Guide, Line, LineChart, LinePoint, Mark

_MAX_TIMES = 4
_KIB_OF_A_MIB = 1024


def sweep_chart(
    setting: str, workload: Workload, points: Sequence[Point], alone: Sequence[RunResult], before: Value | None = None
) -> LineChart:
    """Return the chart of ``points``; ``before`` is known once the sweep has ended, and the best is marked then."""
    counted = is_counted(workload.pattern.block_bytes)
    measured = [(float(place), one) for place, one in enumerate(points) if one.is_measured]
    line = tuple(_point(place, [_rate(result, counted=counted) for result in one.results]) for place, one in measured)
    best = max(line, key=lambda point: point.y, default=None)
    marks: tuple[Mark, ...] = ()
    if before is not None and best is not None:
        marks = tuple(_marks(setting, points, before, int(best.x)))
    return LineChart(
        workload_name(str(workload)),
        tr("IOPS") if counted else tr("MB/s"),
        setting_words(setting),
        tuple((float(place), _tick(setting, one.value)) for place, one in enumerate(points)),
        (Line(setting_words(setting), line),),
        tuple(_guides([_rate(result, counted=counted) for result in alone], best.y if best is not None else 0.0)),
        marks,
        best=best.x if best is not None and before is not None else None,
        shows_values=True,
        connects=all(isinstance(one.value, int) for one in points),
    )


def _rate(result: RunResult, *, counted: bool) -> float:
    return result.iops if counted else result.mb_s


def _point(place: float, rates: Sequence[float]) -> LinePoint:
    return LinePoint(place, fmean(rates), min(rates), max(rates))


def _guides(rates: Sequence[float], most: float) -> list[Guide]:
    """Return the lines of one disk, and of as many as the fastest value comes near: twice one disk, or more."""
    if not rates or not fmean(rates):
        return []
    alone = fmean(rates)
    times = min(_MAX_TIMES, max(2, ceil(most / alone - 0.25)))
    many = (
        tr("twice one disk: {rate}", rate=figure(2 * alone))
        if times == 2
        else tr("{times} × one disk: {rate}", times=times, rate=figure(times * alone))
    )
    return [Guide(alone, tr("one disk: {rate}", rate=figure(alone))), Guide(times * alone, many)]


def _marks(setting: str, points: Sequence[Point], before: Value, best: int) -> list[Mark]:
    marks = []
    for place, one in enumerate(points):
        value = value_words(setting, one.value)
        if one.value == before and place == best:
            marks.append(Mark(place, tr("before, and the best: {value}", value=value), "good"))
        elif one.value == before:
            marks.append(Mark(place, tr("before: {value}", value=value), "warn"))
        elif place == best:
            marks.append(Mark(place, tr("best: {value}", value=value), "good"))
    return marks


def _tick(setting: str, value: Value) -> str:
    """Return a value for the axis, whose title has the unit of small ones."""
    return str(value) if isinstance(value, int) and value < _KIB_OF_A_MIB else value_words(setting, value)


def value_words(setting: str, value: Value) -> str:
    """Return “256 KiB” of a read-ahead; other values as they are."""
    return chunk_words(value) if setting.endswith("_kib") and isinstance(value, int) else str(value)
