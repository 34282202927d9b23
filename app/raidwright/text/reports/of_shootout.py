"""A shoot-out as a report: a table per state, as bars, with the predictions marked."""

from __future__ import annotations

from raidwright.export.html_report import HtmlBar, HtmlBars, HtmlReport, Section
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState
from raidwright.suites import SuiteWorkload
from raidwright.text.catalogue import tr, translated
from raidwright.text.curves.drawing import page_style
from raidwright.text.curves.members import Overlay
from raidwright.text.measurements import workload as workload_name
from raidwright.text.shootout import (
    STATES,
    all_remarks,
    cells,
    contestant_name,
    how_measured,
    legend,
    times,
)
from raidwright.text.shootout_verdict import reasons, verdict

from .curves import member_sections


def report_of(findings: Findings, slice_bytes: int, overlay: Overlay | None = None) -> HtmlReport:
    """Return the whole report, for ``as_html``; ``overlay`` is laid over the curves by number of disks."""
    return HtmlReport(
        tr("A shoot-out of {count} arrays", count=len(findings.contest.contestants) - 1),
        verdict(findings),
        (*member_sections(findings, overlay), *(_section(findings, state) for state in findings.contest.states)),
        (
            legend(),
            tr("In the bars: the dashed line is one disk alone; a mark is what was predicted."),
            how_measured(findings, slice_bytes),
            *(reasons(findings, findings.winner) if findings.winner is not None else ()),
            *all_remarks(findings),
        ),
        page_style(),
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
