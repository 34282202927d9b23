"""Parts that the walk's pages share: figures, remarks, rows of a name and a value, and the picture's maker."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from raidwright.analysis.advice.figures import LOSS_YEARS
from raidwright.analysis.advice.shapes import ShapeFigures
from raidwright.core.model.plan import Plan
from raidwright.text.array.growth import Figure, Remark, fails_words, speed_words
from raidwright.text.catalogue import decimal_size, tr
from raidwright.text.plan.loss import chance_in_brief
from raidwright.text.plan.names import shape_name
from raidwright.text.shown import Tone
from raidwright.ui.tokens import SPACE_L, SPACE_S, SPACE_XS
from raidwright.ui.widgets.panel import Panel, Role, column, label, row, rule

from .model import BiggerModel

ValueRow = tuple[str, str, Role]  # the role is the value's; "" for none of its own
Sketch = Callable[[Plan, Sequence[str], Collection[int], int], QWidget]
_MARKS: dict[Tone, tuple[str, Role]] = {
    "good": ("✓", "good"), "warn": ("!", "warning"), "bad": ("✕", "error"), "info": ("–", "dim"),
}  # fmt: skip
_MARK_WIDTH = 14
_UNIT = re.compile(r"(?<=\d) (?=\w?B\b)")  # no line ends between a figure and its unit


def figure_grid(figures: Sequence[Figure]) -> QGridLayout:
    """Return ``figures`` in two columns, the first two large."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(SPACE_L)
    grid.setVerticalSpacing(SPACE_S)
    for place, figure in enumerate(figures):
        value = label(_UNIT.sub("\N{NO-BREAK SPACE}", figure.value), "headline" if place < 2 else "title", wrap=True)
        below = label(figure.below, "dim", wrap=True)
        cell = column(label(figure.name, "dim"), value, below, spacing=0)
        cell.addStretch(1)
        grid.addLayout(cell, place // 2, place % 2)
    for place in range(2):
        grid.setColumnStretch(place, 1)
    return grid


def remark_line(remark: Remark) -> QHBoxLayout:
    """Return a sentence with its mark before it."""
    sign, role = _MARKS[remark.tone]
    mark = label(sign, role)
    mark.setFixedWidth(_MARK_WIDTH)
    words = label(remark.text, wrap=True)
    line = row(mark, words, spacing=SPACE_XS)
    line.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
    line.setStretch(1, 1)
    return line


def step_list(model: BiggerModel) -> QVBoxLayout:
    """Return the steps of the chosen way, numbered, each with its time."""
    whole = column(spacing=SPACE_S)
    for number, (title, time) in enumerate(model.brief_steps, 1):
        sign = label(str(number))
        sign.setProperty("step", "later")
        sign.setAlignment(Qt.AlignmentFlag.AlignCenter)
        line = row(sign, label(title, "title", wrap=True), label(time, "dim"))
        line.setStretch(1, 1)
        whole.addLayout(line)
    return whole


def shape_panel(kind: str, picture: QWidget, plan: Plan, rows: Iterable[ValueRow]) -> Panel:
    """Return the panel of a shape: its kind (“Before”), its name, its picture and its figures."""
    panel = Panel()
    panel.body.addWidget(label(kind, "dim"))
    panel.body.addWidget(label(shape_name(plan.top), "headline", wrap=True))
    panel.body.addWidget(picture)
    panel.body.addStretch(1)
    panel.body.addLayout(value_rows(rows))
    return panel


def rows_of(figures: ShapeFigures, before: ShapeFigures | None = None) -> Iterator[ValueRow]:
    """Yield the lines of a shape; those that are better or worse than ``before`` have their colour."""
    was = before or figures
    yield tr("Space"), decimal_size(figures.array_bytes), _tone(figures.array_bytes - was.array_bytes)
    most, before_most = figures.survival.most(), was.survival.most()
    yield tr("May fail"), fails_words(most), _tone(most - before_most)
    yield tr("Reading files"), speed_words(figures.predictions.read), ""
    said, before_said = (chance_in_brief(one.array_loss) for one in (figures, was))
    worse = figures.array_loss - was.array_loss
    years = tr("All lost in {years:g} years", years=LOSS_YEARS)
    yield years, said, "" if said == before_said else "warning" if worse > 0 else "good"


def _tone(gain: float) -> Role:
    return "good" if gain > 0 else "warning" if gain < 0 else ""


def value_rows(rows: Iterable[ValueRow]) -> QVBoxLayout:
    """Return lines of a name and its value at the right, with a rule above each."""
    whole = column(spacing=SPACE_XS)
    for name, value, role in rows:
        whole.addWidget(rule())
        shown = label(value, role or "title", wrap=True)
        shown.setAlignment(Qt.AlignmentFlag.AlignRight)
        line = row(label(name, "dim"), shown)
        line.setStretch(1, 1)
        whole.addLayout(line)
    return whole
