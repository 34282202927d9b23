"""A comparison as rows to draw, to read and to save: for each workload its bars, the ratio, the verdict in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from raidwright.core.system.own_workload import pattern_named
from raidwright.runs.comparing import AgainstPrediction, Compared, mean_rate, rate_of
from raidwright.runs.run import Run
from raidwright.text.catalogue import tr, translated, with_commas
from raidwright.text.run import comparisons as words
from raidwright.text.run import measurements
from raidwright.ui.widgets.bars import Bar


class BarLine(NamedTuple):
    """A bar: its title, its figure with and without the unit; its range is the runs' spread, or a prediction's."""

    title: str
    value: str
    figure: str
    bar: Bar
    is_predicted: bool = False


class WorkloadRow(NamedTuple):
    """A workload, by its full name and a ``short`` one. ``remarks``: its subject, and unknown conditions.

    ``unit`` is that of its bars: MB/s, IOPS, or files a second.
    """

    title: str
    short: str
    lines: tuple[BarLine, ...]
    verdict: str
    briefly: str = ""
    ratio: str = ""
    low: str = ""
    high: str = ""
    warning: str = ""
    remarks: tuple[str, ...] = ()
    unit: str = ""

    @property
    def most(self) -> float:
        """The end of its scale."""
        return max(max(line.bar.high, line.bar.likely) for line in self.lines)


def rows_of(found: Sequence[Compared | AgainstPrediction]) -> tuple[WorkloadRow, ...]:
    """Return a row for each comparison."""
    return tuple(_compared(one) if isinstance(one, Compared) else _predicted(one) for one in found)


def rows_of_runs(runs: Sequence[Run]) -> tuple[WorkloadRow, ...]:
    """Return runs beside each other without a verdict, by workload."""
    by_workload: dict[str, list[Run]] = {}
    for run in runs:
        by_workload.setdefault(run.workload, []).append(run)
    return tuple(
        WorkloadRow(
            measurements.workload(workload),
            measurements.short(workload),
            tuple(_line(_name(run), (run,)) for run in each),
            "",
            unit=_unit(each),
        )
        for workload, each in by_workload.items()
    )


def _compared(one: Compared) -> WorkloadRow:
    found, context = one.comparison, one.context
    first, second = (with_commas(*dict.fromkeys(map(_name, side))) for side in (one.first, one.second))
    told = (words.kind(context), words.remark(context), words.not_known(context), words.assumption(found))
    has_own_unit = _unit(one.first) == _unit(one.second)  # else one scale would show IOPS beside MB/s
    return WorkloadRow(
        title=measurements.workload(one.workload),
        short=measurements.short(one.workload),
        lines=(
            _line(f"A · {first}", one.first, has_own_unit=has_own_unit),
            _line(f"B · {second}", one.second, has_own_unit=has_own_unit),
        ),
        verdict=words.verdict_on(found, context),
        briefly=words.briefly(found, context),
        ratio=words.factor(found.ratio),
        low=words.factor(found.low),
        high=words.factor(found.high),
        warning=words.warning(context),
        remarks=tuple(filter(None, told)),
        unit=_unit(one.first) if has_own_unit else tr("MB/s"),
    )


def _predicted(one: AgainstPrediction) -> WorkloadRow:
    prediction = one.prediction
    scale = _scale(one.workload)
    told = (prediction.mb_s, prediction.low_mb_s, prediction.high_mb_s)
    likely, low, high = (mb_s * scale for mb_s in told)
    unit = _unit(one.runs)
    assumed = [translated(each) for each in prediction.assumes]
    return WorkloadRow(
        title=measurements.workload(one.workload),
        short=measurements.short(one.workload),
        lines=(
            _line(with_commas(*dict.fromkeys(map(_name, one.runs))), one.runs),
            BarLine(tr("predicted"), *_figure(likely, unit), Bar(likely, low, high), is_predicted=True),
        ),
        verdict=(said := words.beside_prediction(one)),
        briefly=said,
        ratio=words.factor(one.ratio),
        low=measurements.figure(low),
        high=measurements.figure(high),
        remarks=(tr("The prediction assumes: {what:and}", what=assumed),) if assumed else (),
        unit=unit,
    )


def _line(title: str, runs: Sequence[Run], *, has_own_unit: bool = True) -> BarLine:
    """Return the runs' bar in the unit of their workload, or in MB/s."""
    scale, unit = (_scale(runs[0].workload), _unit(runs)) if has_own_unit else (1.0, tr("MB/s"))
    rates, mean = [rate_of(run) * scale for run in runs], mean_rate(runs) * scale
    return BarLine(title, *_figure(mean, unit), Bar(mean, min(rates), max(rates)))


def _scale(workload: str) -> float:
    """Return IOPS per MB/s of a workload whose accesses are counted, else 1."""
    pattern = pattern_named(workload)
    return 1e6 / pattern.block_bytes if pattern and measurements.is_counted(pattern.block_bytes) else 1.0


def _unit(runs: Sequence[Run]) -> str:
    if not runs[0].result.mb_s:
        return tr("a second")
    return tr("MB/s") if _scale(runs[0].workload) == 1.0 else tr("IOPS")


def _figure(rate: float, unit: str) -> tuple[str, str]:
    value = measurements.figure(rate)
    return value, f"{value} {unit}"


def _name(run: Run) -> str:
    """Return “tank, degraded”."""
    subject = measurements.subject(run) or run.id
    return with_commas(subject, measurements.state(run))
