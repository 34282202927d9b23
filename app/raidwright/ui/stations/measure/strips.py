"""Side observations on the curve's time axis: each disk's utilisation and temperature, and md's sync action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import pyqtgraph
from PySide6.QtCore import QEvent
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from raidwright.core.md.sync import IDLE
from raidwright.core.protocol.measured import Sample
from raidwright.lazy import Lazy
from raidwright.text.catalogue import tr
from raidwright.text.run import measurements as words
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.widgets.plot import dress_plot, keep_axes_painted, plot_in
from raidwright.ui.widgets.role import say_role

from .thinned import Thinned

AXIS_WIDTH = 58  # of the curve, too, so that the time axes align
_HEIGHT, _MD_HEIGHT = 46, 22
_MAX_POINTS = 256  # per line: the strips are low
_ROOM = 0.12  # margin above and below the lines, as a share
_BUSY_ALPHA = 90

_StripKind = TypeVar("_StripKind", bound="_Strip")


class Strips(QWidget):
    """A strip for each kind of observation, made with the first of it; none for a run without any."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strips")
        say_role(self, QAccessible.Role.Chart)
        self.setAccessibleName(tr("Load and temperature of each disk, and what md did; the table has the same figures"))
        self._seconds, self._idle_s = 1.0, 0.0  # the axis's end, and the end of md's idle span at the beginning
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        # the curve takes the remaining height
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._strips: dict[int, _Strip] = {}  # by place
        self.show_samples((), 1.0)

    @Lazy
    def _busy(self) -> _Lines:
        return self._placed(0, _Lines(tr("load"), (0.0, 100.0), "%"))

    @Lazy
    def _celsius(self) -> _Lines:
        return self._placed(1, _Lines(tr("°C"), (20.0, 40.0), ""))

    @Lazy
    def _md(self) -> _Doing:
        return self._placed(2, _Doing(tr("md")))

    def _placed(self, place: int, strip: _StripKind) -> _StripKind:
        """Put a new strip in its ``place`` from the top."""
        self._box.insertWidget(sum(known < place for known in self._strips), strip)
        self._strips[place] = strip
        strip.begin(self._seconds)
        return strip

    @property
    def _all(self) -> tuple[_Strip, ...]:
        return tuple(self._strips[place] for place in sorted(self._strips))

    def show_samples(self, samples: Sequence[Sample], seconds: float) -> None:
        """Draw the observations of ``samples`` on an axis of ``seconds``."""
        self._seconds, self._idle_s = seconds, 0.0
        for strip in self._all:
            strip.begin(seconds)
        for sample in samples:
            self._take(sample)
        self._draw()

    def add(self, sample: Sample) -> None:
        """Add a sample; most have no observations."""
        if self._take(sample):
            self._draw()

    @property
    def shown(self) -> tuple[str, ...]:
        """The titles of the visible strips."""
        return tuple(strip.title for strip in self._all if strip.has_any)

    def _take(self, sample: Sample) -> bool:
        if sample.busy is not None:
            self._busy.add(sample.seconds, {name: 100 * share for name, share in sample.busy.items()})
        if sample.celsius is not None:
            self._celsius.add(sample.seconds, sample.celsius)
        if sample.sync_action is not None:
            self._take_action(sample.seconds, sample.sync_action)
        return (sample.busy, sample.celsius, sample.sync_action) != (None, None, None)

    def _take_action(self, seconds: float, action: str) -> None:
        is_first = Strips._md.made(self) is None
        if is_first and action in IDLE:  # an idle array needs no strip
            self._idle_s = seconds
            return
        if is_first and self._idle_s:
            self._md.add(self._idle_s, "idle")
        self._md.add(seconds, action)

    def _draw(self) -> None:
        for strip in self._all:
            strip.draw()
            strip.setVisible(strip.has_any)
        self.setVisible(bool(self.shown))


class _Strip(QWidget):
    """A time axis without labels, since the curve's are directly above."""

    def __init__(self, title: str, height: int) -> None:
        super().__init__()
        self.title, self._seconds, self._last_s = title, 1.0, 0.0
        self._plot = plot_in(self)
        self._left = self._plot.getAxis("left")
        self._left.setWidth(AXIS_WIDTH)
        self._plot.getAxis("bottom").setHeight(1)
        keep_axes_painted(self._plot)
        self.setFixedHeight(height)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._plot)
        self.dress()

    @property
    def has_any(self) -> bool:
        """True if there are data."""
        raise NotImplementedError

    def begin(self, seconds: float) -> None:
        """Clear the strip, with an axis of ``seconds``."""
        self._seconds, self._last_s = seconds, 0.0

    def draw(self) -> None:
        """Draw the data so far."""
        self._plot.setXRange(0, max(self._seconds, self._last_s), padding=0.01)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: redraw in the other colours after a change of scheme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_left"):
            self.dress()

    def dress(self) -> None:
        """Apply the scheme's colours."""
        scheme = tokens_for(self.palette())
        dress_plot(self._plot, scheme)
        self._plot.getAxis("bottom").setStyle(showValues=False)
        self._left.setLabel(self.title, color=scheme.dim)


