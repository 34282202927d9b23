"""A line chart as a value: lines of points, lines of reference, and marks, each with its words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from raidwright.text.catalogue import ended, joined, tr, with_commas
from raidwright.text.run.measurements import figure


class Look(Enum):
    """Look of a line."""

    NOW = "now"
    BEFORE = "before"  # measured earlier, or under another kernel: pale
    DEGRADED = "degraded"  # dashed


class LinePoint(NamedTuple):
    """A point: its place on the axis, the mean, and the repeats' ends."""

    x: float
    y: float
    low: float
    high: float


class Line(NamedTuple):
    """A line with its name; ``colour`` is its place in the palette, which lines of one layout share."""

    name: str
    points: tuple[LinePoint, ...]
    colour: int = 0
    look: Look = Look.NOW


class Guide(NamedTuple):
    """A horizontal line of reference."""

    y: float
    words: str


class Mark(NamedTuple):
    """A vertical line at a place of the axis, with its words; ``tone`` is a good or a warning colour, or none."""

    x: float
    words: str
    tone: str = ""


class Span(NamedTuple):
    """A band across the chart from ``low`` to ``high``."""

    low: float
    high: float
    words: str


class Slope(NamedTuple):
    """A straight line from the origin, ``rate`` for each 1 of the axis."""

    rate: float
    words: str


class LineChart(NamedTuple):
    """The whole chart; ``ticks`` are the places that the axis names."""

    title: str
    unit: str
    axis: str
    ticks: tuple[tuple[float, str], ...]
    lines: tuple[Line, ...]
    guides: tuple[Guide, ...] = ()
    marks: tuple[Mark, ...] = ()
    span: Span | None = None
    slope: Slope | None = None
    best: float | None = None  # the place that is ringed on the first line
    shows_values: bool = False
    connects: bool = True  # points of values without an order aren't joined

    @property
    def most(self) -> float:
        """The highest value that must be on the axis; the slope may leave it."""
        ends = [end for line in self.lines for point in line.points for end in (point.y, point.high)]
        return max([*ends, *(guide.y for guide in self.guides), self.span.high if self.span else 0.0], default=0.0)

    def said_aloud(self) -> str:
        """Return the content for screen readers."""
        names = dict(self.ticks)
        lines = (
            tr("{name}: {points}", name=line.name, points=with_commas(*(_said(point, names) for point in line.points)))
            for line in self.lines
        )
        said = [tr("{title}, {unit}, over {axis}", title=self.title, unit=self.unit, axis=self.axis), *lines]
        said += [guide.words for guide in self.guides] + [mark.words for mark in self.marks]
        return joined(*map(ended, said + ([self.span.words] if self.span else [])))


def _said(point: LinePoint, names: Mapping[float, str]) -> str:
    return f"{names.get(point.x, f'{point.x:g}')}: {figure(point.y)}"
