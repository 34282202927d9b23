"""``raidwright runs``: list, show, export, import and remove stored runs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from raidwright.core.errors import InputError
from raidwright.runs.files import write_file
from raidwright.runs.fio_json import run_as_fio
from raidwright.runs.imports.files import runs_in
from raidwright.runs.run import BegunRun, Run
from raidwright.runs.run_json import run_as_json
from raidwright.runs.selection import meant_runs
from raidwright.runs.store import Runs
from raidwright.runs.table import runs_as_csv, samples_as_csv
from raidwright.text.catalogue import ntr, tr
from raidwright.text.run import measurements as words

from .pictures import PICTURES, save_picture

_Kept = TypeVar("_Kept", bound=BegunRun)
_PIPE_COLUMNS = 240
_TO_STDOUT = "-"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("runs", help=tr("list, show, export, import and remove the runs that are kept"))
    parser.set_defaults(act=_list, json=False, series=None)
    acts = parser.add_subparsers(metavar="ACT")
    listing = acts.add_parser("list", help=tr("every run, the newest first (also what happens without an act)"))
    listing.add_argument("--series", metavar="ID", help=tr("only those of a series"))
    showing = acts.add_parser("show", help=tr("all that is known of runs"))
    exporting = acts.add_parser("export", help=tr("write runs for other programs, or a picture of them"))
    importing = acts.add_parser(
        "import", help=tr("take over fio's JSON, bonnie++'s CSV, IOzone's table, or runs exported as JSON")
    )
    removing = acts.add_parser("remove", help=tr("forget runs"))
    noting = acts.add_parser("note", help=tr("keep a few words with a run"))
    noting.add_argument("runs", metavar="RUN", nargs=1, help=tr("a run's id, how it begins or ends"))
    noting.add_argument("text", metavar="TEXT", help=tr("in place of what stands there"))
    for one in (showing, exporting, removing):
        one.add_argument("runs", metavar="RUN", nargs="+", help=tr("a run's id, how it begins or ends, or a series'"))
    exporting.add_argument(
        "--as", dest="form", choices=(*_TEXTS, *PICTURES), default="csv", help=tr("%(default)s, unless told otherwise")
    )
    exporting.add_argument(
        "-o", "--output", metavar="FILE", default=_TO_STDOUT, help=tr("where to (default: standard output)")
    )
    importing.add_argument("files", metavar="FILE", nargs="+", type=Path, help=tr("what a benchmark printed"))
    for one, act in (
        (listing, _list),
        (showing, _show),
        (exporting, _export),
        (importing, _import),
        (removing, _remove),
        (noting, _note),
    ):
        one.set_defaults(act=act)
    for one in (parser, listing, showing, importing, removing):
        one.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=tr("print JSON"))


def run(options: argparse.Namespace) -> int:
    options.act(options, Runs())
    return 0


def _list(options: argparse.Namespace, store: Runs) -> None:
    runs, unfinished = store.all(), store.unfinished()
    if options.series is not None:
        runs, unfinished = _of_series(runs, options.series), _of_series(unfinished, options.series)
    if options.json:
        print(json.dumps([_listed(one) for one in (*unfinished, *runs)], indent=2, ensure_ascii=False))
        return
    if not runs and not unfinished:
        print(tr("Nothing has been measured yet."))
        return
    _print_table(runs)
    for one in unfinished:
        print(tr("{id} has not ended: it runs now, or the program ended in the middle.", id=one.id))


def _of_series(runs: Sequence[_Kept], text: str) -> tuple[_Kept, ...]:
    return tuple(run for run in runs if run.series is not None and run.series.id.startswith(text))


def _listed(run: BegunRun) -> dict[str, object]:
    """Return the run without the long parts: the samples, and fio's output."""
    return {name: value for name, value in run_as_json(run).items() if name not in ("samples", "fio_json")}


