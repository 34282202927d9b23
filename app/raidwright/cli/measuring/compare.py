"""``raidwright compare``: stored runs compared with others, or with their predictions."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from raidwright.runs.comparing import AgainstPrediction, Compared, against_prediction, matched, mean_rate
from raidwright.runs.run import Run
from raidwright.runs.selection import meant_runs
from raidwright.runs.store import Runs
from raidwright.text.catalogue import ntr, tr
from raidwright.text.run import comparisons as words
from raidwright.text.run.measurements import figure, region, short, state

from .pictures import save_picture

PREDICTED = "predicted"
_PIPE_COLUMNS = 240


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "compare", help=tr("hold runs against others: which is faster, and is it beyond noise?")
    )
    parser.add_argument(
        "first",
        metavar="RUN",
        nargs="+",
        help=tr("a run's id, how it begins or ends, or a series'; repeats are taken together"),
    )
    parser.add_argument(
        "--with", dest="second", metavar="RUN", nargs="+", required=True,
        help=tr("the runs that these are held against, or “predicted”"),
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help=tr("save the picture, too: FILE.svg or FILE.png")
    )
    parser.add_argument("--json", action="store_true", help=tr("print JSON instead of a table"))


def run(options: argparse.Namespace) -> int:
    store = Runs()
    kept = store.all()
    first = _whole(store, meant_runs(options.first, kept))
    if options.second == [PREDICTED]:
        found = against_prediction(first)
        _print_predicted(found, first, as_json=options.json)
        if options.output is not None and found:
            save_picture(options.output, found)
        return 0
    compared = matched(first, _whole(store, meant_runs(options.second, kept)))
    if options.output is not None:
        save_picture(options.output, compared)
    if options.json:
        print(json.dumps([as_json(one) for one in compared], indent=2, ensure_ascii=False))
    else:
        _print(compared)
    return 0


def _whole(store: Runs, runs: Sequence[Run]) -> list[Run]:
    return [store.get(run.id) for run in runs]


def as_json(compared: Compared) -> dict[str, Any]:
    """Return a comparison as plain values."""
    return {
        "workload": compared.workload,
        "first": _side(compared.first),
        "second": _side(compared.second),
        **asdict(compared.comparison),
        "compares": compared.context.compares,
        **asdict(compared.context),
    }


def _side(runs: Sequence[Run]) -> dict[str, Any]:
    return {
        "runs": [run.id for run in runs],
        "state": runs[0].state,
        "mean": round(mean_rate(runs), 3),
        "mb_s": [run.result.mb_s for run in runs],
    }


def _print(compared: Sequence[Compared]) -> None:
    table = Table(box=None, pad_edge=False)
    for title in (tr("Workload"), tr("First"), tr("Second"), tr("Ratio"), tr("From"), tr("to")):
        table.add_column(title, justify="left" if title == tr("Workload") else "right")
    table.add_column("")
    for one in compared:
        table.add_row(
            _title(one),
            *(figure(mean_rate(side)) for side in (one.first, one.second)),
            *(words.factor(ratio) for ratio in (one.comparison.ratio, one.comparison.low, one.comparison.high)),
            words.verdict_on(one.comparison, one.context),
        )
    console = _console()
    console.print(table)
    for sentence in dict.fromkeys(said for one in compared for said in words.told(one.comparison, one.context)):
        console.print(sentence, soft_wrap=True)


def _title(compared: Compared) -> str:
    size = region(compared.first[0]) if compared.is_of_region else ""
    return " ".join(filter(None, (short(compared.workload), size, state(compared.first[0]))))


def _print_predicted(found: Sequence[AgainstPrediction], runs: Sequence[Run], *, as_json: bool) -> None:
    told = {run.id for one in found for run in one.runs}
    if left := [run.id for run in runs if run.id not in told]:
        sentence = ntr(
            "Nothing is predicted for {runs:and}: no plan is known of it.",
            "Nothing is predicted for {runs:and}: no plan is known of them.",
            len(left),
            runs=left,
        )
        print(sentence, file=sys.stderr)
    if as_json:
        print(json.dumps([_predicted_as_json(one) for one in found], indent=2, ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False)
    for title in (tr("Workload"), tr("Measured"), tr("Predicted"), tr("From"), tr("to"), tr("Ratio")):
        table.add_column(title, justify="left" if title == tr("Workload") else "right")
    table.add_column("")
    for each in found:
        prediction = each.prediction
        rates = (mean_rate(each.runs), prediction.mb_s, prediction.low_mb_s, prediction.high_mb_s)
        said = words.beside_prediction(each)
        table.add_row(short(each.workload), *map(figure, rates), words.factor(each.ratio), said)
    if found:
        _console().print(table)


def _predicted_as_json(one: AgainstPrediction) -> dict[str, Any]:
    prediction = one.prediction
    return {
        "workload": one.workload,
        "measured": _side(one.runs),
        "predicted": {name: getattr(prediction, name) for name in ("mb_s", "low_mb_s", "high_mb_s")},
        "ratio": one.ratio,
        "is_inside": one.is_inside,
        "is_disturbed": one.is_disturbed,
        "assumes": list(prediction.assumes),
    }


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)
