"""Every layout for the chosen disks: the ranked table, and a scatter plot of safety against space."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.advice.figures import Predictions
from raidwright.analysis.advice.ranking import Candidate
from raidwright.analysis.performance.prediction import Prediction
from raidwright.text.catalogue import decimal_size, joined, tr, translated
from raidwright.text.plan.candidates import (
    gist_words,
    on_disks,
    shared_warnings,
    standing_words,
    unused_in_brief,
    unused_sentence,
    why_words,
)
from raidwright.text.plan.how_fast import rests_on
from raidwright.text.plan.loss import chance_in_brief, years_words
from raidwright.text.plan.names import long_name, survives
from raidwright.text.plan.speed import figure, figure_with_range
from raidwright.text.shown import Cell
from raidwright.ui.stations.plan.loss.model import LossModel
from raidwright.ui.tokens import SPACE_L
from raidwright.ui.widgets.panel import Panel, label, row
from raidwright.ui.widgets.row_menu import Entry, RowMenu, copying
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel

from .map import CandidateMap
from .ranking import RankingModel

_MAP_WIDTH, _ROOM_FOR_MAP = 244, 1150
_Row = tuple[int, Candidate]  # its rank, from 1
_MIN_HEIGHT = 86  # the heading and two rows, to show that there are more


class Candidates(Panel):
    """The candidates. A click on a row or a point makes it the present plan."""

    def __init__(self, model: RankingModel, losses: LossModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Every layout for these disks"), parent=parent)
        self.setObjectName("candidates")
        self._model, self._losses = model, losses
        self._count = label("", "dim", name="candidates-count")
        self.say_beside(self._count)
        self._rows = TableModel(self._columns(), self._look)
        self._table = table = Table(self._rows, "candidates-table", tr("Every layout for these disks"))
        table.row_activated.connect(model.choose)
        RowMenu(table, self._entries)
        table.setMinimumHeight(_MIN_HEIGHT)
        table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # it scrolls; text doesn't
        self._map = CandidateMap()
        self._map.setFixedWidth(_MAP_WIDTH)
        self._map.chosen.connect(model.choose)
        self._plans: tuple[Prepared, ...] = ()
        self._said: dict[tuple[str, int], Cell] = {}
        self._sighted = -1  # the present plan's row when it was last scrolled to
        self._relax = label("", "error", name="candidates-relax", wrap=True)
        self.body.addWidget(self._relax)
        self.body.addLayout(row(table, self._map, spacing=SPACE_L), 1)
        self._chosen = label("", "dim", name="candidates-chosen", wrap=True)
        self.body.addWidget(self._chosen)
        model.changed.connect(self._show)
        losses.years_changed.connect(self._show)

    def _columns(self) -> tuple[Column, ...]:
        any_unused = any(one.prepared.unused for one in self._model.ranking.candidates)
        return (
            Column("", lambda one: Cell(str(one[0])), align="right", spare=True),
            Column(tr("Layout"), self._once("layout", _layout), elides=True, hint=lambda one: _why(one[1])),
            Column(tr("Space"), self._once("space", _space), align="right"),
            Column(tr("May fail"), self._once("may-fail", lambda item: survives(item.assessment.survival))),
            Column(
                tr("Lost in {years:g} y", years=self._losses.years),
                lambda one: Cell(chance_in_brief(self._losses.chance_of(one[1].prepared))),
                align="right",
                hint=lambda _one: self._about_loss(),
            ),
            *self._speeds(),
            Column(tr("Unused"), self._once("unused", _unused), wanted=any_unused, spare=True),
            Column(
                tr("For and against"),
                lambda one: Cell(gist_words(one[1])),
                stretch=True,
                spare=True,
                hint=lambda one: _why(one[1]),
            ),
        )

    def _entries(self, place: int) -> tuple[Entry, ...]:
        one = self._rows.rows[place][1]  # the row's number may have changed when the menu is used
        told = () if self._model.why_untouchable else one.prepared.assessment.commands
        commands = "\n".join(command.shell() for command in told)
        return (
            Entry("plan", tr("Plan it"), lambda: self._model.choose_again(one)),
            copying("commands", tr("Copy its command"), commands),
        )

    def _speeds(self) -> tuple[Column, ...]:
        """Return the columns of speeds; small accesses are shown if they fit, or count."""
        basis = rests_on(self._model.pool)

        def column(
            title: str,
            of: Callable[[Predictions], Sequence[Prediction | None]],
            *,
            spare: bool = False,
            yields: bool = False,
        ) -> Column:
            def there(item: Prepared) -> list[Prediction]:
                return [one for one in of(item.predictions) if one is not None]

            return Column(
                title,
                self._once(title, lambda item: Cell(", ".join(map(figure, there(item))) or "–")),
                align="right",
                spare=spare,
                yields=yields,
                hint=lambda one: "\n".join([*map(figure_with_range, there(one[1].prepared)), basis]),
            )

        wished = self._model.fastest_at if self._model.asks_for_speed else ""
        return (
            column(tr("Read, MB/s"), lambda found: (found.read,)),
            column(tr("Write, MB/s"), lambda found: (found.write,), yields=wished != "writing"),
            column(tr("Small IOPS"), lambda found: (found.random_read, found.random_write), spare=wished != "random"),
        )

    def _once(self, column: str, say: Callable[[Prepared], Cell]) -> Callable[[_Row], Cell]:
        """Return the column's cells, each said once per plan: a moved wish moves rows, and changes none of them."""

        def cell(one: _Row) -> Cell:
            key = column, id(one[1].prepared)
            if key not in self._said:
                self._said[key] = say(one[1].prepared)
            return self._said[key]

        return cell

    def _about_loss(self) -> str:
        return tr(
            "How likely the whole array is lost within {years}, with every assumption at its likely value.",
            years=years_words(self._losses.years),
        )

    def _look(self, one: tuple[int, Candidate]) -> RowLook:
        return RowLook(marked=self._model.is_chosen(one[1]), muted=bool(one[1].unmet))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: on a small window, only the table is shown; it has all data of the plot."""
        self._map.setVisible(self.width() >= _ROOM_FOR_MAP)
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: compute changes made meanwhile."""
        super().showEvent(event)
        self._show()

    @Slot()
    def _show(self) -> None:
        if not self.isVisible():
            return  # the losses of all candidates take longer than a key press
        candidates = self._model.ranking.candidates
        if self._plans is not self._model.prepared:
            self._plans, self._said = self._model.prepared, {}
        self._count.setText(f"· {standing_words(candidates, self._model.place)}")
        self._rows.show_columns(self._columns())  # a title contains the years
        self._rows.show_rows(tuple(enumerate(candidates, start=1)))
        self._relax.setText(translated(self._model.ranking.relax))
        self._relax.setVisible(bool(self._model.ranking.relax))
        marked = -1 if self._model.place is None else self._model.place
        if marked >= 0 and marked != self._sighted:  # don't undo the user's scrolling
            self._table.bring_into_sight(marked)
        self._sighted = marked
        said = joined(_about(candidates[marked]) if marked >= 0 else "", shared_warnings(candidates))
        self._chosen.setText(said)
        self._chosen.setVisible(bool(said))
        losses = tuple(self._losses.chance_of(one.prepared) for one in candidates)
        self._map.show_candidates(candidates, losses, marked, self._losses.years, self._model.fastest_at)


def _layout(prepared: Prepared) -> Cell:
    name = on_disks(long_name(prepared.plan.top), prepared)
    return Cell(name, badge="⚠" if prepared.telling else "", tone="warn")


def _about(one: Candidate) -> str:
    return tr("{name}: {why}", name=long_name(one.prepared.plan.top), why=_why(one))


def _space(prepared: Prepared) -> Cell:
    return Cell(decimal_size(prepared.array_bytes))


def _unused(prepared: Prepared) -> Cell:
    return Cell(unused_in_brief(prepared.unused) or "–", hint=unused_sentence(prepared.unused))


def _why(one: Candidate) -> str:
    return why_words(one, long_name)
