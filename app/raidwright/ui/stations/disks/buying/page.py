"""The page “Before buying”: pools are typed, compared in a table, and one of them is planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QCheckBox, QCompleter, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.advice.figures import LOSS_YEARS
from raidwright.analysis.imagined import KINDS, is_imagined
from raidwright.analysis.reliability.published import published_rates
from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.text.catalogue import decimal_size, ntr, number, tr, translated, with_commas
from raidwright.text.disk.facts import kind
from raidwright.text.plan.candidates import on_disks, sizes_words
from raidwright.text.plan.how_fast import rests_on
from raidwright.text.plan.loss import chance_in_brief
from raidwright.text.plan.names import long_name, survives
from raidwright.text.plan.speed import figure, figure_with_range
from raidwright.text.shown import Cell
from raidwright.ui.settings.store import SettingsStore
from raidwright.ui.tokens import SPACE_M
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.inputs import ComboBox, DecimalBox
from raidwright.ui.widgets.panel import Panel, button, label, row
from raidwright.ui.widgets.row_menu import Entry, RowMenu
from raidwright.ui.widgets.segmented import Choice, Segmented
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel

from .model import BuyingModel, Pool, WantedPool
from .prices import PriceFields

_KINDS = {"": say("any kind"), "smr": say("shingled (SMR)")}  # the others are named as in the table of disks
_MAX_SURVIVE, _MAX_SPACE_TB = 3, 500


class BuyingPage(QWidget):
    """The page. ``back_wanted`` asks for the disks."""

    back_wanted = Signal()

    def __init__(self, model: BuyingModel, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("buying-page")
        self._model, self._settings, self._place = model, settings, 0
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
        settings.currency_changed.connect(self._show)
        self._show()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt: focus the text field."""
        super().focusInEvent(event)
        self._pool.setFocus(event.reason())

    def _form(self) -> Panel:
        panel = Panel(tr("Compare disks to buy"), tr("say what you need, or add sets of disks; then plan one of them"))
        back = button(tr("← Back to the disks"), "buying-back")
        back.clicked.connect(self.back_wanted)
        panel.head.addWidget(back)
        panel.body.addWidget(self._need())
        panel.body.addWidget(self._own_set())
        self._refusal = label("", "error", name="buying-refusal", wrap=True)
        self._refusal.hide()
        self._pool.textEdited.connect(self._refusal.hide)
        panel.body.addWidget(self._refusal)
        return panel

    def _need(self) -> QWidget:
        """Return the row of what is needed, for suggestions."""
        self._space = DecimalBox()
        self._space.setObjectName("buying-space")
        self._space.setAccessibleName(tr("Space needed, in TB"))
        self._space.setRange(0, _MAX_SPACE_TB)
        self._space.setDecimals(1)
        self._space.setSingleStep(1)
        self._space.setSuffix(tr(" TB"))
        self._space.setSpecialValueText(tr("any"))
        self._space.setKeyboardTracking(False)
        self._space.setFixedSize(96, 30)
        self._space.valueChanged.connect(lambda terabytes: self._model.want_space(round(terabytes * 1e12)))
        self._survive = Segmented("buying-survive", tr("Disks that may fail"))
        self._survive.chosen.connect(lambda count: self._model.survive(int(count)))
        self._kind = ComboBox()
        self._kind.setObjectName("buying-kind")
        self._kind.setAccessibleName(tr("Kind"))
        for name, disk in KINDS.items():
            self._kind.addItem(translated(_KINDS.get(name, kind(disk))), name)
        suggest = button(tr("Suggest sets"), "buying-suggest", primary=True)
        suggest.clicked.connect(self._suggest)
        titled = (
            (tr("Space needed"), self._space),
            (tr("Disks that may fail"), self._survive),
            (tr("Kind"), self._kind),
        )
        return wrapping(*(_titled(title, control) for title, control in titled), suggest, spacing=SPACE_M)

    def _own_set(self) -> QWidget:
        """Return the row of a set of one's own."""
        self._pool = _field("buying-pool", tr("Disks"), "4x8TB", 150)
        self._pool.setPlaceholderText("4x8TB+2x4TB")
        self._model_name = _field("buying-model", tr("Model"), "", 170)
        self._model_name.setPlaceholderText(tr("model, if you know it"))
        known = QCompleter(sorted({rate.model for rate in published_rates()}), self._model_name)
        known.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        known.setFilterMode(Qt.MatchFlag.MatchContains)
        self._model_name.setCompleter(known)
        self._adding = button(tr("Add"), "buying-add")
        self._adding.clicked.connect(self._add)
        self._pool.returnPressed.connect(self._add)
        titled = (_titled(tr("Or a set of yours"), self._pool), _titled(tr("Model"), self._model_name))
        self._prices = PriceFields(self._settings, self)
        self._pool.textChanged.connect(self._prices.show_pool)
        for edited in (self._pool.textChanged, self._model_name.textChanged, self._kind.currentIndexChanged):
            edited.connect(self._name_add)
        whole = wrapping(*titled, *self._prices.parts, self._adding, spacing=SPACE_M)
        self._prices.show_pool(self._pool.text())
        return whole

    def _comparison(self) -> Panel:
        panel = Panel(tr("Disk sets compared"), tr("each with the layout that is best for it"))
        self._mixed = QCheckBox()
        self._mixed.setObjectName("buying-mixed")
        self._mixed.toggled.connect(self._model.mix)
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
        panel.body.addWidget(self._mixed)
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
            Column(tr("Lost in {years:g} y", years=LOSS_YEARS), _loss, align="right"),
            Column(tr("Read, MB/s"), lambda pool: _speed(pool, "read"), align="right", spare=True),
            Column(tr("Write, MB/s"), lambda pool: _speed(pool, "write"), align="right", spare=True),
            Column(self._in_currency(tr("Price")), lambda pool: _money(pool.cost), align="right"),
            Column(tr("Per usable TB"), lambda pool: _money(pool.cost_per_tb), align="right"),
            Column("", lambda _pool: Cell(""), stretch=True),
        )

    def _in_currency(self, title: str) -> str:
        return with_commas(*filter(None, (title, self._settings.currency)))

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
    def _suggest(self) -> None:
        self._space.interpretText()  # a number that is still being typed
        try:
            self._model.suggest(self._kind.currentData())
        except InputError as error:
            self._refuse(error)
            self._space.setFocus()
            return
        self._refusal.hide()
        self._choose(self._place)
        self._table.setFocus()

    def _refuse(self, error: InputError) -> None:
        self._refusal.setText(translated(error.sentence))
        self._refusal.show()

    @Slot()
    def _add(self) -> None:
        wanted = self._typed()
        try:
            self._model.add(wanted)
        except InputError as error:
            self._refuse(error)
            self._pool.setFocus()
            return
        self._refusal.hide()
        self._choose(self._model.place_of(wanted) or 0)
        self._pool.selectAll()
        self._pool.setFocus()

    def _typed(self) -> WantedPool:
        model = self._model_name.text().strip()
        return WantedPool(self._pool.text(), self._kind.currentData(), model, self._prices.prices)

    @Slot()
    def _name_add(self) -> None:
        is_there = self._model.place_of(self._typed()) is not None
        self._adding.setText(tr("Set prices") if is_there else tr("Add"))
        self._adding.setAccessibleName(self._adding.text())

    @Slot(int)
    def _choose(self, place: int) -> None:
        """Choose a set, and put it into the fields, where prices can be given to it."""
        self._place = place
        if 0 <= place < len(self._model.pools):
            wanted = self._model.pools[place].wanted
            self._pool.setText(wanted.pool)
            self._kind.setCurrentIndex(self._kind.findData(wanted.kind))
            self._model_name.setText(wanted.model)
            self._prices.show_prices(dict(wanted.prices))
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
        self._name_add()

    def _hint_words(self, pools: tuple[Pool, ...]) -> str:
        if not pools:
            return tr("Say how much space you need, or write a set such as 4x8TB, and another to compare: 6x6TB.")
        if refusal := pools[self._place].refusal:
            return refusal
        is_priced = any(pool.cost for pool in pools)
        return (
            ""
            if is_priced
            else tr("To compare prices, click a set, enter the price of a disk, and press “Set prices”.")
        )


def _field(name: str, title: str, text: str, width: int) -> QLineEdit:
    field = QLineEdit(text)
    field.setObjectName(name)
    field.setAccessibleName(title)
    field.setMinimumWidth(width)
    return field


def _titled(title: str, control: QWidget) -> QWidget:
    """Return the control with its title, kept on one line."""
    whole = QWidget()
    whole.setLayout(row(label(title, "dim"), control))
    if not isinstance(control, QLineEdit):
        whole.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
    return whole


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
        return Cell(on_disks(long_name(prepared.plan.top), prepared), badge=badge, tone="warn", hint=hint)
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
