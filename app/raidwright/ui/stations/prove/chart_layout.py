"""Geometry of a shoot-out's chart: the plot, a column per layout with its names below, and a slot per bar."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics

from raidwright.text.catalogue import number, tr
from raidwright.ui import tokens
from raidwright.ui.theme import font
from raidwright.ui.tokens import SPACE_S, SPACE_XS
from raidwright.ui.widgets.bars import ticks

from .chart_rows import ShootoutView, figure

LEGEND_LINE, MARK_HEIGHT = 20.0, 18.0
_OVER, _UNIT_HEIGHT = 20.0, 18.0  # above the highest bar for its label, and above the plot for the unit
_MAX_PITCH, _MAX_BAR, _BESIDE = 68.0, 44.0, 13.0  # widths; the last is what a bar leaves for its bracket
_MIN_PITCH, _BETWEEN = 34.0, 18.0
_MIN_SIDE, _MAX_COLUMN = 24.0, 260.0


class ChartLayout(NamedTuple):
    """Places of the chart's parts, in pixels; ``columns`` from the plot's top to the end of the names."""

    plot: QRectF
    columns: tuple[QRectF, ...]
    names_height: float
    pitch: float
    bar_width: float
    pixels_per_unit: float
    ticks: tuple[float, ...]

    def height_of(self, value: float) -> float:
        """Return the distance of ``value`` from the plot's top edge."""
        return self.plot.bottom() - value * self.pixels_per_unit

    def bar(self, group: int, number_: int, count: int, value: float) -> QRectF:
        """Return the bar of ``value``, the ``number_``-th of ``count`` in its group; its bracket is left of it."""
        middle = self.columns[group].center().x() + (number_ - (count - 1) / 2) * self.pitch + _BESIDE / 4
        top = self.height_of(value)
        return QRectF(middle - self.bar_width / 2, top, self.bar_width, self.plot.bottom() - top)


def min_width(view: ShootoutView) -> float:
    """Return the width below which bars and names would be too narrow."""
    return len(view.groups) * (len(view.states) * _MIN_PITCH + _BETWEEN) + 2 * _MIN_SIDE + _alone_width(view)


def layout_of(view: ShootoutView, width: float, height: float, top: float) -> ChartLayout:
    """Lay out ``view`` below ``top`` (the end of the legend) within ``width`` and ``height``."""
    most = view.most
    marks = ticks(most) if most > 0 else ()
    left = max([_MIN_SIDE, *(advance(tick_text(mark)) + SPACE_S + SPACE_XS for mark in marks)])
    right = width - SPACE_XS - _alone_width(view)
    column = min(_MAX_COLUMN, (right - left) / max(1, len(view.groups)))
    names = max((_names_height(group.name, group.more, column) for group in view.groups), default=0.0)
    bottom = height - names - MARK_HEIGHT - SPACE_XS
    plot = QRectF(left, top + _UNIT_HEIGHT, right - left, max(20.0, bottom - top - _UNIT_HEIGHT))
    first = left + (right - left - column * len(view.groups)) / 2  # few layouts are in the middle
    pitch = min(_MAX_PITCH, (column - _BETWEEN) / max(1, len(view.states)))
    return ChartLayout(
        plot,
        tuple(
            QRectF(first + place * column, plot.top(), column, plot.height() + SPACE_XS + names)
            for place in range(len(view.groups))
        ),
        names,
        pitch,
        max(6.0, min(_MAX_BAR, pitch - _BESIDE)),
        (plot.height() - _OVER) / most if most > 0 else 1.0,
        marks,
    )


def tick_text(value: float) -> str:
    """Return a round number of the axis."""
    return number(value, ",g")


def alone_words(view: ShootoutView) -> tuple[str, str]:
    """Return the words at the end of the line of one disk: “one disk”, and its rate."""
    return tr("one disk"), "" if view.alone is None else figure(view.alone, view)


def _alone_width(view: ShootoutView) -> float:
    return max(map(advance, alone_words(view))) + SPACE_S if view.alone is not None else 0.0


def advance(text: str) -> float:
    """Return the width of a small text."""
    return QFontMetrics(font(tokens.TYPE_TINY)).horizontalAdvance(text)


def _names_height(name: str, more: str, width: float) -> float:
    return wrapped_height(name, width, QFont.Weight.DemiBold) + wrapped_height(more, width)


def wrapped_height(text: str, width: float, weight: QFont.Weight = QFont.Weight.Normal) -> float:
    """Return the height of a name in a column of ``width``."""
    if not text:
        return 0.0
    metrics = QFontMetrics(font(tokens.TYPE_SMALL if weight is not QFont.Weight.Normal else tokens.TYPE_TINY, weight))
    room = QRectF(0, 0, max(_MIN_SIDE, width - 2 * SPACE_XS), 1000).toRect()
    return float(metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), text).height()) + 1
