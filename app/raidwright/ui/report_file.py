"""A report as a file: a page of HTML, or the same on paper."""

from __future__ import annotations

from pathlib import Path

from raidwright.export.html_report import HtmlReport, as_html
from raidwright.runs.files import write_file


def save_report(path: Path, report: HtmlReport) -> None:
    """Write the report: a PDF for that suffix, else HTML; raises InputError if that fails."""
    page = as_html(report)
    if path.suffix.lower() != ".pdf":
        write_file(path, page, "file")
        return
    from .printing import pdf_of  # noqa: PLC0415 -- at the first one

    write_file(path, pdf_of(page), "file")
