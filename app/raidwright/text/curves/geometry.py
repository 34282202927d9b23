"""Geometry of a line chart: the plot within a picture's size, and the places of values and of names in it."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple
from unicodedata import east_asian_width

from raidwright.text.catalogue import number

from .chart import Line, LineChart

TEXT, LINE = 12.0, 15.0  # a text's size and a line's height, in pixels
INSET = 10.0  # by which the first and the last point are within the axes
_TOP, _FOOT, _OVER = 22.0, 36.0, 1.1  # for the unit, for the axis and its title, and above the highest value
MAX_NAME, _GAP, _MAX_TICKS = 200.0, 30.0, 5
_WIDTHS = {"narrow": 0.3, "wide": 1.0, "other": 0.6}  # of a letter, as shares of the text's size
_NARROW = frozenset("iljftI.,:;|' ()·")


class Plot(NamedTuple):
    """The plot of a chart in pixels, and its scales."""

    left: float
    top: float
    right: float
    bottom: float
    first: float
    last: float
    most: float
    ticks: tuple[float, ...]

    def x(self, place: float) -> float:
        """Return the distance from the picture's left edge."""
        width = self.last - self.first
        if not width:
            return (self.left + self.right) / 2
        return self.left + (self.right - self.left) * (place - self.first) / width

    def y(self, value: float) -> float:
        """Return the distance from the picture's top edge."""
        return self.bottom - (self.bottom - self.top) * value / self.most


def text_width(words: str, size: float = TEXT) -> float:
    """Return about how wide ``words`` are; no font is asked, so that a report needs no screen."""
    return sum(_WIDTHS[_kind(letter)] for letter in words) * size


def _kind(letter: str) -> str:
    if letter in _NARROW:
        return "narrow"
    return "wide" if east_asian_width(letter) in "WF" or letter in "mwMW" else "other"


def plot_of(chart: LineChart, width: float, height: float) -> Plot:
    """Return the plot in a picture of that size; names of lines are to the right of it."""
    most = (chart.most or 1.0) * _OVER
    marks = round_ticks(most)
    left = max(text_width(number(mark, ",g")) for mark in marks) + 10
    names = max((text_width(line.name) for line in named_lines(chart)), default=0.0)
    right = width - (min(MAX_NAME, names) + _GAP if names else 12.0)
    places = [place for place, _ in chart.ticks] + [point.x for line in chart.lines for point in line.points]
    first, last = min(places, default=0.0), max(places, default=1.0)
    return Plot(left + INSET, _TOP, right - INSET, height - _FOOT, first, last, most, marks)


def round_ticks(most: float) -> tuple[float, ...]:
    """Return round numbers from 0 up to ``most``."""
    rough = most / _MAX_TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    return tuple(step * count for count in range(int(most / step) + 1))


def named_lines(chart: LineChart) -> list[Line]:
    """Return the lines whose names are at their ends; a single one is named by the title."""
    drawn = [line for line in chart.lines if line.points]
    return drawn if len(drawn) > 1 else []


def name_heights(chart: LineChart, plot: Plot) -> list[tuple[Line, float]]:
    """Return the lines with the heights of their names: at the last point, moved apart where they would overlap."""
    lines = sorted(named_lines(chart), key=lambda line: plot.y(line.points[-1].y))
    heights = spread([plot.y(line.points[-1].y) for line in lines], LINE, plot.top - 4, plot.bottom + LINE)
    return list(zip(lines, heights, strict=True))


def spread(wanted: Sequence[float], apart: float, top: float, bottom: float) -> list[float]:
    """Return places in rising order, each near its ``wanted`` one and at least ``apart`` from the one before."""
    found: list[float] = []
    for one in wanted:
        found.append(max(one, found[-1] + apart if found else top))
    over = (found[-1] - bottom) if found else 0.0
    for place in range(len(found) - 1, -1, -1):
        if over <= 0:
            break
        found[place] -= over
        over = found[place - 1] + apart - found[place] if place else 0.0
    return found
