"""A report on paper: nothing exceeds a page's edge, and no heading is separated from its content."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QPdfWriter, QTextBlock, QTextDocument
from raidwright.core.model.plan import Plan
from raidwright.text.reports.of_plan import report
from raidwright.ui import printing

from tests.kit import sample
from tests.unit.making_plans import equal, grouped

pytestmark = pytest.mark.usefixtures("qapp")

PLANS = {
    "small": replace(equal("raid1", 2), name="tank"),
    "wide": replace(equal("raid6", 24), name="tank"),
    "nested": replace(grouped("raid0", "raid1", 2, 6), name="tank"),
}


def _document(name: str, tmp_path: Path) -> QTextDocument:
    writer = QPdfWriter(str(tmp_path / "page.pdf"))
    writer.setResolution(600)
    document = printing.document_of(report(Plan(PLANS[name]), sample.repeats()), writer)
    document.setProperty("writer", writer)  # the document uses it, so it must live as long
    return document


def _lines_end(document: QTextDocument, block: QTextBlock) -> QSizeF:
    """Return the right and lower ends of a block's lines."""
    layout, at = block.layout(), document.documentLayout().blockBoundingRect(block).topLeft()
    ends = [layout.lineAt(place).naturalTextRect().translated(at) for place in range(layout.lineCount())]
    return QSizeF(max((end.right() for end in ends), default=0), max((end.bottom() for end in ends), default=0))


@pytest.mark.parametrize("name", PLANS)
def test_all_stands_on_the_pages(name: str, tmp_path: Path) -> None:
    document = _document(name, tmp_path)
    size, pages = document.pageSize(), document.pageCount()
    assert pages >= 2
    for block in printing._blocks(document):
        end = _lines_end(document, block)
        assert end.width() <= size.width() + 1, block.text()
        assert end.height() <= pages * size.height(), block.text()


@pytest.mark.parametrize("name", PLANS)
def test_headings_stand_by_what_they_are_of(name: str, tmp_path: Path) -> None:
    document = _document(name, tmp_path)
    headings = [block for block in printing._blocks(document) if printing._is_heading(block)]
    assert len(headings) >= 10
    for heading in headings:
        assert printing._page(document, heading) == printing._page(document, heading.next()), heading.text()


def test_it_says_what_the_page_says(tmp_path: Path) -> None:
    words = _document("small", tmp_path).toPlainText()
    for said in ("The array “tank”", "How likely a loss is", "PERT", "No difference beyond noise", "mdadm --create"):
        assert said in words
    assert "<" not in words
    assert words.count("\N{OBJECT REPLACEMENT CHARACTER}") == 1  # the stage


def test_the_file_has_each_page() -> None:
    made = printing.pdf_of(report(Plan(PLANS["wide"])))
    assert made.startswith(b"%PDF-")
    assert made.rstrip().endswith(b"%%EOF")
    assert made.count(b"/Type /Page\n") >= 3