class _Lines(_Strip):
    """A line per disk, all of one colour: outliers are visible, and the table names them."""

    def __init__(self, title: str, least: tuple[float, float], unit: str) -> None:
        self._least, self._unit = least, unit  # minimum range of the axis
        self._points: dict[str, Thinned] = {}
        self._lines: dict[str, pyqtgraph.PlotDataItem] = {}
        self._ends = (0.0, 0.0)  # of the axis, as last painted
        super().__init__(title, _HEIGHT)

    @property
    def has_any(self) -> bool:
        return bool(self._points)

    def begin(self, seconds: float) -> None:
        super().begin(seconds)
        self._points = {}
        for line in self._lines.values():
            self._plot.removeItem(line)
        self._lines = {}

    def add(self, seconds: float, told: Mapping[str, float]) -> None:
        """Add each disk's value at that time."""
        self._last_s = seconds
        for name, value in told.items():
            if name not in self._points:
                self._points[name], self._lines[name] = Thinned(_MAX_POINTS), self._plot.plot()
                self._dress_line(name)
            self._points[name].add(seconds, value)

    def draw(self) -> None:
        super().draw()
        for name, points in self._points.items():
            self._lines[name].setData(points.xs, points.ys, symbol="o" if len(points.xs) == 1 else None)
        ends = _ends(self._least, (value for points in self._points.values() for value in points.ys))
        if ends != self._ends:  # a change of range repaints the axis
            self._ends = ends
            self._plot.setYRange(*ends, padding=_ROOM)
            self._left.setTicks([[(end, f"{end:.0f}{self._unit}") for end in ends]])

    def dress(self) -> None:
        super().dress()
        for name in self._lines:
            self._dress_line(name)

    def _dress_line(self, name: str) -> None:
        self._lines[name].setPen(pyqtgraph.mkPen(tokens_for(self.palette()).accent, width=1))


def _ends(least: tuple[float, float], values: Iterable[float]) -> tuple[float, float]:
    every = [*least, *values]
    return min(every), max(every)


class _Doing(_Strip):
    """Bands for md's sync actions on the array, with their names."""

    def __init__(self, title: str) -> None:
        self._told: list[tuple[float, str]] = []
        self._bands: list[tuple[pyqtgraph.LinearRegionItem, pyqtgraph.TextItem]] = []
        super().__init__(title, _MD_HEIGHT)
        self._plot.setYRange(0, 1, padding=0)

    @property
    def has_any(self) -> bool:
        """True if md had any sync action; an idle array has no strip."""
        return any(action not in IDLE for _, action in self._told)

    def begin(self, seconds: float) -> None:
        super().begin(seconds)
        self._told = []

    def add(self, seconds: float, action: str) -> None:
        """Add md's sync action up to that time; of equal ones in sequence keep the first and the last."""
        self._last_s = seconds
        if len(self._told) > 1 and self._told[-1][1] == self._told[-2][1] == action:
            self._told.pop()
        self._told.append((seconds, action))

    def draw(self) -> None:
        super().draw()
        for items in self._bands:
            for item in items:
                self._plot.removeItem(item)
        self._bands = [self._band(*one) for one in bands(self._told)]
        self._left.setTicks([[]])
        self._dress_bands()

    def _band(self, begin: float, end: float, action: str) -> tuple[pyqtgraph.LinearRegionItem, pyqtgraph.TextItem]:
        band = pyqtgraph.LinearRegionItem((begin, end), movable=False)
        word = pyqtgraph.TextItem(words.doing(action), anchor=(0, 0.5))
        word.setPos(begin, 0.5)
        word.setFont(font(tokens.TYPE_TINY))
        for item in (band, word):
            self._plot.addItem(item)
        return band, word

    def dress(self) -> None:
        super().dress()
        self._dress_bands()

    def _dress_bands(self) -> None:
        scheme = tokens_for(self.palette())
        ground = QColor(scheme.amber)
        ground.setAlpha(_BUSY_ALPHA)
        for band, word in self._bands:
            band.setBrush(ground)
            for edge in band.lines:
                edge.setPen(pyqtgraph.mkPen(None))
            word.setColor(QColor(scheme.text))


def bands(told: Sequence[tuple[float, str]]) -> list[tuple[float, float, str]]:
    """Return (start, end, action) of md's sync actions other than idle, from the actions at the end of each span."""
    found: list[tuple[float, float, str]] = []
    for (begin, _), (end, action) in pairwise([(0.0, ""), *told]):
        if action in IDLE:
            continue
        if found and found[-1][1:] == (begin, action):
            found[-1] = (found[-1][0], end, action)
        else:
            found.append((begin, end, action))
    return found
