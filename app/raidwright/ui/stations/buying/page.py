"""The page “Before buying”: pools are typed, compared in a table, and one of them is planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QCheckBox, QCompleter, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.reliability.published import published_rates
from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.core.model.imagined import KINDS, is_imagined
from raidwright.text.candidates import on_disks, sizes_words
from raidwright.text.catalogue import decimal_size, ntr, number, tr, translated
from raidwright.text.disks import kind
from raidwright.text.how_fast import rests_on
from raidwright.text.loss import chance_in_brief
from raidwright.text.plans import long_name, survives
from raidwright.text.shown import Cell
from raidwright.text.speed import figure, figure_with_range
from raidwright.ui.tokens import SPACE_L, SPACE_M
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.inputs import ComboBox, DecimalBox
from raidwright.ui.widgets.panel import Panel, button, label, row
from raidwright.ui.widgets.row_menu import Entry, RowMenu
from raidwright.ui.widgets.segmented import Choice, Segmented
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel

from .model import BuyingModel, Pool, WantedPool

_KINDS = {"": say("any kind"), "smr": say("shingled (SMR)")}  # the others are named as in the table of disks
_MAX_PRICE, _MAX_SURVIVE = 100_000, 3


class BuyingPage(QWidget):
    """The page. ``back_wanted`` asks for the disks."""

    back_wanted = Signal()

    def __init__(self, model: BuyingModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("buying-page")
        self._model, self._place = model, 0
        self._rows = TableModel(self._columns(), self._look)
        self._table = Table(self._rows, "buying-table", tr("Disk sets compared"))
        self._table.row_activated.connect(self._choose)
        RowMenu(self._table, self._entries)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(self._form())
        box.addWidget(self._comparison(), 1)
        model.changed.connect(self._show)
        self._show()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt: focus the text field."""
        super().focusInEvent(event)
        self._pool.setFocus(event.reason())

    def _form(self) -> Panel:
        panel = Panel(
            tr("Compare disks to buy"), tr("add sets of disks that you might buy, compare them, and plan one")
        )
        self._pool = _field("buying-pool", tr("Disks"), "4x8TB", 150)
        self._pool.setPlaceholderText("4x8TB+2x4TB")
        self._kind = ComboBox()
        self._kind.setObjectName("buying-kind")
        self._kind.setAccessibleName(tr("Kind"))
        for name, disk in KINDS.items():
            self._kind.addItem(translated(_KINDS.get(name, kind(disk))), name)
        self._model_name = _field("buying-model", tr("Model"), "", 170)
        self._model_name.setPlaceholderText(tr("model, if you know it"))
        known = QCompleter(sorted({rate.model for rate in published_rates()}), self._model_name)
        known.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        known.setFilterMode(Qt.MatchFlag.MatchContains)
        self._model_name.setCompleter(known)
        self._price = DecimalBox()
        self._price.setObjectName("buying-price")
        self._price.setAccessibleName(tr("Price of one disk"))
        self._price.setRange(0, _MAX_PRICE)
        self._price.setDecimals(2)
        self._price.setSpecialValueText(tr("no price"))
        self._price.setFixedSize(110, 30)
        add = button(tr("Add"), "buying-add", primary=True)
        add.clicked.connect(self._add)
        self._pool.returnPressed.connect(self._add)
        back = button(tr("← Back to the disks"), "buying-back")
        back.clicked.connect(self.back_wanted)
        self._refusal = label("", "error", name="buying-refusal", wrap=True)
        self._refusal.hide()
        self._pool.textEdited.connect(self._refusal.hide)
        parts = []
        for title, control in (
            (tr("Disks"), self._pool),
            (tr("Kind"), self._kind),
            (tr("Model"), self._model_name),
            (tr("Price per disk"), self._price),
        ):
            said = QWidget(panel)  # keeps the label and the control on one line
            said.setLayout(row(label(title, "dim"), control))
            parts.append(said)
        panel.body.addWidget(wrapping(*parts, add, back, spacing=SPACE_M))
        panel.body.addWidget(self._refusal)
        return panel

    def _comparison(self) -> Panel:
        panel = Panel(tr("Disk sets compared"), tr("each with the layout that is best for it"))
        self._survive = Segmented("buying-survive", tr("Disks that may fail"))
        self._survive.chosen.connect(lambda count: self._model.survive(int(count)))
        self._mixed = QCheckBox()
        self._mixed.setObjectName("buying-mixed")
        self._mixed.toggled.connect(self._model.mix)
        wishes = row(label(tr("Disks that may fail"), "dim"), self._survive, self._mixed, spacing=SPACE_L)
        wishes.addStretch(1)
        self._hint = label("", "dim", name="buying-hint", wrap=True)
        self._plan = button(tr("Plan these disks →"), "buying-plan", primary=True)
        self._plan.clicked.connect(lambda: self._model.plan(self._place))
        self._remove = button(tr("Remove"), "buying-remove", hint=tr("Leave this set of disks out of the comparison"))
        self._remove.clicked.connect(lambda: self._model.remove(self._place))
        foot = QHBoxLayout()
        foot.setSpacing(SPACE_M)
        foot.addWidget(self._plan)
        foot.addWidget(self._remove)
        foot.addWidget(self._hint, 1)
        panel.body.addLayout(wishes)
        panel.body.addWidget(self._table, 1)
        panel.body.addLayout(foot)
        return panel

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column(tr("Disks"), _disks),
            Column(tr("Best layout"), _layout),
            Column(tr("Space"), lambda pool: _of(pool, lambda best: decimal_size(best.array_bytes)), align="right"),
            Column(
                tr("May fail"), lambda pool: survives(pool.best.prepared.assessment.survival) if pool.best else Cell("")
            ),
            Column(tr("Loss, 5 y"), _loss, align="right"),
            Column(tr("Read, MB/s"), lambda pool: _speed(pool, "read"), align="right"),
            Column(tr("Write, MB/s"), lambda pool: _speed(pool, "write"), align="right"),
            Column(tr("Price"), lambda pool: _money(pool.cost), align="right"),
            Column(tr("Price per usable TB"), lambda pool: _money(pool.cost_per_tb), align="right"),
            Column("", lambda _pool: Cell(""), stretch=True),
        )

    def _look(self, pool: Pool) -> RowLook:
        is_chosen = 0 <= self._place < len(self._model.pools) and pool is self._model.pools[self._place]
        return RowLook(marked=is_chosen)

    def _entries(self, place: int) -> tuple[Entry, ...]:
        return (
            Entry(
                "plan",
                tr("Plan these disks"),
                lambda: self._model.plan(place),
                is_open=self._model.pools[place].is_enough,
            ),
            Entry("remove", tr("Remove"), lambda: self._model.remove(place)),
        )

    @Slot()
    def _add(self) -> None:
        wanted = WantedPool(
            self._pool.text(), self._kind.currentData(), self._model_name.text().strip(), self._price.value()
        )
        try:
            self._model.add(wanted)
        except InputError as error:
            self._refusal.setText(translated(error.sentence))
            self._refusal.show()
            self._pool.setFocus()
            return
        self._refusal.hide()
        self._choose(len(self._model.pools) - 1)
        self._pool.selectAll()
        self._pool.setFocus()

    @Slot(int)
    def _choose(self, place: int) -> None:
        self._place = place
        self._show()

    @Slot()
    def _show(self) -> None:
        pools = self._model.pools
        self._place = min(self._place, max(0, len(pools) - 1))
        self._rows.show_columns(self._columns())
        self._rows.show_rows(pools)
        choices = [Choice(str(count), str(count)) for count in range(_MAX_SURVIVE + 1)]
        self._survive.show_choices(choices, str(self._model.must_survive))
        count = len(self._model.chosen)
        self._mixed.setText(ntr("with the {count} real disk chosen", "with the {count} real disks chosen", count))
        self._mixed.setVisible(count > 0 or self._model.is_mixed)
        self._plan.setEnabled(bool(pools) and pools[self._place].is_enough)
        self._remove.setEnabled(bool(pools))
        self._hint.setText(self._hint_words(pools))

    def _hint_words(self, pools: tuple[Pool, ...]) -> str:
        if not pools:
            return tr("Write a pool such as 4x8TB above, then another beside it: 6x6TB.")
        return pools[self._place].refusal


