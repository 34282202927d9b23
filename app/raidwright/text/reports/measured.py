"""Measurements of a plan's array: its newest runs against their predictions, and the newest pair compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidwright.runs.comparing import AgainstPrediction, Compared, against_prediction, mean_rate, newest_pair
from raidwright.runs.run import Run
from raidwright.text.catalogue import ntr, tr
from raidwright.text.run import comparisons as words
from raidwright.text.run.measurements import figure, state, when, workload

from .tags import heading, listed, paragraph, table

_MAX_RUNS = 20


def measured_part(runs: Sequence[Run]) -> Iterator[str]:
    """Yield the part on ``runs`` of one array, newest first, with samples; nothing if there are none."""
    if not runs:
        return
    shown = runs[:_MAX_RUNS]
    yield heading(tr("What was measured"))
    heads = (tr("When"), tr("Workload"), tr("State"), tr("MB/s"), tr("a second"), tr("ms"))
    yield from table(*map(_run, shown), heads=heads, figures=3)
    if older := len(runs) - len(shown):
        yield paragraph(ntr("{count} older run is left out.", "{count} older runs are left out.", older), "dim")
    yield from _against_prediction(against_prediction(shown))
    yield from _compared(newest_pair(runs))


def _run(run: Run) -> tuple[str, ...]:
    result = run.result
    figures = (figure(one) for one in (result.mb_s or None, result.iops, result.latency_ms))
    return (when(run.started), workload(run.workload), state(run), *figures)


def _against_prediction(found: Sequence[AgainstPrediction]) -> Iterator[str]:
    if not found:
        return
    yield heading(tr("Measured against predicted"))
    heads = (tr("Workload"), tr("State"), tr("Verdict"), tr("Measured"), tr("Predicted"), tr("From"), tr("to"))
    rows = []
    for one in found:
        rates = (mean_rate(one.runs), one.prediction.mb_s, one.prediction.low_mb_s, one.prediction.high_mb_s)
        verdict = words.beside_prediction(one)
        rows.append((workload(one.workload), state(one.runs[0]), verdict, *map(figure, rates)))
    yield from table(*rows, heads=heads, figures=4)
    yield paragraph(tr("In MB/s; 90 of 100 predictions hold within “from … to”."), "dim")


def _compared(pair: Sequence[Compared]) -> Iterator[str]:
    if not pair:
        return
    yield heading(tr("The newest runs against those before"))
    heads = (tr("Workload"), tr("State"), tr("Verdict"), tr("Before"), tr("Now"), tr("Ratio"))
    rows = [
        (
            workload(one.workload),
            state(one.second[0]),
            words.verdict_on(one.comparison, one.context),
            *(figure(mean_rate(side)) for side in (one.first, one.second)),
            words.factor(one.comparison.ratio),
        )
        for one in pair
    ]
    yield from table(*rows, heads=heads, figures=3)
    yield from listed(dict.fromkeys(said for one in pair for said in words.told(one.comparison, one.context)))
