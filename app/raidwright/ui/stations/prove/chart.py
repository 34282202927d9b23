"""The shoot-out's chart: grouped bars a layout, predictions as brackets, one disk as a line, and the winner marked.

The same painting is shown in the window and saved as a file.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFocusEvent,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from raidwright.colours import STRIPES, Tokens, mix
from raidwright.runs.files import write_file
from raidwright.runs.run import ArrayState
from raidwright.text.catalogue import tr, translated
from raidwright.text.run.shootout import STATES
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.tokens import CORNER, SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.picture_file import png_of, svg_of
from raidwright.ui.widgets.role import say_role

from .chart_layout import (
    LEGEND_LINE,
    MARK_HEIGHT,
    ChartLayout,
    advance,
    alone_words,
    layout_of,
    min_width,
    tick_text,
    wrapped_height,
)
from .chart_rows import LayoutGroup, ShootoutView, StateBar, bare_figure, group_words

_COLOURS = {ArrayState.HEALTHY: STRIPES[4], ArrayState.DEGRADED: STRIPES[1], ArrayState.REBUILDING: STRIPES[3]}
_EDGE_SHARE = 0.65  # of a bar's colour in its edge, which has the contrast that a light fill lacks
_SIGN, _BRACKET, _WHISKER = 11.0, 5.0, 4.0  # widths of the legend's signs, of a bracket, and half of a whisker's end
_LABEL_HEIGHT = 15.0
_MIN_HEIGHT = 190
_FILE_SIZE, _MARGIN, _FILE_TITLE = QSize(900, 480), 20, 26.0


class ShootoutChart(QWidget):
    """The chart of one view. ``chosen(int)`` carries the place of a layout that was clicked, or reached by arrows."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("prove-chart")
        self.setAccessibleName(tr("Speed of each layout; the table below has the same figures"))
        say_role(self, QAccessible.Role.Chart)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(_MIN_HEIGHT)
        self._view: ShootoutView | None = None
        self._chosen = -1

    def show_view(self, view: ShootoutView | None, chosen: int) -> None:
        """Show ``view``, the layout at place ``chosen`` of the contest (-1: none) on a coloured ground."""
        if (view, chosen) == (self._view, self._chosen):
            return
        self._view, self._chosen = view, chosen
        self.setAccessibleDescription(view.said_aloud() if view is not None else "")
        self.setMinimumWidth(round(min_width(view)) if view is not None else 0)
        self.update()

    def save(self, path: Path, title: str, scheme: Tokens) -> None:
        """Write the picture: SVG for that suffix, else PNG; raises InputError if that fails."""
        view = self._view
        if view is None:
            return
        size = QSize(max(_FILE_SIZE.width(), round(min_width(view)) + 2 * _MARGIN), _FILE_SIZE.height())

        def draw(painter: QPainter) -> None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(scheme.panel))
            painter.translate(_MARGIN, _MARGIN)
            painter.setFont(font(tokens.TYPE_TITLE, QFont.Weight.DemiBold))
            painter.setPen(QColor(scheme.text))
            painter.drawText(QRectF(0, 0, size.width(), _FILE_TITLE), int(Qt.AlignmentFlag.AlignLeft), title)
            painter.translate(0, _FILE_TITLE)
            inner = (size.width() - 2.0 * _MARGIN, size.height() - 2.0 * _MARGIN - _FILE_TITLE)
            _Painting(painter, view, inner, scheme).paint(-1)

        is_svg = path.suffix.lower() == ".svg"
        write_file(path, svg_of(size, title, draw) if is_svg else png_of(size, draw), "picture-file")

    def sizeHint(self) -> QSize:
        """Qt: a good size of it."""
        return QSize(560, 300)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the view."""
        if self._view is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painting = _Painting(painter, self._view, (self.width(), self.height()), tokens_for(self.palette()))
        painting.paint(self._chosen, has_focus=self.hasFocus())

    def group_rect(self, place: int) -> QRectF:
        """Return the column of the layout at ``place`` of the contest, for tests; empty if it isn't drawn."""
        return next((column for group, column in self._columns() if group.place == place), QRectF())

    def _columns(self) -> list[tuple[LayoutGroup, QRectF]]:
        if self._view is None:
            return []
        top = _legend_lines(self._view, self.width()) * LEGEND_LINE
        columns = layout_of(self._view, self.width(), self.height(), top).columns
        return list(zip(self._view.groups, columns, strict=True))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: a click on a layout's bars or name chooses it."""
        for group, column in self._columns():
            if column.contains(event.position()):
                self.chosen.emit(group.place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: arrow keys choose the layout to the left or right."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        places = [group.place for group in self._view.groups] if self._view is not None else []
        if not step or not places:
            super().keyPressEvent(event)
            return
        at = places.index(self._chosen) if self._chosen in places else (-1 if step > 0 else len(places))
        self.chosen.emit(places[max(0, min(len(places) - 1, at + step))])

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt: show where the focus is."""
        super().focusInEvent(event)
        self.update()

    def event(self, event: object) -> bool:
        """Qt: hovering a layout shows its figures."""
        if isinstance(event, QHelpEvent) and self._view is not None:
            for group, column in self._columns():
                if column.contains(QPointF(event.pos())):
                    QToolTip.showText(event.globalPos(), group_words(group, self._view), self)
                    return True
        return super().event(event)  # type: ignore[arg-type]


class _Painting:
    """Painting of ``view`` into a rectangle of ``size`` from the painter's origin."""

    def __init__(self, painter: QPainter, view: ShootoutView, size: tuple[float, float], scheme: Tokens) -> None:
        self._painter, self._view, self._scheme = painter, view, scheme
        self._width, self._height = size
        self._ground = scheme.panel
        top = _legend_lines(view, self._width) * LEGEND_LINE
        self._at: ChartLayout = layout_of(view, self._width, self._height, top)

    def paint(self, chosen: int, *, has_focus: bool = False) -> None:
        """Paint legend, axis, and every group; the ``chosen`` one on a coloured ground."""
        self._legend()
        for group, column in zip(self._view.groups, self._at.columns, strict=True):
            if group.place == chosen:
                self._chosen_ground(column, has_focus=has_focus)
        self._axis()
        for place, group in enumerate(self._view.groups):
            self._ground = self._scheme.accent_soft if group.place == chosen else self._scheme.panel
            self._names(group, self._at.columns[place])
            for number_, state in enumerate(self._view.states):
                self._slot(group, (place, number_), state)

    def _text(self, room: QRectF, text: str, colour: str, pixels: float = tokens.TYPE_TINY, *,
              bold: bool = False, flags: int = int(Qt.AlignmentFlag.AlignCenter)) -> None:  # fmt: skip
        self._painter.setFont(font(pixels, QFont.Weight.DemiBold if bold else QFont.Weight.Normal))
        self._painter.setPen(QColor(colour))
        self._painter.drawText(room, flags, text)

    def _legend(self) -> None:
        left, line = 0.0, 0.0
        for kind, words in _legend_items(self._view):
            width = _item_width(words)
            if left and left + width > self._width:
                left, line = 0.0, line + LEGEND_LINE
            self._sign(kind, QRectF(left, line + (LEGEND_LINE - _SIGN) / 2, _SIGN, _SIGN))
            room = QRectF(left + _SIGN + SPACE_XS + 2, line, width, LEGEND_LINE)
            self._text(room, words, self._scheme.dim, flags=_LEFT)
            left += width

    def _sign(self, kind: ArrayState | str, room: QRectF) -> None:
        if isinstance(kind, ArrayState):
            self._fill(room, _COLOURS[kind])
        elif kind == "bracket":
            self._bracket(room.left() + 3, room.top(), room.bottom(), self._scheme.text)
        elif kind == "missed":
            self._bracket(room.left() + 3, room.top(), room.bottom(), self._scheme.amber)
        elif kind == "spread":
            self._whisker(room.center().x(), room.top(), room.bottom())
        else:
            self._painter.setPen(QPen(QColor(self._scheme.text), 1.2, Qt.PenStyle.DashLine))
            self._painter.drawLine(QPointF(room.left(), room.center().y()), QPointF(room.right(), room.center().y()))

    def _chosen_ground(self, column: QRectF, *, has_focus: bool) -> None:
        self._painter.setPen(QPen(QColor(self._scheme.accent), 1.5) if has_focus else Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._scheme.accent_soft))
        self._painter.drawRoundedRect(column.adjusted(2, 1, -2, 2), CORNER, CORNER)

    def _axis(self) -> None:
        plot, painter = self._at.plot, self._painter
        room = QRectF(0, plot.top() - 18, self._width, 16)
        self._text(room, self._view.unit, self._scheme.dim, flags=_LEFT)
        for value in self._at.ticks:
            y = self._at.height_of(value)
            painter.setPen(QColor(self._scheme.edge if not value else self._scheme.line))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            room = QRectF(0, y - 8, plot.left() - SPACE_S, 16)
            self._text(room, tick_text(value), self._scheme.dim, flags=_RIGHT)
        if self._view.alone is not None and self._at.ticks:
            y = self._at.height_of(self._view.alone)
            painter.setPen(QPen(QColor(self._scheme.text), 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            for line, words in enumerate(alone_words(self._view)):
                room = QRectF(plot.right() + SPACE_XS, y - 14 + 14 * line, self._width - plot.right(), 14)
                self._text(room, words, self._scheme.dim, flags=_LEFT)

    def _names(self, group: LayoutGroup, column: QRectF) -> None:
        inner = column.adjusted(SPACE_XS, 0, -SPACE_XS, 0)
        top = self._at.plot.bottom() + SPACE_XS
        height = wrapped_height(group.name, column.width(), QFont.Weight.DemiBold)
        flags = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        room = QRectF(inner.left(), top, inner.width(), height)
        self._text(room, group.name, self._scheme.text, tokens.TYPE_SMALL, bold=True, flags=flags)
        below = QRectF(inner.left(), top + height, inner.width(), self._at.names_height - height)
        self._text(below, group.more, self._scheme.dim, flags=flags)
        if group.mark:
            self._mark(f"★ {group.mark}", column.center().x(), self._height - MARK_HEIGHT)

    def _mark(self, words: str, middle: float, top: float) -> None:
        """Paint the winner's words below its name; they may be wider than its column, but not than the picture."""
        self._painter.setFont(font(tokens.TYPE_TINY, QFont.Weight.DemiBold))
        width = self._painter.fontMetrics().horizontalAdvance(words) + 2.0
        left = max(0.0, min(middle - width / 2, self._width - width))
        room = QRectF(left, top, width, MARK_HEIGHT)
        self._text(room, words, self._scheme.green, bold=True, flags=_LEFT)

    def _slot(self, group: LayoutGroup, at: tuple[int, int], state: ArrayState) -> None:
        bar, (place, number_) = group.bar(state), at
        whole = self._at.bar(place, number_, len(self._view.states), bar.value if bar is not None else 0.0)
        if bar is not None:
            self._bar(bar, whole)
            return
        lost = state in group.lost_in
        room = QRectF(whole.center().x() - 20, self._at.plot.bottom() - 18, 40, 16)
        self._text(room, "✕" if lost else "…", self._scheme.red if lost else self._scheme.dim, tokens.TYPE_SMALL)

    def _bar(self, bar: StateBar, whole: QRectF) -> None:
        self._fill(whole, _COLOURS[bar.state])
        top = whole.top()
        if bar.spread is not None:
            ends = self._at.height_of(bar.high), self._at.height_of(bar.low)
            self._whisker(whole.center().x(), *ends)
            top = min(top, ends[0])
        if bar.predicted is not None:
            high, low = self._at.height_of(bar.predicted[2]), self._at.height_of(bar.predicted[1])
            colour = self._scheme.amber if bar.is_missed else self._scheme.text
            self._bracket(whole.left() - _BRACKET - 2, high, low, colour)
        self._label(bar, whole, top)

    def _label(self, bar: StateBar, whole: QRectF, top: float) -> None:
        """Write the value above its bar, where there is room; the table has it in any case."""
        text, painter = bare_figure(bar.value, self._view), self._painter
        pixels, width = tokens.TYPE_SMALL, 0.0
        for pixels in (tokens.TYPE_SMALL, tokens.TYPE_TINY):
            painter.setFont(font(pixels, QFont.Weight.DemiBold))
            width = painter.fontMetrics().horizontalAdvance(text) + 2.0
            if width <= self._at.pitch:
                break
        if width > self._at.pitch + 1:
            return
        if bar.predicted is not None and width > whole.width() + 4:
            top = min(top, self._at.height_of(bar.predicted[2]))
        room = QRectF(whole.center().x() - width / 2, top - _LABEL_HEIGHT - 1, width, _LABEL_HEIGHT)
        painter.fillRect(room.adjusted(0, 2, 0, -1), QColor(self._ground))  # over the line of one disk
        self._text(room, text, self._scheme.text, pixels, bold=True)

    def _fill(self, room: QRectF, colour: str) -> None:
        self._painter.setPen(QPen(QColor(mix(colour, self._scheme.text, _EDGE_SHARE)), 1))
        self._painter.setBrush(QColor(colour))
        self._painter.drawRoundedRect(room, 2, 2)

    def _bracket(self, x: float, high: float, low: float, colour: str) -> None:
        self._painter.setPen(QPen(QColor(colour), 1.6))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        ends = [QPointF(x + _BRACKET, high), QPointF(x, high), QPointF(x, low), QPointF(x + _BRACKET, low)]
        self._painter.drawPolyline(ends)

    def _whisker(self, x: float, high: float, low: float) -> None:
        self._painter.setPen(QPen(QColor(self._scheme.text), 1.4))
        self._painter.drawLine(QPointF(x, high), QPointF(x, low))
        for y in (high, low):
            self._painter.drawLine(QPointF(x - _WHISKER, y), QPointF(x + _WHISKER, y))


_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def _legend_items(view: ShootoutView) -> list[tuple[ArrayState | str, str]]:
    """Return the signs that occur in the view, with their meanings."""
    items: list[tuple[ArrayState | str, str]] = [(one, translated(STATES[one]).lower()) for one in view.states]
    bars = [bar for group in view.groups for bar in group.bars]
    if any(bar.predicted is not None for bar in bars):
        items.append(("bracket", tr("predicted, 90 of 100")))
    if any(bar.is_missed for bar in bars):
        items.append(("missed", tr("prediction missed")))
    if any(bar.spread is not None for bar in bars):
        items.append(("spread", tr("repeats")))
    if view.alone is not None:
        items.append(("line", tr("one disk")))
    return items


def _item_width(words: str) -> float:
    return _SIGN + SPACE_XS + 2 + advance(words) + SPACE_M


def _legend_lines(view: ShootoutView, width: float) -> int:
    lines, left = 1, 0.0
    for _kind, words in _legend_items(view):
        needed = _item_width(words)
        if left and left + needed > width:
            lines, left = lines + 1, 0.0
        left += needed
    return lines
