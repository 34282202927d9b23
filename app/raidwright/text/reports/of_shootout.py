"""A shoot-out as a report: a table per state, as bars, with the predictions marked."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.export.html_report import HtmlBar, HtmlBars, HtmlReport, Section
from raidwright.operations.shootout.results import Figure, Findings
from raidwright.runs.run import ArrayState
from raidwright.suites import SuiteWorkload
from raidwright.text.catalogue import tr, translated, with_commas
from raidwright.text.curves.drawing import page_style
from raidwright.text.curves.members import Overlay
from raidwright.text.run.measurements import short
from raidwright.text.run.measurements import workload as workload_name
from raidwright.text.run.shootout import (
    STATES,
    all_remarks,
    cells,
    contestant_name,
    how_measured,
    is_counted,
    legend,
    predicted_ratio,
    predicted_times,
    rate,
    times,
    unit,
)
from raidwright.text.run.verdict import reasons, verdict
from raidwright.text.turned import turned

from .curves import member_sections

_MAX_COLUMNS = 8  # of figures, on a page


def report_of(findings: Findings, slice_bytes: int, overlay: Overlay | None = None) -> HtmlReport:
    """Return the whole report, for ``as_html``; ``overlay`` is laid over the curves by number of disks."""
    return HtmlReport(
        tr("A shoot-out of {count} arrays", count=len(findings.contest.contestants) - 1),
        verdict(findings),
        (*member_sections(findings, overlay), *_turned(findings), *_sections(findings)),
        (
            legend(),
            tr("In the bars: the dashed line is one disk alone; a mark is what was predicted."),
            how_measured(findings, slice_bytes),
            *(reasons(findings, findings.winner) if findings.winner is not None else ()),
            *all_remarks(findings),
        ),
        page_style(),
    )


def _turned(findings: Findings) -> Iterator[Section]:
    """Yield two layouts side by side, with the ratio between them."""
    if (table := turned(findings)) is not None:
        columns = ("", table.first, table.second, tr("Second in % of the first"))
        yield Section(tr("Side by side"), columns, tuple(map(tuple, table.rows)))


def _sections(findings: Findings) -> Iterator[Section]:
    """Yield the tables with their bars: degraded beside healthy in one table, where its columns fit on a page."""
    contest = findings.contest
    if len(contest.states) * len(contest.suite.workloads) > _MAX_COLUMNS:
        yield from (_section(findings, state) for state in contest.states)
        return
    kinds = [(state, workload) for state in contest.states for workload in contest.suite.workloads]
    heads = tuple(_head(state, workload, len(contest.states) > 1) for state, workload in kinds)
    for heading, cell in ((_rates_heading(findings), _rate), (tr("In multiples of one disk"), _times)):
        rows = []
        for place, contestant in enumerate(contest.contestants):
            found = [findings.of(place, state, workload) for state, workload in kinds]
            if any(found):
                cells = ("–" if one is None else cell(one, findings) for one in found)
                rows.append((contestant_name(contestant), *cells))
        is_rates = cell is _rate
        charts = () if is_rates else tuple(_chart(findings, *kind) for kind in kinds)
        if is_rates or not findings.is_at_memory_speed:
            yield Section(heading, ("", *heads), tuple(rows), charts)


def _rates_heading(findings: Findings) -> str:
    units = list(dict.fromkeys(map(unit, findings.contest.suite.workloads)))
    return units[0] if len(units) == 1 else tr("Rates")


def _head(state: ArrayState, workload: SuiteWorkload, has_states: bool) -> str:
    name = short(str(workload)) if not is_counted(workload) else with_commas(short(str(workload)), unit(workload))
    if not has_states or state is ArrayState.HEALTHY:
        return name
    return with_commas(name, translated(STATES[state]).lower())


def _rate(one: Figure, _findings: Findings) -> str:
    return rate(one)


def _times(one: Figure, findings: Findings) -> str:
    said = predicted_times(one, findings)
    found = times(findings.times_alone(one))
    return found if said == "–" else tr("{found} ({said})", found=found, said=said)


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
    """Return the bars of a workload in a state, in multiples of one disk."""
    bars = []
    for place, contestant in enumerate(findings.contest.contestants):
        one = findings.of(place, state, workload)
        if one is not None and (value := findings.times_alone(one)) is not None:
            mark = predicted_ratio(one, findings)
            bars.append(HtmlBar(contestant_name(contestant), value, times(value), mark))
    title = workload_name(str(workload))
    if state is not ArrayState.HEALTHY:
        title = with_commas(title, translated(STATES[state]).lower())
    return HtmlBars(title, tuple(bars), 1.0)
