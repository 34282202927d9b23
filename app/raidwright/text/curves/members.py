"""Speed over the number of disks, as a chart, in sentences, and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import NamedTuple

from raidwright.analysis.plateau import SHARE, falls, plateau, rises_throughout
from raidwright.core.model.plan import Bitmap
from raidwright.core.system.file_acts import FileAct
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState
from raidwright.runs.run_sets import RunSet
from raidwright.suites import SuiteWorkload
from raidwright.text.catalogue import number, tr, with_commas
from raidwright.text.plan.names import chunk_words, long_name
from raidwright.text.run.measurements import figure, when
from raidwright.text.run.measurements import workload as workload_name
from raidwright.text.run.shootout import unit

from .chart import Line, LineChart, LinePoint, Look, Mark, Slope, Span
from .member_curves import MemberCurve, alone_rate, curves_of, curves_of_runs

_MIN_POINTS = 2
_SHARED = 0.15  # range of the plateaus of levels that share what is full, as a share of the highest
_SAME = 0.05  # difference between two sets that isn't worth a sentence


class Overlay(NamedTuple):
    """A stored set that is laid over a chart; ``now`` is the chart's own set as stored, None if it isn't."""

    over: RunSet
    now: RunSet | None = None

    @property
    def title(self) -> str:
        """Difference from the chart's own set: the kernel, else the machine, a setting, or the date."""
        one, beside = self
        if one.kernel and (beside is None or one.kernel != beside.kernel):
            return tr("Linux {version}", version=one.kernel)
        if beside is not None and one.machine != beside.machine:
            return one.machine
        if beside is not None and one.scheduler and one.scheduler != beside.scheduler:
            return tr("scheduler {name}", name=one.scheduler)
        if beside is not None and one.read_ahead_kib and one.read_ahead_kib != beside.read_ahead_kib:
            return tr("read-ahead {kib} KiB", kib=one.read_ahead_kib)
        return when(one.started)

    def curves(self, workload: SuiteWorkload) -> tuple[MemberCurve, ...]:
        """Return the curves of whole arrays under ``workload``."""
        found = curves_of_runs(self.over.runs, str(workload))
        return tuple(one for one in found if one.state is ArrayState.HEALTHY)


def curve_name(curve: MemberCurve, among: Sequence[MemberCurve]) -> str:
    """Return “RAID 5”, with its chunk or bitmap where others ``among`` them differ in nothing else."""
    parts = [long_name(curve.array)]
    like = [one.array for one in among if long_name(one.array) == parts[0]]
    if len({one.effective_chunk_kib for one in like}) > 1 and curve.array.effective_chunk_kib:
        parts.append(chunk_words(curve.array.effective_chunk_kib))
    if len({one.bitmap for one in like}) > 1:
        parts.append(tr("no bitmap") if curve.array.bitmap is Bitmap.NONE else tr("bitmap"))
    return " · ".join(parts)


def member_chart(findings: Findings, workload: SuiteWorkload, overlay: Overlay | None = None) -> LineChart:
    """Return the chart: a line for each layout, with a disk lost dashed, and those of ``overlay`` pale."""
    curves = curves_of(findings, workload)
    healthy = [one for one in curves if one.state is ArrayState.HEALTHY]
    before = overlay.curves(workload) if overlay is not None else ()
    colours = {key: place for place, key in enumerate(dict.fromkeys(one.key for one in (*healthy, *curves, *before)))}
    lines = [Line(_line_name(one, curves), _points(one), colours[one.key], _look(one)) for one in curves]
    if overlay is not None:
        names = {one.key: curve_name(one, before) for one in before} | {
            one.key: curve_name(one, healthy) for one in healthy
        }
        lines += [
            Line(f"{names[one.key]} · {overlay.title}", _points(one), colours[one.key], Look.BEFORE) for one in before
        ]
    counts = sorted({count for one in (*curves, *before) for count, _ in one.points})
    alone = alone_rate(findings, workload)
    slope = None
    if alone is not None and not isinstance(workload, FileAct):
        said = tr("one disk × n ({rate} {unit} each)", rate=figure(alone), unit=unit(workload))
        slope = Slope(alone, said)
    return LineChart(
        workload_name(str(workload)),
        unit(workload),
        tr("disks in the array"),
        tuple((float(count), str(count)) for count in counts),
        tuple(lines),
        marks=tuple(_marks(healthy)),
        span=shared_plateau(healthy, unit(workload)),
        slope=slope,
    )


def _look(curve: MemberCurve) -> Look:
    return Look.NOW if curve.state is ArrayState.HEALTHY else Look.DEGRADED


def _line_name(curve: MemberCurve, among: Sequence[MemberCurve]) -> str:
    name = curve_name(curve, among)
    if curve.state is ArrayState.HEALTHY:
        return name
    if curve.state is ArrayState.DEGRADED:
        return tr("{name}, disk lost", name=name)
    return tr("{name}, rebuilding", name=name)


def _points(curve: MemberCurve) -> tuple[LinePoint, ...]:
    return tuple(LinePoint(count, fmean(rates), min(rates), max(rates)) for count, rates in curve.points)


