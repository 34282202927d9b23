"""Drawing of a comparison's rows, on the page and in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from raidwright.colours import STRIPES, Tokens, mix
from raidwright.runs.files import write_file
from raidwright.text.catalogue import ended, joined, tr, with_commas
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.tokens import SPACE_M, SPACE_S
from raidwright.ui.widgets.bars import AXIS_HEIGHT, paint_axis, paint_mark, paint_span
from raidwright.ui.widgets.picture_file import png_of, svg_of
from raidwright.ui.widgets.role import say_role

from .rows import BarLine, WorkloadRow

_TITLE, _TEXT, _BAR, _BAND = 22.0, 18.0, 8.0, 14.0  # heights in pixels
_BAND_SHARE = 0.3
_PREDICTED = 0.6  # opacity of a predicted bar, beside measured ones
_MIN_WIDTH = 1.5
_WIDTH, _MARGIN = 760, 20  # of a file


class BarsView(QWidget):
    """The view of ``rows`` at the available width, each on its own scale."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(tr("Comparison"))
        say_role(self, QAccessible.Role.Chart)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._rows: tuple[WorkloadRow, ...] = ()

    def show_rows(self, rows: Sequence[WorkloadRow]) -> None:
        """Show these rows."""
        self._rows = tuple(rows)
        self.setAccessibleDescription(joined(*map(said_aloud, self._rows)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Qt: the height of the rows."""
        return QSize(360, round(height_of(self._rows, self.width())))

    def minimumSizeHint(self) -> QSize:
        """Qt: the same height."""
        return QSize(240, self.sizeHint().height())

    def resizeEvent(self, event: object) -> None:
        """Qt: text wraps differently."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint all rows."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_rows(painter, self._rows, self.width(), tokens_for(self.palette()))


def said_aloud(row: WorkloadRow) -> str:
    """Return a row's content for screen readers."""
    figures = with_commas(*(f"{line.title}: {line.figure}" for line in row.lines))
    return joined(*map(ended, filter(None, (f"{row.title}: {figures}", row.verdict, row.warning))))


def height_of(rows: Sequence[WorkloadRow], width: float) -> float:
    """Return the height of all rows with their spacing."""
    return sum(_height(row, width) for row in rows) + SPACE_M * 2 * max(0, len(rows) - 1)


def _height(row: WorkloadRow, width: float) -> float:
    lines = len(row.lines) * (_TEXT + _BAND + SPACE_S)
    return _TITLE + lines + AXIS_HEIGHT + sum(_wrapped(text, width) for _role, text in _words(row))


def _words(row: WorkloadRow) -> list[tuple[str, str]]:
    told = [("text", _verdict(row)), ("warn", f"⚠ {row.warning}" if row.warning else "")]
    told += [("dim", remark) for remark in row.remarks]
    return [(role, text) for role, text in told if text]


def _verdict(row: WorkloadRow) -> str:
    return " · ".join(filter(None, (f"× {row.ratio}" if row.ratio else "", row.verdict)))


def _wrapped(text: str, width: float) -> float:
    metrics = QFontMetrics(font(tokens.TYPE_SMALL))
    room = QRectF(0, 0, max(80.0, width), 4000).toRect()
    return metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), text).height() + 3.0


def paint_rows(painter: QPainter, rows: Sequence[WorkloadRow], width: float, scheme: Tokens) -> None:
    """Paint the rows from the painter's origin down."""
    top = 0.0
    for row in rows:
        _text(painter, QRectF(0, top, width, _TITLE), row.title, scheme.text, QFont.Weight.DemiBold)
        below = top + _TITLE
        mark = width * row.lines[0].bar.likely / row.most
        for place, line in enumerate(row.lines):
            _paint_line(painter, (below, width, row.most), line, _colour(place, line, scheme), scheme)
            below += _TEXT + _BAND + SPACE_S
        for place in range(1, len(row.lines)):  # the first is the reference itself
            bar = top + _TITLE + place * (_TEXT + _BAND + SPACE_S) + _TEXT
            paint_mark(painter, mark, (bar, bar + _BAND), scheme)
        paint_axis(painter, (below, width, row.most), row.unit, scheme)
        below += AXIS_HEIGHT
        for role, words in _words(row):
            height = _wrapped(words, width)
            colour = {"text": scheme.text, "warn": scheme.amber, "dim": scheme.dim}[role]
            _text(painter, QRectF(0, below, width, height), words, colour, wrap=True)
            below += height
        top = below + 2 * SPACE_M


def _colour(place: int, line: BarLine, scheme: Tokens) -> str:
    """Return a colour of each measured bar, all of them told apart by colour-blind people; grey for a prediction."""
    if line.is_predicted:
        return mix(scheme.dim, scheme.panel, _PREDICTED)
    return STRIPES[place % len(STRIPES)]


def _paint_line(
    painter: QPainter, place: tuple[float, float, float], line: BarLine, colour: str, scheme: Tokens
) -> None:
    top, width, most = place
    _text(painter, QRectF(0, top, width, _TEXT), line.title, scheme.dim)
    _text(painter, QRectF(0, top, width, _TEXT), line.figure, scheme.text, side=Qt.AlignmentFlag.AlignRight)
    low, likely, high = (width * value / most for value in (line.bar.low, line.bar.likely, line.bar.high))
    top += _TEXT
    band = QRectF(low, top, max(_MIN_WIDTH, high - low), _BAND)
    paint_span(painter, band, mix(colour, scheme.panel, _BAND_SHARE))
    paint_span(painter, QRectF(0, top + (_BAND - _BAR) / 2, max(_MIN_WIDTH, likely), _BAR), colour)


def _text(
    painter: QPainter,
    room: QRectF,
    words: str,
    colour: str,
    weight: QFont.Weight = QFont.Weight.Normal,
    *,
    side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    wrap: bool = False,
) -> None:
    painter.setFont(font(tokens.TYPE_SMALL, weight))
    painter.setPen(QColor(colour))
    if wrap:
        painter.drawText(room, int(Qt.TextFlag.TextWordWrap | side | Qt.AlignmentFlag.AlignTop), words)
        return
    shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(room.width()))
    painter.drawText(room, int(side | Qt.AlignmentFlag.AlignVCenter), shown)


def save_rows(path: Path, rows: Sequence[WorkloadRow], title: str, scheme: Tokens) -> None:
    """Write the picture to ``path``: SVG for that suffix, else PNG; raise InputError if that fails."""
    size = QSize(_WIDTH + 2 * _MARGIN, round(height_of(rows, _WIDTH) + _TITLE + SPACE_M + 2 * _MARGIN))

    def draw(painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(scheme.panel))
        painter.translate(_MARGIN, _MARGIN)
        painter.setFont(font(tokens.TYPE_TITLE, QFont.Weight.DemiBold))
        painter.setPen(QColor(scheme.text))
        painter.drawText(QRectF(0, 0, _WIDTH, _TITLE), int(Qt.AlignmentFlag.AlignLeft), title)
        painter.translate(0, _TITLE + SPACE_M)
        paint_rows(painter, rows, _WIDTH, scheme)

    is_svg = path.suffix.lower() == ".svg"
    write_file(path, svg_of(size, title, draw) if is_svg else png_of(size, draw), "picture-file")
