"""The ways of a change beside each other, under the array as it is: space, time, survival, odds and speed of each."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.analysis.advice.figures import LOSS_YEARS
from raidwright.analysis.advice.shapes import ShapeFigures
from raidwright.analysis.performance.change_time import ChangeTime
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.lvm.values import AnyWay
from raidwright.core.model.plan import MdArray, Plan
from raidwright.text.array.change_times import brief_time, time_words
from raidwright.text.array.changes import becomes_words
from raidwright.text.catalogue import decimal_size, joined, tr, translated
from raidwright.text.plan.loss import chance_in_brief
from raidwright.text.plan.names import shape_name, survives
from raidwright.text.plan.speed import figure, figure_with_range
from raidwright.text.shown import Cell
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel

_NOTHING = Cell("–")


@dataclass(frozen=True, slots=True)
class ShownWay:
    """A row: the array as it is (``way`` None), or what it can become; without ``figures`` it can't."""

    plan: Plan
    way: AnyWay | None = None
    figures: ShapeFigures | None = None
    time: ChangeTime | None = None


class WaysTable(Table):
    """The table. ``way_chosen(ChangeWay)`` follows a click or a key on a way."""

    way_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._chosen: AnyWay | None = None
        self._model = TableModel(_columns(), self._look)
        super().__init__(self._model, "change-ways", tr("Possible changes"), parent)
        self.row_activated.connect(self._activate)

    def show_ways(self, rows: tuple[ShownWay, ...], chosen: AnyWay | None) -> None:
        """Show ``rows``, and ``chosen`` as the chosen one."""
        is_other = chosen is not self._chosen
        self._chosen = chosen
        self._model.show_rows(rows)
        places = [place for place, row in enumerate(rows) if chosen is not None and row.way is chosen]
        if is_other and places:
            self.bring_into_sight(places[0])

    def _look(self, row: ShownWay) -> RowLook:
        is_chosen = row.way is not None and row.way is self._chosen
        return RowLook(marked=is_chosen, muted=row.figures is None or row.way is None)

    @Slot(int)
    def _activate(self, place: int) -> None:
        if (way := self._model.rows[place].way) is not None:
            self.way_chosen.emit(way)


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("Becomes"), _becomes, elides=True),
        Column(tr("Space"), _space, align="right"),
        Column(tr("Takes"), _takes, align="right"),
        Column(tr("Meanwhile may fail"), _meanwhile),
        Column(tr("Then may fail"), lambda row: survives(row.figures.survival) if row.figures else _NOTHING),
        Column(tr("Lost in {years:g} y", years=LOSS_YEARS), _loss, align="right"),
        Column(tr("Read, MB/s"), lambda row: _speed(row, 0), align="right"),
        Column(tr("Write, MB/s"), lambda row: _speed(row, 1), align="right"),
        Column(tr("Why not"), _why_not, stretch=True, spare=True),
    )


def _becomes(row: ShownWay) -> Cell:
    if row.way is None:
        return Cell(shape_name(row.plan.top), badge=tr("today"), hint=shape_name(row.plan.top))
    if not row.way.possible:
        return Cell(f"✕ {row.way.wish.level or row.plan.word}", hint=_reasons(row.way))
    return Cell(becomes_words(row.way), hint=becomes_words(row.way))


def _space(row: ShownWay) -> Cell:
    return Cell(decimal_size(row.figures.array_bytes)) if row.figures else _NOTHING


def _takes(row: ShownWay) -> Cell:
    return Cell(brief_time(row.time), hint=time_words(row.time)) if row.time else _NOTHING


def _meanwhile(row: ShownWay) -> Cell:
    if row.way is None or not row.way.steps or row.figures is None:
        return _NOTHING
    return Cell(tr("any {count}", count=row.way.survives) if row.way.survives else tr("none"))


def _loss(row: ShownWay) -> Cell:
    return Cell(chance_in_brief(row.figures.array_loss)) if row.figures else _NOTHING


def _speed(row: ShownWay, place: int) -> Cell:
    found: Prediction | None = row.figures.predictions[place] if row.figures else None
    return Cell(figure(found), hint=figure_with_range(found)) if found else _NOTHING


def _why_not(row: ShownWay) -> Cell:
    if row.way is None:
        return Cell()
    if not row.way.possible:
        return Cell(_reasons(row.way), hint=_reasons(row.way))
    left_out = joined(*map(translated, row.way.left_out)) if isinstance(row.way.before, MdArray) else ""
    said = left_out or ("" if row.way.steps else tr("It is like this already."))
    return Cell(said, hint=said)


def _reasons(way: AnyWay) -> str:
    return joined(*map(translated, way.refusals))
