"""Line charts in a report: the drawing with its sentences, and the table of the same figures."""

from __future__ import annotations

from raidwright.export.html_report import HtmlPicture, Section
from raidwright.operations.shootout.results import Findings
from raidwright.suites import SuiteWorkload
from raidwright.text.catalogue import tr
from raidwright.text.curves.chart import LineChart
from raidwright.text.curves.drawing import svg_of_chart
from raidwright.text.curves.member_curves import has_curves
from raidwright.text.curves.members import Overlay, member_chart, member_words
from raidwright.text.run.measurements import figure
from raidwright.text.run.measurements import workload as workload_name


def member_sections(findings: Findings, overlay: Overlay | None = None) -> tuple[Section, ...]:
    """Return a section for each workload whose speed was measured over the number of disks."""
    if not has_curves(findings):
        return ()
    sections = (_members(findings, workload, overlay) for workload in findings.contest.suite.workloads)
    return tuple(one for one in sections if one is not None)


def _members(findings: Findings, workload: SuiteWorkload, overlay: Overlay | None) -> Section | None:
    chart = member_chart(findings, workload, overlay)
    if not chart.lines:
        return None
    name = workload_name(str(workload))
    heading = tr("Over the number of disks: {workload}", workload=name)
    return chart_section(heading, chart, tuple(member_words(findings, workload, overlay)))


def chart_section(heading: str, chart: LineChart, said: tuple[str, ...]) -> Section:
    """Return ``chart`` as a section: the table has a row for each line, and a column for each place of the axis."""
    rows = []
    for line in chart.lines:
        found = {point.x: figure(point.y) for point in line.points}
        rows.append((line.name, *(found.get(place, "–") for place, _ in chart.ticks)))
    title = tr("{unit} over {axis}", unit=chart.unit, axis=chart.axis)
    columns = (title, *(words for _, words in chart.ticks))
    return Section(heading, columns, tuple(rows), (HtmlPicture(title, svg_of_chart(chart, inline=True)),), said)
