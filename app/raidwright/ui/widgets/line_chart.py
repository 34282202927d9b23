"""A line chart in the window: the same drawing as in picture files and reports, in the scheme's colours."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QPointF, QSize
from PySide6.QtGui import QAccessible, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QToolTip, QWidget

from raidwright.colours import Tokens
from raidwright.runs.files import write_file
from raidwright.text.catalogue import tr
from raidwright.text.curves.chart import Line, LineChart, LinePoint
from raidwright.text.curves.drawing import svg_of_chart
from raidwright.text.curves.geometry import plot_of
from raidwright.text.run.measurements import figure
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.widgets.picture_file import picture_of_svg
from raidwright.ui.widgets.role import say_role

_MIN_SIZE, _GOOD_SIZE, _FILE_SIZE = QSize(320, 190), QSize(560, 300), QSize(900, 480)
_NEAR = 14.0  # pixels around a point whose figures are shown


class LineChartView(QWidget):
    """The chart; its table twin is beside it, so that it takes no focus. ``in_panel``: its ground is a panel's."""

    def __init__(self, name: str, parent: QWidget | None = None, *, in_panel: bool = True) -> None:
        super().__init__(parent)
        self._in_panel = in_panel
        self.setObjectName(name)
        self.setAccessibleName(tr("Speed as lines; the table has the same figures"))
        say_role(self, QAccessible.Role.Chart)
        self.setMinimumSize(_MIN_SIZE)
        self._chart: LineChart | None = None
        self._drawn: tuple[object, QSvgRenderer] | None = None

    @property
    def chart(self) -> LineChart | None:
        """The chart that is shown."""
        return self._chart

    def show_chart(self, chart: LineChart | None) -> None:
        """Show ``chart``."""
        if chart != self._chart:
            self._chart = chart
            self.setAccessibleDescription(chart.said_aloud() if chart is not None else "")
            self.update()

    def save(self, path: Path, title: str, scheme: Tokens) -> None:
        """Write the picture: SVG for that suffix, else PNG; raises InputError if that fails."""
        if self._chart is None:
            return
        svg = svg_of_chart(
            self._chart, _FILE_SIZE.width(), _FILE_SIZE.height(), scheme, font(tokens.TYPE_TINY).family()
        )
        write_file(path, picture_of_svg(svg, _FILE_SIZE, title, path, scheme), "picture-file")

    def sizeHint(self) -> QSize:
        """Qt: a good size of it."""
        return _GOOD_SIZE

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the chart."""
        if self._chart is None or not any(line.points for line in self._chart.lines):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._renderer(self._chart).render(painter, self.rect())

    def _renderer(self, chart: LineChart) -> QSvgRenderer:
        """Return the drawing, made anew only for another chart, size or scheme."""
        scheme = tokens_for(self.palette())
        scheme = scheme if self._in_panel else scheme._replace(panel=scheme.ground)
        key = (chart, self.width(), self.height(), scheme)
        if self._drawn is None or self._drawn[0] != key:
            svg = svg_of_chart(chart, self.width(), self.height(), scheme, font(tokens.TYPE_TINY).family())
            self._drawn = (key, QSvgRenderer(QByteArray(svg.encode())))
        return self._drawn[1]

    def point_at(self, place: QPointF) -> tuple[Line, LinePoint] | None:
        """Return the point nearest to ``place``, with its line; None for none nearby."""
        if self._chart is None:
            return None
        plot = plot_of(self._chart, self.width(), self.height())
        points = [
            (abs(plot.x(point.x) - place.x()) + abs(plot.y(point.y) - place.y()), number, line, point)
            for number, line in enumerate(self._chart.lines)
            for point in line.points
        ]
        distance, _number, line, point = min(points, default=(_NEAR, 0, None, None))
        return (line, point) if distance < _NEAR and line is not None and point is not None else None

    def event(self, event: QEvent) -> bool:
        """Qt: hovering a point shows its figures."""
        if isinstance(event, QHelpEvent) and self._chart is not None:
            found = self.point_at(QPointF(event.pos()))
            if found is not None:
                QToolTip.showText(event.globalPos(), self._words(self._chart, *found), self)
                return True
        return super().event(event)

    @staticmethod
    def _words(chart: LineChart, line: Line, point: LinePoint) -> str:
        at = dict(chart.ticks).get(point.x, f"{point.x:g}")
        said = tr("{name}, {at}: {rate} {unit}", name=line.name, at=at, rate=figure(point.y), unit=chart.unit)
        if point.high <= point.low:
            return said
        ends = tr("repeats from {low} to {high}", low=figure(point.low), high=figure(point.high))
        return f"{said}\n{ends}"
