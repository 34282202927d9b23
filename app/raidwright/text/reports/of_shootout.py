"""A shoot-out as a report: a table per state, as bars, with the predictions marked."""

from __future__ import annotations

from raidwright.export.html_report import HtmlBar, HtmlBars, HtmlReport, Section
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState
from raidwright.suites import SuiteWorkload
from raidwright.text.catalogue import tr, translated
from raidwright.text.run.measurements import workload as workload_name
from raidwright.text.run.shootout import (
    STATES,
    all_remarks,
    cells,
    contestant_name,
    how_measured,
    legend,
    times,
)
from raidwright.text.run.verdict import reasons, verdict


def report_of(findings: Findings, slice_bytes: int) -> HtmlReport:
    """Return the whole report, for ``as_html``."""
    return HtmlReport(
        tr("A shoot-out of {count} arrays", count=len(findings.contest.contestants) - 1),
        verdict(findings),
        tuple(_section(findings, state) for state in findings.contest.states),
        (
            legend(),
            tr("In the bars: the dashed line is one disk alone; a mark is what was predicted."),
            how_measured(findings, slice_bytes),
            *(reasons(findings, findings.winner) if findings.winner is not None else ()),
            *all_remarks(findings),
        ),
    )


def _section(findings: Findings, state: ArrayState) -> Section:
    workloads = findings.contest.suite.workloads
    rows = (
        (contestant_name(contestant), *row)
        for place, contestant in enumerate(findings.contest.contestants)
        if (row := cells(findings, place, state))
    )
    charts = tuple(_chart(findings, state, workload) for workload in workloads)
    return Section(
        translated(STATES[state]), ("", *(workload_name(str(one)) for one in workloads)), tuple(rows), charts
    )


def _chart(findings: Findings, state: ArrayState, workload: SuiteWorkload) -> HtmlBars:
    """Return the bars of a workload, in multiples of one disk."""
    bars, disk = [], findings.of(0, ArrayState.HEALTHY, workload)
    for place, contestant in enumerate(findings.contest.contestants):
        one = findings.of(place, state, workload)
        if one is not None and (value := findings.times_alone(one)) is not None:
            mark = one.predicted.mb_s / disk.predicted.mb_s if one.predicted and disk and disk.predicted else None
            bars.append(HtmlBar(contestant_name(contestant), value, times(value), mark))
    return HtmlBars(workload_name(str(workload)), tuple(bars), 1.0)
