"""The option ``--report``: a page of HTML, or the same on paper, and the runs that are laid over its curves."""

from __future__ import annotations

import argparse
from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.export.html_report import HtmlReport, as_html
from raidwright.operations.shootout.results import Findings
from raidwright.runs.files import write_file
from raidwright.runs.run_sets import RunSet, run_sets, set_of
from raidwright.runs.selection import meant_runs
from raidwright.runs.store import Runs
from raidwright.text.catalogue import tr
from raidwright.text.curves.members import Overlay

from .drawing import drawing


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--report`` and ``--over``."""
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help=tr("write all of it there as a page of HTML, or as FILE.pdf")
    )
    parser.add_argument(
        "--over",
        metavar="RUNS",
        help=tr("lay a kept shoot-out over the curves by number of disks, as of another kernel"),
    )


def check_over(options: argparse.Namespace) -> None:
    """Raise InputError for ``--over`` runs that don't exist, before anything is measured."""
    if options.over:
        _over(options.over)


def overlay_of(options: argparse.Namespace, findings: Findings) -> Overlay | None:
    """Return the kept runs in ``options``, to be laid over ``findings``; None for none."""
    if not options.over:
        return None
    now = next((one for one in run_sets(Runs().all()) if one.id == findings.series), None)
    return Overlay(_over(options.over), now)


def _over(text: str) -> RunSet:
    found = set_of(meant_runs([text], Runs().all()))
    if not found.has_several_counts:
        raise InputError(
            "The runs {id} are of no layout with several numbers of disks, so there is no curve in them.",
            code="over",
            id=text,
        )
    return found


def write_report(path: Path, report: HtmlReport) -> None:
    """Write the report: a PDF for that suffix, else HTML."""
    page = as_html(report)
    content = drawing("raidwright.ui.printing").pdf_of(page) if path.suffix.lower() == ".pdf" else page
    write_file(path, content, "file")
