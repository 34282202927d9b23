"""Reports on paper: HTML laid out on A4 pages by Qt, as a PDF; SVG pictures become high-resolution pixels.

Qt's rich text supports little of CSS (https://doc.qt.io/qt-6/richtext-html-subset.html), so paper has its own style.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from html import unescape

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QPointF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from raidwright.colours import LIGHT
from raidwright.text.catalogue import tr

from . import theme

_MARGIN_MM, _FOOT_MM = 16.0, 9.0
_DOTS_PER_INCH = 600
_CSS_DOTS_PER_INCH = 96  # Qt's size of an HTML pixel, as a fraction of an inch
_BODY_POINTS = 9.0
_PICTURE_SCALE = 3  # pixels of a picture per SVG pixel: 288 per inch
_TITLE = re.compile("<title>(.*?)</title>", re.DOTALL)
_SCREEN_STYLE = re.compile("<style>.*?</style>", re.DOTALL)
_SVG = re.compile(r"<svg .*?</svg>", re.DOTALL)
_STYLE = f"""
body, td, th, li, p {{ color: {LIGHT.text} }}
h1 {{ font-size: 17pt; font-weight: 600; margin: 0 0 2px 0 }}
h2 {{ font-size: 11.5pt; font-weight: 600; margin: 16px 0 5px 0 }}
p {{ margin: 0 0 5px 0 }}
table {{ margin: 0 0 6px 0 }}
ul {{ margin: 0; -qt-list-indent: 1 }}
li {{ margin: 0 0 2px 0 }}
th {{ color: {LIGHT.dim}; font-weight: 400; text-align: left; padding: 2px 14px 2px 0;
      border-bottom: 1px solid {LIGHT.dim} }}
td {{ padding: 2px 14px 2px 0; border-bottom: 1px solid {LIGHT.line}; vertical-align: top }}
.figures td {{ border: none; padding: 8px 30px 4px 0 }}
.figure {{ font-size: 17pt; font-weight: 600 }}
.dim {{ color: {LIGHT.dim} }}
pre {{ background-color: {LIGHT.sunken}; white-space: pre-wrap; font-size: 8.5pt }}
.danger b {{ color: {LIGHT.red} }}
.warning b {{ color: {LIGHT.amber} }}
"""


def pdf_of(page: str) -> bytes:
    """Return the PDF of a ``page`` of HTML, with the title and the page number in each footer. Needs no screen."""
    app = QApplication.instance() or _without_screen()
    found = _TITLE.search(page)
    title = unescape(found[1]) if found else ""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DOTS_PER_INCH)
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM - _FOOT_MM / 2)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(margins, QPageLayout.Unit.Millimeter)
    writer.setTitle(title)
    writer.setCreator("Raidwright")
    _paint(document_of(page, writer), writer, title)
    buffer.close()
    del app  # fonts are unavailable without it
    return bytes(content.data())


def _without_screen() -> QApplication:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = QApplication(sys.argv[:1])
    theme.install(app)
    return app


def document_of(page: str, writer: QPdfWriter) -> QTextDocument:
    """Return ``page`` laid out for ``writer``'s pages, without headings alone at the foot of one."""
    document = QTextDocument()
    face = QFont(theme.font(_BODY_POINTS))
    face.setPointSizeF(_BODY_POINTS)
    face.setHintingPreference(QFont.HintingPreference.PreferNoHinting)  # no screen pixels here
    document.setDefaultFont(face)
    document.setDefaultStyleSheet(_STYLE)
    document.setDocumentMargin(0)
    document.documentLayout().setPaintDevice(writer)
    room = _room(writer)
    document.setPageSize(room)
    document.setHtml(
        _with_pictures(_SCREEN_STYLE.sub("", page), document, room.width() * _CSS_DOTS_PER_INCH / _DOTS_PER_INCH)
    )
    _keep_headings_with_what_follows(document)
    return document


def _room(writer: QPdfWriter) -> QSizeF:
    """Return the text area of a page, without its footer."""
    return QSizeF(writer.width(), writer.height() - _FOOT_MM / 25.4 * _DOTS_PER_INCH)


def _with_pictures(page: str, document: QTextDocument, most_wide: float) -> str:
    """Return ``page`` with each SVG as a picture of ``document``, no wider than the page (in CSS pixels)."""

    def picture(found: re.Match[str]) -> str:
        drawing = QSvgRenderer(QByteArray(found[0].encode()))
        size = QSizeF(drawing.defaultSize())
        image = QImage((size * _PICTURE_SCALE).toSize(), QImage.Format.Format_RGB32)
        image.fill(QColor(LIGHT.panel))
        painter = QPainter(image)
        drawing.render(painter)
        painter.end()
        name = f"picture:{found.start()}"
        document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
        return f'<img src="{name}" width="{int(min(size.width(), most_wide))}">'

    return _SVG.sub(picture, page)


def _keep_headings_with_what_follows(document: QTextDocument) -> None:
    for heading in filter(_is_heading, _blocks(document)):
        if _page(document, heading) != _page(document, heading.next()):
            shape = heading.blockFormat()
            shape.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
            QTextCursor(heading).setBlockFormat(shape)
            document.markContentsDirty(0, document.characterCount())


def _is_heading(block: QTextBlock) -> bool:
    return block.blockFormat().headingLevel() > 1


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _page(document: QTextDocument, block: QTextBlock) -> int:
    """Return the page of the block's first line; a block begins earlier if that line was moved to the next page."""
    line = block.layout().lineAt(0)
    top = document.documentLayout().blockBoundingRect(block).top() + (line.y() if line.isValid() else 0)
    return int(top // document.pageSize().height())


def _paint(document: QTextDocument, writer: QPdfWriter, title: str) -> None:
    room, pages = document.pageSize(), document.pageCount()
    foot = QRectF(0, room.height(), room.width(), writer.height() - room.height())
    painter = QPainter(writer)
    for page in range(pages):
        if page:
            writer.newPage()
        top = QPointF(0, page * room.height())
        painter.save()
        painter.translate(-top)
        document.drawContents(painter, QRectF(top, room))
        painter.restore()
        painter.setFont(theme.font(8.0))
        painter.setPen(QColor(LIGHT.dim))
        number = tr("page {page} of {pages}", page=page + 1, pages=pages)
        for words, side in ((title, Qt.AlignmentFlag.AlignLeft), (number, Qt.AlignmentFlag.AlignRight)):
            painter.drawText(foot, int(side | Qt.AlignmentFlag.AlignBottom), words)
    painter.end()
