"""A document's view: Markdown laid out by Qt, in the program's style, with its pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QEvent, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QBrush,
    QColor,
    QDesktopServices,
    QImage,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser, QWidget

from raidwright.colours import Tokens
from raidwright.resources import document
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for

from .documents import DOCUMENTS, Link, anchor_of, in_language, link_from, source_of

_PICTURE = "\N{OBJECT REPLACEMENT CHARACTER}"
_PICTURE_WIDTH = 720
_MARGIN = 28
_LINE_HEIGHT = 125  # per cent
_ABOVE_HEADINGS = 18


class Page(QTextBrowser):
    """A document's page. ``followed(Link)`` carries a clicked link to another document, or to an anchor in this one."""

    followed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("help-page")
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._follow)
        self._shown = Link()

    def show_document(self, link: Link) -> None:
        """Show the target document of ``link``, at its anchor."""
        if link.document != self._shown.document:
            self._shown = link
            self._lay_out()
        self._shown = link
        self._go_to(link.anchor)

    def _lay_out(self) -> None:
        self.document().clear()  # also clears cached pictures
        self.document().setDefaultFont(font(tokens.TYPE_BODY))
        self.document().setDocumentMargin(_MARGIN)
        self.setMarkdown(document(in_language(self._shown.document)).read_text(encoding="utf-8"))
        dress(self.document(), tokens_for(self.palette()))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _go_to(self, anchor: str) -> None:
        found = (block for block in blocks(self.document()) if anchor and is_heading(block))
        heading = next((block for block in found if anchor_of(block.text()) == anchor), None)
        top = 0.0 if heading is None else self.document().documentLayout().blockBoundingRect(heading).top()
        self.verticalScrollBar().setValue(int(top))

    @Slot(QUrl)
    def _follow(self, url: QUrl) -> None:
        link = link_from(in_language(self._shown.document), url.toString())
        link = link._replace(document=source_of(link.document))
        if link.document in DOCUMENTS:
            self.followed.emit(link)
        else:  # the desktop opens external addresses and example files
            QDesktopServices.openUrl(url if link.address else QUrl.fromLocalFile(str(document(link.document))))

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Qt: load a picture from the document's folder, no wider than the text."""
        href = name.toString() if isinstance(name, QUrl) else name
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return None
        picture = QImage(str(document(link_from(in_language(self._shown.document), href).document)))
        ratio = self.devicePixelRatioF()
        if picture.width() > _PICTURE_WIDTH:
            picture = picture.scaledToWidth(int(_PICTURE_WIDTH * ratio), Qt.TransformationMode.SmoothTransformation)
            picture.setDevicePixelRatio(ratio)
        return picture

    def changeEvent(self, event: QEvent) -> None:
        """Qt: restyle the document after a change of scheme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_shown") and self._shown.document:
            at = self.verticalScrollBar().value()
            self._lay_out()
            self.verticalScrollBar().setValue(at)


def blocks(text: QTextDocument) -> Iterator[QTextBlock]:
    """Yield all blocks, including those in tables."""
    block = text.begin()
    while block.isValid():
        yield block
        block = block.next()


def is_heading(block: QTextBlock) -> bool:
    """Return True if the block is a heading of any level."""
    return block.blockFormat().headingLevel() > 0


def dress(text: QTextDocument, scheme: Tokens) -> None:
    """Format commands with a background, tables with lines, and text with line spacing."""
    whole = QTextCursor(text)
    whole.beginEditBlock()  # or each block would lay the document out anew
    for table in text.rootFrame().childFrames():
        if isinstance(table, QTextTable):
            _dress_table(table, scheme)
    for block in blocks(text):
        shape = QTextBlockFormat()
        if block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence.value):
            shape.setBackground(QColor(scheme.sunken))
        elif _PICTURE not in block.text():  # a picture is a line as well
            shape.setLineHeight(_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if is_heading(block) and block.blockNumber():
            shape.setTopMargin(_ABOVE_HEADINGS)
        QTextCursor(block).mergeBlockFormat(shape)
    whole.endEditBlock()


def _dress_table(table: QTextTable, scheme: Tokens) -> None:
    shape = table.format()
    shape.setBorderCollapse(True)
    shape.setBorder(1)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderBrush(QBrush(QColor(scheme.line)))
    shape.setCellPadding(tokens.SPACE_S)
    shape.setTopMargin(tokens.SPACE_S)
    shape.setBottomMargin(tokens.SPACE_M)
    shape.setWidth(QTextLength())
    table.setFormat(shape)
