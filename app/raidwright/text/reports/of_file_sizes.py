"""Rate over the size of a file as a report: its chart, its table, and what it says."""

from __future__ import annotations

from raidwright.export.html_report import HtmlReport
from raidwright.operations.file_sizes import FileSizesFound
from raidwright.text.catalogue import tr
from raidwright.text.curves.drawing import page_style
from raidwright.text.curves.file_sizes import size_chart, size_words

from .curves import chart_section


def report_of_sizes(found: FileSizesFound, name: str) -> HtmlReport:
    """Return the whole report of an array called ``name``, for ``as_html``."""
    chart = size_chart(found.setup, found.points)
    note = tr("Each size has a new file system. What is read from memory was read into it just before, uncounted.")
    title = tr("Files by size: {name}", name=name)
    return HtmlReport(title, size_words(found), (chart_section(chart.title, chart, ()),), (note,), page_style())
