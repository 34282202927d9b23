"""The candidates as a scatter plot: space to the right, safety upwards, larger points are faster by estimate.

The table has the same data.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from math import ceil, floor, log10

from PySide6.QtCore import QMarginsF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QFont, QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from raidwright.analysis.advice.ranking import Candidate
from raidwright.colours import Tokens, mix
from raidwright.core.messages import say
from raidwright.text.catalogue import tr, translated
from raidwright.text.plan.candidates import on_disks, why_words
from raidwright.text.plan.loss import odds_tick, years_words
from raidwright.text.plan.names import long_name
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.widgets.role import say_role

_EDGE, _FOOT, _HEAD = 14, 20, 18
_LINE_HEIGHT, _WORDS_APART = 16, 12
_SMALLEST, _LARGEST = 4.0, 10.0
_LABEL_HEIGHT = 13.0
_TICKS_APART, _MAX_EXPONENT = 26, 20
_MIN_LOSS = 1e-15  # smaller values are shown alike
_LARGER = {
    "reading": say("bigger dot: faster reading (predicted)"),
    "writing": say("bigger dot: faster writing (predicted)"),
    "random": say("bigger dot: more IOPS (predicted)"),
}


@dataclass(frozen=True, slots=True)
class _Point:
    place: int
    spot: QPointF
    radius: float
    name: str


class CandidateMap(QWidget):
    """The plot. ``chosen`` carries the index of the clicked candidate."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("candidates-map")
        self.setAccessibleName(tr("Safety against space; the table beside it has the same figures"))
        say_role(self, QAccessible.Role.Chart)
        self.setMinimumHeight(140)
        self._candidates: tuple[Candidate, ...] = ()
        self._keeping: tuple[float, ...] = ()  # -log10 of the loss probability
        self._fastest_at = "reading"
        self._marked = -1
        self._years = ""

    def show_candidates(
        self, candidates: tuple[Candidate, ...], losses: tuple[float, ...], marked: int, years: float, fastest_at: str
    ) -> None:
        """Show these with their loss probabilities within ``years``, the one at ``marked`` (-1: none) as chosen.

        ``fastest_at`` is the wish, as a field of ``Merits``, whose speed sets the size of points.
        """
        drawn, self._fastest_at = self._drawn, fastest_at
        self._candidates, self._marked, self._years = candidates, marked, years_words(years)
        self._keeping = tuple(-log10(max(chance, _MIN_LOSS)) for chance in losses)
        if self._drawn != drawn:
            self.update()

    @property
    def _drawn(self) -> tuple[object, ...]:
        """All inputs of the picture; a change of wishes that moves no candidate changes none of them."""
        return (
            tuple(id(one.prepared) for one in self._candidates),
            self._keeping,
            self._marked,
            self._years,
            self._fastest_at,
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint axes, points, and as many names as fit."""
        scheme = tokens_for(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_axes(painter, scheme)
        self._paint_ticks(painter, scheme)
        points = self._points()
        for point in sorted(points, key=lambda point: point.place == self._marked):  # the chosen one on top
            self._paint_point(painter, point, scheme)
        named = self._paint_names(painter, points, scheme)
        self._paint_odds(painter, named, scheme)

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(_EDGE, _HEAD, -_EDGE, -self._foot)

    @property
    def _foot_words(self) -> tuple[str, str]:
        return translated(_LARGER[self._fastest_at]), tr("usable space →")

    @property
    def _foot(self) -> int:
        """The height of the axis labels below the plot: one line, or two in a language with long words."""
        needed = sum(_width(words, 10) for words in self._foot_words) + _WORDS_APART
        return _FOOT if needed <= self.width() - 2 * _EDGE else _FOOT + _LINE_HEIGHT

    def _points_area(self) -> QRectF:
        return self._area().adjusted(_LARGEST, _LARGEST, -_LARGEST - 40, -_LARGEST)

    def _height(self, keeping: float) -> float:
        """Return the y of a loss probability, given as its -log10."""
        area, least, most = self._points_area(), min(self._keeping), max(self._keeping)
        share = (keeping - least) / (most - least) if most > least else 0.5
        return area.bottom() - share * area.height()

    @property
    def ticks(self) -> tuple[int, ...]:
        """The exponents of the odds that have a tick: 2 for 1 in 100."""
        if not self._keeping:
            return ()
        most_ticks = max(1, int(self._points_area().height() / _TICKS_APART))
        inside = range(ceil(min(self._keeping)), floor(max(self._keeping)) + 1)
        steps = (tuple(one for one in inside if one % step == 0) for step in range(1, _MAX_EXPONENT))
        return next(one for one in steps if len(one) <= most_ticks)

    def _paint_ticks(self, painter: QPainter, scheme: Tokens) -> None:
        area = self._area()
        painter.setPen(QColor(scheme.line))
        for height in map(self._height, self.ticks):
            painter.drawLine(QPointF(area.left(), height), QPointF(area.right(), height))

    def _paint_odds(self, painter: QPainter, named: list[QRectF], scheme: Tokens) -> None:
        """Paint the ticks' odds, except where the name of the chosen candidate needs the place."""
        painter.setFont(font(9))
        painter.setPen(QColor(scheme.dim))
        for exponent in self.ticks:
            words = odds_tick(exponent)
            box = self._tick_box(self._height(exponent), words)
            if not any(map(box.intersects, named)):
                painter.drawText(box, Qt.AlignmentFlag.AlignRight, words)

    def _tick_box(self, height: float, words: str) -> QRectF:
        width = _width(words, 9) + 2
        return QRectF(self._area().right() - width, height - _LABEL_HEIGHT, width, _LABEL_HEIGHT)

    def _points(self) -> list[_Point]:
        area = self._points_area()
        merits = [one.prepared.merits for one in self._candidates]
        if not merits:
            return []
        speeds = [getattr(one, self._fastest_at) for one in merits]
        fastest = max(speeds) or 1.0
        points = []
        for place, (one, merit) in enumerate(zip(self._candidates, merits, strict=True)):
            spot = QPointF(area.left() + merit.space * area.width(), self._height(self._keeping[place]))
            radius = _SMALLEST + (_LARGEST - _SMALLEST) * speeds[place] / fastest
            points.append(_Point(place, spot, radius, long_name(one.prepared.plan.top)))
        return points

    def _paint_axes(self, painter: QPainter, scheme: Tokens) -> None:
        area = self._area()
        painter.setPen(QColor(scheme.line))
        painter.drawLine(area.topLeft(), area.bottomLeft())
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(QColor(scheme.dim))
        painter.setFont(font(10))
        head, foot = (
            QRectF(area.left(), 0, area.width(), _HEAD),
            QRectF(area.left(), area.bottom() + 3, area.width(), _LINE_HEIGHT),
        )
        painter.drawText(
            head,
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop,
            tr("↑ chance to keep everything for {years}", years=self._years),
        )
        larger, space = self._foot_words
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, space)
        painter.drawText(foot.translated(0, self._foot - _FOOT), Qt.AlignmentFlag.AlignLeft, larger)

    def _paint_point(self, painter: QPainter, point: _Point, scheme: Tokens) -> None:
        chosen = point.place == self._marked
        painter.setPen(QColor(scheme.panel))
        painter.setBrush(QColor(scheme.accent if chosen else mix(scheme.dim, scheme.panel, 0.45)))
        painter.drawEllipse(point.spot, point.radius, point.radius)

    def _paint_names(self, painter: QPainter, points: list[_Point], scheme: Tokens) -> list[QRectF]:
        """Paint the chosen candidate's name first, then the best ones', as long as they don't overlap.

        Return the places of the names.
        """
        named: list[QRectF] = []
        taken = [QRectF(point.spot, QSizeF()).marginsAdded(QMarginsF(*(point.radius,) * 4)) for point in points]
        area = self._area()
        taken += [
            QRectF(0, 0, self.width(), area.top()),
            QRectF(0, area.bottom(), self.width(), self._foot),
        ]  # the axes' labels
        taken += [self._tick_box(self._height(exponent), odds_tick(exponent)) for exponent in self.ticks]
        for point in sorted(points, key=lambda point: (point.place != self._marked, point.place)):
            chosen = point.place == self._marked
            painter.setFont(font(10, QFont.Weight.Bold if chosen else QFont.Weight.Normal))
            width = painter.fontMetrics().horizontalAdvance(point.name) + 2
            beside = self._beside(point, width)
            box = next((box for box in beside if not any(map(box.intersects, taken))), beside[0] if chosen else None)
            if box is None:
                continue
            taken.append(box)
            named.append(box)
            painter.setPen(QColor(scheme.text if chosen else scheme.dim))
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, point.name)
        return named

    def _beside(self, point: _Point, width: float) -> list[QRectF]:
        """Return the places for a name of ``width``: right of its point, left, above and below, inside the plot."""
        right = QRectF(point.spot.x() + point.radius + 4, point.spot.y() - _LABEL_HEIGHT / 2, width, _LABEL_HEIGHT)
        left = right.translated(-width - 2 * point.radius - 8, 0)
        above = right.translated(-width / 2 - point.radius - 4, -point.radius - _LABEL_HEIGHT / 2 - 1)
        below = above.translated(0, 2 * point.radius + _LABEL_HEIGHT + 2)
        inside = [box for box in (right, left, above, below) if box.left() >= 0 and box.right() <= self.width()]
        return inside or [right]

    def _at(self, spot: QPointF) -> _Point | None:
        near = [point for point in self._points() if (point.spot - spot).manhattanLength() < point.radius + 6]
        return min(near, key=lambda point: (point.spot - spot).manhattanLength(), default=None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: a click on a point chooses it."""
        if point := self._at(event.position()):
            self.chosen.emit(point.place)

    def event(self, event: object) -> bool:
        """Qt: hovering a point shows its name and the reasons for its rank."""
        if isinstance(event, QHelpEvent) and (point := self._at(QPointF(event.pos()))):
            one = self._candidates[point.place]
            title = on_disks(point.name, one.prepared)
            QToolTip.showText(event.globalPos(), f"{title}\n{why_words(one, long_name)}", self)
            return True
        return super().event(event)  # type: ignore[arg-type]


@functools.cache  # asked for with each point
def _width(words: str, pixels: int) -> int:
    return QFontMetrics(font(pixels)).horizontalAdvance(words)