def _field(name: str, title: str, text: str, width: int) -> QLineEdit:
    field = QLineEdit(text)
    field.setObjectName(name)
    field.setAccessibleName(title)
    field.setMinimumWidth(width)
    return field


def _disks(pool: Pool) -> Cell:
    """Return “2 × 8 TB + 4 × 6 TB · 7200 rpm”, with real and imagined disks on hover."""
    sizes = Counter(disk.size_bytes for disk in pool.disks)
    bought = pool.disks[-1]
    said = pool.wanted.model or (translated(_KINDS.get(pool.wanted.kind, kind(bought))) if pool.wanted.kind else "")
    real = sum(not is_imagined(disk.id) for disk in pool.disks)
    hint = ntr("{count} of them is yours already", "{count} of them are yours already", real) if real else ""
    return Cell(
        " · ".join(part for part in (sizes_words((count, size) for size, count in sizes.items()), said) if part),
        hint=hint,
    )


def _layout(pool: Pool) -> Cell:
    if pool.best is not None:
        prepared = pool.best.prepared
        badge = "⚠" if prepared.warnings else ""
        hint = "\n".join(translated(finding.sentence) for finding in prepared.warnings)
        return Cell(on_disks(long_name(prepared.plan), prepared), badge=badge, tone="warn", hint=hint)
    return Cell(tr("none"), hint=pool.refusal) if pool.refusal else Cell(tr("working it out …"))


def _of(pool: Pool, words: Callable[[Prepared], str]) -> Cell:
    return Cell(words(pool.best.prepared) if pool.best is not None else "")


def _loss(pool: Pool) -> Cell:
    return _of(pool, lambda best: chance_in_brief(best.array_loss))


def _speed(pool: Pool, which: Literal["read", "write"]) -> Cell:
    """Return the predicted speed of one stream; its range and basis on hover."""
    found = getattr(pool.best.prepared.predictions, which) if pool.best is not None else None
    if found is None:
        return Cell("–" if pool.best is not None else "")
    basis = rests_on(tuple(disk.as_member() for disk in pool.disks))
    return Cell(figure(found), hint=f"{figure_with_range(found)}\n{basis}")


def _money(amount: float) -> Cell:
    return Cell(number(amount, ",.2f") if amount else "–")