def _marks(curves: Sequence[MemberCurve]) -> Iterator[Mark]:
    """Yield a mark for each number of disks at which curves level off: those that do are named."""
    at: dict[int, list[str]] = {}
    for one in curves:
        count = _levels_off(one)
        if count is not None and count > one.points[0][0]:
            at.setdefault(count, []).append(curve_name(one, curves))
    for count, names in sorted(at.items()):
        yield Mark(count, tr("{names:and}: no more from {count} on", names=names, count=count), "warn")


def _levels_off(curve: MemberCurve) -> int | None:
    """Return the number of members from which on nothing gains; None too where what follows only falls."""
    return plateau(curve.means)


def shared_plateau(curves: Sequence[MemberCurve], unit_: str) -> Span | None:
    """Return the band in which several curves level off: what all of them share is full there."""
    tops = []
    for one in curves:
        at = _levels_off(one)
        if at is not None:
            tops.append(max(rate for count, rate in one.means if count >= at))
    if len(tops) < 2 or max(tops) - min(tops) > _SHARED * max(tops):
        return None
    words = tr("shared limit: {rate} {unit}", rate=from_to(min(tops), max(tops)), unit=unit_)
    return Span(min(tops), max(tops), words)


def from_to(low: float, high: float) -> str:
    """Return “45 to 66”, or one figure where both round to it."""
    ends = figure(low), figure(high)
    return ends[0] if ends[0] == ends[1] else tr("{low} to {high}", low=ends[0], high=ends[1])


def member_words(findings: Findings, workload: SuiteWorkload, overlay: Overlay | None = None) -> Iterator[str]:
    """Yield what the chart says: a sentence for each curve, one on what they share, and one on the other kernel."""
    curves = [one for one in curves_of(findings, workload) if one.state is ArrayState.HEALTHY]
    for one in curves:
        yield curve_words(curve_name(one, curves), one.means, unit(workload))
    if (span := shared_plateau(curves, unit(workload))) is not None:
        yield tr(
            "They level off together, at {rate} {unit}: what the disks share is full there, such as a controller's "
            "link or a bus.",
            rate=from_to(span.low, span.high),
            unit=unit(workload),
        )
    if overlay is not None:
        yield from _against(curves, overlay.curves(workload), overlay.title)


def curve_words(name: str, means: Sequence[tuple[int, float]], unit_: str) -> str:
    """Return what more disks bring to one layout, as it was measured."""
    points = sorted(means)
    at = plateau(points)
    rising = [point for point in points if at is None or point[0] <= at]
    if falls(points) or not rises_throughout(rising):
        steps = (tr("{count}: {rate}", count=count, rate=figure(rate)) for count, rate in points)
        return tr(
            "{array}: no regular gain with the disks ({unit} by disks: {steps}).",
            array=name,
            unit=unit_,
            steps=with_commas(*steps),
        )
    if len(rising) < _MIN_POINTS:
        count = points[0][0]
        return tr("{array}: from {count} disks on another brings no more than {share:.0%}.", array=name, count=count,
                  share=SHARE)  # fmt: skip
    gains = [(rate - rate_before) / (count - before) for (before, rate_before), (count, rate) in pairwise(rising)]
    brings = from_to(min(gains), max(gains))
    if at is None:
        return tr(
            "{array}: each disk more brings {gain} {unit}, as far as was measured.", array=name, gain=brings, unit=unit_
        )
    return tr(
        "{array}: up to {count} disks each more brings {gain} {unit}; beyond, another brings no more than {share:.0%}.",
        array=name,
        count=at,
        gain=brings,
        unit=unit_,
        share=SHARE,
    )


def _against(curves: Sequence[MemberCurve], before: Sequence[MemberCurve], title: str) -> Iterator[str]:
    """Yield how these rates compare with the stored ones of the same layouts and numbers of disks."""
    for one in curves:
        other = next((each for each in before if each.key == one.key), None)
        rates = dict(other.means) if other is not None else {}
        ratios = [rate / rates[count] for count, rate in one.means if rates.get(count)]
        if not ratios:
            continue
        name = curve_name(one, curves)
        if max(abs(ratio - 1) for ratio in ratios) <= _SAME:
            yield tr("{array}: as fast as with {other}, within {share:.0%}.", array=name, other=title, share=_SAME)
            continue
        yield tr(
            "{array} against {other}: {ratio} times as fast, {middle} in the middle.",
            array=name,
            other=title,
            ratio=from_to(min(ratios), max(ratios)),
            middle=number(median(ratios), ".2f"),
        )


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A point of the chart as a table row; ``brings`` is the gain of each disk more since the point before."""

    name: str
    count: int
    rate: float
    brings: float | None
    times_alone: float | None


def member_rows(findings: Findings, workload: SuiteWorkload, overlay: Overlay | None = None) -> list[MemberRow]:
    """Return the chart's points as rows, line by line."""
    chart, alone = member_chart(findings, workload, overlay), alone_rate(findings, workload)
    rows = []
    for line in chart.lines:
        for place, point in enumerate(line.points):
            before = line.points[place - 1] if place else None
            brings = None if before is None else (point.y - before.y) / (point.x - before.x)
            rows.append(MemberRow(line.name, int(point.x), point.y, brings, point.y / alone if alone else None))
    return rows
