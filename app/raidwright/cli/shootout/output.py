"""A shoot-out's findings, as tables and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from raidwright.core.model.plan_json import dump_plan
from raidwright.core.system.file_acts import FileAct
from raidwright.operations.shootout.results import Figure, Findings
from raidwright.runs.run import ArrayState
from raidwright.text.catalogue import tr, translated, with_commas
from raidwright.text.curves.member_curves import has_curves
from raidwright.text.curves.members import Overlay, member_words
from raidwright.text.run.measurements import workload as workload_name
from raidwright.text.run.shootout import (
    STATES,
    all_remarks,
    cells,
    contestant_name,
    how_measured,
    legend,
    unit,
)
from raidwright.text.run.verdict import reasons, verdict
from raidwright.text.turned import TurnedTable, turned

_PIPE_COLUMNS = 240
_DIGITS = 5


def print_findings(findings: Findings, slice_bytes: int) -> None:
    """Print a table per state, the figures' remarks, and the winner."""
    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)
    for state in findings.contest.states:
        console.print(translated(STATES[state]), style="bold")
        console.print(_table(findings, state))
    if (side_by_side := turned(findings)) is not None:
        console.print(tr("Side by side"), style="bold")
        console.print(_turned(side_by_side))
    if not findings.is_at_memory_speed:
        console.print(legend())
    console.print(how_measured(findings, slice_bytes), soft_wrap=True)
    for line in all_remarks(findings):
        console.print(line, soft_wrap=True)
    console.print(verdict(findings), style="bold", soft_wrap=True)
    for line in reasons(findings, findings.winner) if findings.winner is not None else ():
        console.print(line, soft_wrap=True)


def print_curves(findings: Findings, overlay: Overlay | None = None) -> None:
    """Print what more disks bring, where layouts take part with several numbers of disks."""
    if not has_curves(findings):
        return
    console = Console(highlight=False, markup=False, emoji=False)
    for workload in findings.contest.suite.workloads:
        said = list(member_words(findings, workload, overlay))
        if said:
            console.print(tr("{workload}, over the number of disks:", workload=workload_name(str(workload))))
        for line in said:
            console.print(f"  {line}", soft_wrap=True)


def _table(findings: Findings, state: ArrayState) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for workload in findings.contest.suite.workloads:
        name = workload_name(str(workload))
        heading = name if isinstance(workload, FileAct) else with_commas(name, unit(workload))  # an act's name has it
        table.add_column(heading, justify="right")
    for place, contestant in enumerate(findings.contest.contestants):
        if row := cells(findings, place, state):
            table.add_row(contestant_name(contestant), *row)
    return table


def _turned(found: TurnedTable) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for heading in (found.first, found.second, tr("Second in % of the first")):
        table.add_column(heading, justify="right")
    for row in found.rows:
        table.add_row(*row)
    return table


def as_json(findings: Findings, slice_bytes: int) -> dict[str, object]:
    """Return all findings, in plain values; rates in MB/s."""
    contest = findings.contest
    return {
        "slice_bytes": slice_bytes,
        "suite": str(contest.suite),
        "seconds": contest.seconds,
        "contestants": list(_contestants(findings)),
        "board": [{"contestant": place, "score": _rounded(score)} for place, score in findings.board],
        "winner": findings.winner,
        "verdict": verdict(findings),
        "aligned_against_not": [
            {"contestant": place, "workload": str(workload), **asdict(comparison)}
            for place, workload, comparison in findings.aligned_against_not
        ],
    }


def _contestants(findings: Findings) -> Iterator[dict[str, object]]:
    for place, one in enumerate(findings.contest.contestants):
        yield {
            "name": contestant_name(one),
            "is_one_disk": one.is_alone,
            "is_volume": one.is_volume,
            "file_system": one.setup and {"kind": str(one.setup.kind), "aligned": one.setup.aligned},
            "plan": dump_plan(one.wanted),
            "region_mib": one.region_mib,
            "figures": [_figure(figure, findings) for figure in findings.figures if figure.contestant == place],
        }


def _figure(figure: Figure, findings: Findings) -> dict[str, object]:
    said, ratio = figure.predicted, findings.times_alone(figure)
    return {
        "state": str(figure.state),
        "workload": str(figure.workload),
        "mb_s": _rounded(figure.mb_s),
        "iops": _rounded(figure.iops),
        "spread": _rounded(figure.spread),
        "runs_mb_s": [_rounded(one.mb_s) for one in figure.results],
        "times_one_disk": None if ratio is None else _rounded(ratio),
        "predicted": None if said is None else {
            "mb_s": _rounded(said.mb_s), "low_mb_s": _rounded(said.low_mb_s), "high_mb_s": _rounded(said.high_mb_s),
        },
        "commands": list(dict.fromkeys(one.command for one in figure.results)),
        "remarks": list(figure.remarks),
    }  # fmt: skip


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
