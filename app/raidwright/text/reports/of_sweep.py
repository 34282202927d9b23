"""A sweep of a setting as a report: its chart, its table, and what it says."""

from __future__ import annotations

from raidwright.export.html_report import HtmlPicture, HtmlReport, Section
from raidwright.operations.sweep import Swept
from raidwright.text.catalogue import number, tr, translated
from raidwright.text.curves.drawing import page_style, svg_of_chart
from raidwright.text.curves.sweeps import sweep_chart, value_words
from raidwright.text.run.measurements import figure
from raidwright.text.run.measurements import workload as workload_name
from raidwright.text.run.shootout import times
from raidwright.text.run.sweeps import setting_words, swept_words


def report_of_sweep(swept: Swept, name: str) -> HtmlReport:
    """Return the whole report of a sweep of the array called ``name``, for ``as_html``."""
    chart = sweep_chart(swept.setting, swept.workload, swept.points, swept.alone, swept.before)
    before = next((one.mb_s for one in swept.points if one.value == swept.before and one.results), None)
    rows = []
    for one in swept.points:
        value = value_words(swept.setting, one.value)
        if not one.results:
            rows.append((value, translated(one.refused), "–", "–"))
            continue
        against = times(one.mb_s / before if before else None)
        rows.append((value, figure(one.mb_s), number(one.spread, ".0%"), against))
    section = Section(
        workload_name(swept.workload),
        (setting_words(swept.setting), tr("MB/s"), tr("Spread"), tr("Against before")),
        tuple(rows),
        (HtmlPicture(tr("{unit} over {axis}", unit=chart.unit, axis=chart.axis), svg_of_chart(chart, inline=True)),),
    )
    title = tr("{setting}: a sweep of {name}", setting=setting_words(swept.setting), name=name)
    notes = (tr("The shade is the range of the repeats; one disk was measured alone, once a round."),)
    return HtmlReport(title, swept_words(swept), (section,), notes if swept.alone else (), page_style())
