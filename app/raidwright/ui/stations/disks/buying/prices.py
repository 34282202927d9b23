"""Fields for the prices of a pool's disks: one for each size, and the currency."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel, QLineEdit, QSizePolicy, QWidget

from raidwright.core.errors import InputError
from raidwright.reading.pool import parse_pool
from raidwright.text.catalogue import tr
from raidwright.text.plan.candidates import short_size
from raidwright.ui.settings.store import MAX_CURRENCY, SettingsStore
from raidwright.ui.widgets.inputs import DecimalBox
from raidwright.ui.widgets.panel import label, row

_MAX_PRICE, _MAX_SIZES = 1_000_000, 4


class PriceFields:
    """The fields, as the widgets ``parts``; ``show_pool`` shows as many as the pool has sizes."""

    def __init__(self, settings: SettingsStore, parent: QWidget) -> None:
        self._settings = settings
        self._sizes: tuple[int, ...] = ()
        self._fields = [_field(place, parent) for place in range(_MAX_SIZES)]
        self._currency = QLineEdit(settings.currency)
        self._currency.setObjectName("buying-currency")
        self._currency.setAccessibleName(tr("Currency"))
        self._currency.setPlaceholderText("EUR")
        self._currency.setMaxLength(MAX_CURRENCY)
        self._currency.setFixedSize(64, 30)
        self._currency.editingFinished.connect(lambda: setattr(settings, "currency", self._currency.text()))
        currency = QWidget(parent)
        currency.setLayout(row(label(tr("Currency"), "dim"), self._currency))
        currency.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.parts = (*(whole for whole, _, _ in self._fields), currency)
        settings.currency_changed.connect(self._show_currency)

    @property
    def prices(self) -> tuple[tuple[int, float], ...]:
        """The prices per disk, by size in bytes; those of other sizes are left out."""
        values = ((size, box.value()) for size, (_, _, box) in zip(self._sizes, self._fields, strict=False))
        return tuple((size, price) for size, price in values if price)

    @Slot(str)
    def show_pool(self, text: str) -> None:
        """Show a field for each size of the pool ``text``; an invalid one keeps the present fields."""
        try:
            sizes = tuple(dict.fromkeys(group.size_bytes for group in parse_pool(text)))[:_MAX_SIZES]
        except InputError:
            sizes = self._sizes or (0,)
        known = dict(zip(self._sizes, (box.value() for _, _, box in self._fields), strict=False))
        is_another = set(sizes).isdisjoint(self._sizes)
        first = self._fields[0][2].value()
        for place, (whole, name, box) in enumerate(self._fields):
            whole.setVisible(place < len(sizes))
            if place < len(sizes):
                title = tr("Price of {size}", size=short_size(sizes[place])) if len(sizes) > 1 else tr("Price per disk")
                name.setText(title)
                box.setAccessibleName(title)
                box.show_value(known.get(sizes[place], first if is_another and len(sizes) == 1 else 0.0))
        self._sizes = sizes

    def show_prices(self, prices: Mapping[int, float]) -> None:
        """Show the prices of the pool's sizes."""
        for size, (_, _, box) in zip(self._sizes, self._fields, strict=False):
            box.show_value(prices.get(size, 0.0))

    @Slot()
    def _show_currency(self) -> None:
        self._currency.setText(self._settings.currency)


def _field(place: int, parent: QWidget) -> tuple[QWidget, QLabel, DecimalBox]:
    box = DecimalBox()
    box.setObjectName(f"buying-price-{place + 1}" if place else "buying-price")
    box.setRange(0, _MAX_PRICE)
    box.setDecimals(2)
    box.setSpecialValueText(tr("no price"))
    box.setFixedSize(110, 30)
    name, whole = label("", "dim"), QWidget(parent)  # keeps the label and the field on one line
    whole.setLayout(row(name, box))
    return whole, name, box
