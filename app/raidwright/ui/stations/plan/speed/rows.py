"""Workloads as rows: the predictions in words, and below them as bars, relative to one disk."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from raidwright.analysis.performance.of_plan import WorkloadSpeeds
from raidwright.analysis.performance.prediction import Prediction
from raidwright.colours import STRIPES
from raidwright.core.messages import say
from raidwright.text.catalogue import tr, translated, with_semicolons
from raidwright.text.plan.speed import figure_with_range, figure_with_unit
from raidwright.ui.tokens import SPACE_S, SPACE_XS
from raidwright.ui.widgets.bars import Bar, Bars, Scale
from raidwright.ui.widgets.panel import label, row

from .model import Speed

# Each state's bar, in order from top to bottom; colour-blind people can tell them apart.
COLOURS = {"normal": STRIPES[4], "degraded": STRIPES[1], "rebuilding": STRIPES[3]}

_KEYS = (
    say("The array has lost its data."),
    say("Bar: the array. Shade: where 90 of 100 lie. Line: one disk alone."),
    say("Bar: the array, below it with one disk lost. Shade: where 90 of 100 lie. Line: one disk alone."),
    say(
        "Bars, from the top: the array, one disk lost, while that is rebuilt. Shade: where 90 of 100 lie. Line: one "
        "disk alone."
    ),
)


class SpeedRows(QWidget):
    """A row for each of ``names``, with bars of ``states``, all on one scale: multiples of one disk's speed.

    ``in_one_line``: name, bars and a figure without its range stand beside each other.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        states: tuple[str, ...],
        kind: str,
        *,
        in_one_line: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._names, self._states = names, states
        self.key = ""  # legend of the bars, shades and line
        self._in_one_line = in_one_line
        self._figures = {one: label("", name=f"{kind}-{one}", wrap=not in_one_line) for one in names}
        self._bars = {one: Bars(f"{kind}-bars-{one}") for one in names}
        self._scale = Scale(f"{kind}-scale", tr("× one disk"), self)
        self._scale.setVisible(not in_one_line)  # there is little room beside the plan
        for workload, name in names.items():
            self._bars[workload].setAccessibleName(name)
        if in_one_line:
            self._lay_out_lines()
        else:
            self._lay_out_pairs()

    def _lay_out_lines(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_S)
        grid.setVerticalSpacing(SPACE_XS // 2)
        grid.setColumnStretch(1, 1)
        for place, (workload, name) in enumerate(self._names.items()):
            self._figures[workload].setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(label(name, "dim"), place, 0)
            grid.addWidget(self._bars[workload], place, 1, Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(self._figures[workload], place, 2)

    def _lay_out_pairs(self) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_XS // 2)
        box.addWidget(self._scale)
        for workload, name in self._names.items():
            head = row(label(name, "dim"))
            head.addWidget(self._figures[workload], 1)
            box.addLayout(head)
            box.addWidget(self._bars[workload])
            box.addSpacing(SPACE_S - SPACE_XS // 2)

    def show_speed(self, speed: Speed) -> None:
        """Show the predictions."""
        bars = {workload: self._bars_of(speed, workload) for workload in self._names}
        most = max((bar.high for each in bars.values() for bar in each), default=1.0)
        self._scale.show_scale(max(most, 1.0))
        self.key = translated(_KEYS[max(map(len, bars.values()))])
        for workload, each in bars.items():
            speeds, alone = speed.of(workload)
            normal = speeds.normal
            self._figures[workload].setText(self._figure_of(normal))
            if self._in_one_line:
                self._figures[workload].setToolTip(in_words(normal))
            self._bars[workload].show_bars(each, 1.0, max(most, 1.0))
            self._bars[workload].setAccessibleDescription(said_aloud(speeds, alone))
            self._bars[workload].setToolTip(self._bars[workload].accessibleDescription())

    def _figure_of(self, found: Prediction | None) -> str:
        if found is None:
            return tr("nothing is left")
        return figure_with_unit(found) if self._in_one_line else figure_with_range(found)

    def _bars_of(self, speed: Speed, workload: str) -> tuple[Bar, ...]:
        speeds, alone = speed.of(workload)
        one_disk = alone.mb_s
        found: list[tuple[str, Prediction | None]] = [(state, getattr(speeds, state)) for state in self._states]
        return tuple(
            Bar(one.mb_s / one_disk, one.low_mb_s / one_disk, one.high_mb_s / one_disk, COLOURS[state])
            for state, one in found
            if one is not None
        )


def said_aloud(speeds: WorkloadSpeeds, one_disk: Prediction) -> str:
    """Return each state's figure with its range, and one disk's, for screen readers."""
    said = [tr("as planned: {speed}", speed=in_words(speeds.normal))]
    if speeds.degraded is not None:
        said.append(tr("one disk lost: {speed}", speed=in_words(speeds.degraded)))
    if speeds.rebuilding is not None:
        said.append(tr("while it is rebuilt: {speed}", speed=in_words(speeds.rebuilding)))
    said.append(tr("one disk alone: {speed}", speed=in_words(one_disk)))
    return with_semicolons(*said)


def limits_in_words(name: str, speeds: WorkloadSpeeds) -> str:
    """Return the bottleneck of a user's workload, and its assumptions."""
    normal = speeds.normal
    if normal is None:
        return tr("{workload}: nothing is left", workload=name)
    limit = translated(normal.limited_by)
    if not normal.assumes:
        return tr("{workload}: limited by: {limit}", workload=name, limit=limit)
    assumed = with_semicolons(*map(translated, normal.assumes))
    return tr("{workload}: limited by: {limit}; assumed: {assumed}", workload=name, limit=limit, assumed=assumed)


def in_words(one: Prediction | None) -> str:
    """Return a figure with its range, or that there is none."""
    return figure_with_range(one) if one is not None else tr("nothing is left")