def _print_table(runs: Sequence[Run]) -> None:
    table = Table(box=None, pad_edge=False)
    for title in (tr("Run"), tr("When"), tr("What"), tr("Workload"), tr("State")):
        table.add_column(title)
    for title in (tr("MB/s"), tr("IOPS"), tr("ms")):
        table.add_column(title, justify="right")
    for run in runs:
        result = run.result
        figures = (words.figure(figure) for figure in (result.mb_s or None, result.iops, result.latency_ms))
        what = (words.when(run.started), words.subject(run), words.short(run.workload), words.state(run))
        table.add_row(run.id, *what, *figures)
    width = None if sys.stdout.isatty() else _PIPE_COLUMNS
    Console(highlight=False, markup=False, emoji=False, width=width).print(table)


def _show(options: argparse.Namespace, store: Runs) -> None:
    runs = [store.get(run.id) for run in meant_runs(options.runs, store.all())]
    if options.json:
        print(json.dumps([run_as_json(run) for run in runs], indent=2, ensure_ascii=False))
        return
    for run in runs:
        _print_run(run)


def _print_run(run: Run) -> None:
    result = run.result
    print(run.id)
    figures = {
        tr("MB/s"): words.figure(result.mb_s or None),
        tr("IOPS"): words.figure(result.iops),
        tr("ms"): words.figure(result.latency_ms),
        tr("99 of 100 within, ms"): words.figure(result.latency_p99_ms),
    }
    told = {
        tr("When"): words.when(run.started),
        tr("Machine"): words.machine(run),
        tr("What"): words.subject(run),
        tr("Workload"): words.workload(run.workload),
        tr("State"): words.state(run),
        **figures,
        tr("Samples"): str(len(run.samples)),
        tr("Series"): run.series.id if run.series else "",
        tr("Note"): run.note,
        tr("Command"): result.command,
        **(run.context.get("surroundings") or {}),
    }
    for name, value in told.items():
        if value:
            print(f"    {name}: {value}")


def _export(options: argparse.Namespace, store: Runs) -> None:
    runs = [store.get(run.id) for run in meant_runs(options.runs, store.all())]
    if options.form in PICTURES:
        if options.output == _TO_STDOUT:
            raise InputError("A picture needs a file: -o FILE.{form}.", code="usage", form=options.form)
        save_picture(Path(options.output), runs)
        return
    text = _TEXTS[options.form](runs)
    if options.output == _TO_STDOUT:
        print(text, end="")
        return
    write_file(Path(options.output), text, "export-file")


def _as_json(runs: Sequence[Run]) -> str:
    return f"{json.dumps([run_as_json(run) for run in runs], indent=1, ensure_ascii=False)}\n"


def _as_fio(runs: Sequence[Run]) -> str:
    """Return one object per run, as fio prints them with ``--status-interval``."""
    return "".join(f"{json.dumps(run_as_fio(run), indent=2, ensure_ascii=False)}\n" for run in runs)


_TEXTS: dict[str, Callable[[Sequence[Run]], str]] = {
    "csv": runs_as_csv,
    "json": _as_json,
    "fio": _as_fio,
    "samples": samples_as_csv,
}


def _import(options: argparse.Namespace, store: Runs) -> None:
    runs = [run for path in options.files for run in runs_in(path)]
    known = {run.id for run in store.all()}
    store.add(runs)
    if options.json:
        print(json.dumps([_listed(run) for run in runs], indent=2, ensure_ascii=False))
        return
    _print_table(runs)
    new = len({run.id for run in runs} - known)
    print(ntr("{count} new run is kept.", "{count} new runs are kept.", new), file=sys.stderr)


def _note(options: argparse.Namespace, store: Runs) -> None:
    for run in meant_runs(options.runs, store.all()):
        store.note(run.id, options.text)


def _remove(options: argparse.Namespace, store: Runs) -> None:
    runs = meant_runs(options.runs, (*store.unfinished(), *store.all()))
    store.remove(run.id for run in runs)
    if options.json:
        print(json.dumps([run.id for run in runs]))
    else:
        print(ntr("{count} run is removed.", "{count} runs are removed.", len(runs)))
