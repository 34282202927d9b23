"""The dialog “Settings”: changes apply immediately, or after the time shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QLayout, QLineEdit, QVBoxLayout, QWidget

from raidwright.text.catalogue import languages, tr
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_XL
from raidwright.ui.widgets.inputs import ComboBox, SpinBox
from raidwright.ui.widgets.panel import button, label, row
from raidwright.ui.widgets.segmented import Choice, Segmented

from .store import MAX_CURRENCY, SettingsStore, Theme, Units

_WIDTH = 420
_MAX_YEARS = 30


class SettingsDialog(QDialog):
    """The dialog; it shows and changes ``settings``."""

    def __init__(self, settings: SettingsStore, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setObjectName("settings")
        self.setWindowTitle(tr("Settings"))
        self.setAccessibleName(tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_L)
        grid.setVerticalSpacing(SPACE_M)
        for place, (title, control) in enumerate(self._rows()):
            name = label(title, "dim")
            name.setBuddy(control)
            grid.addWidget(name, place, 0)
            grid.addWidget(control, place, 1, Qt.AlignmentFlag.AlignLeft)
        grid.setColumnStretch(1, 1)
        later = label(
            tr("Theme and currency change at once; language, units and years count from the next start on."),
            "dim",
            wrap=True,
        )
        later.setFixedWidth(_WIDTH)
        later.setMinimumHeight(later.heightForWidth(_WIDTH))
        close = button(tr("Close"), "settings-close", primary=True)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        foot = row()
        foot.addStretch(1)
        foot.addWidget(close)
        box = QVBoxLayout(self)
        box.setContentsMargins(*(SPACE_XL,) * 4)
        box.setSpacing(SPACE_L)
        box.addWidget(_title(tr("Settings")))
        box.addLayout(grid)
        box.addWidget(later)
        box.addLayout(foot)
        box.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)  # else wrapped labels take height from the others

    def _rows(self) -> tuple[tuple[str, QWidget], ...]:
        return (
            (tr("Theme"), self._theme()),
            (tr("Language"), self._language()),
            (tr("Sizes"), self._units()),
            (tr("Loss within (years)"), self._years()),
            (tr("Currency of prices"), self._currency()),
        )

    def _theme(self) -> Segmented:
        names = ((Theme.SYSTEM, tr("as the system")), (Theme.LIGHT, tr("light")), (Theme.DARK, tr("dark")))
        return _segments("settings-theme", tr("Theme"), names, self._settings.theme, self._choose_theme)

    def _choose_theme(self, theme: str) -> None:
        self._settings.theme = Theme(theme)

    def _language(self) -> ComboBox:
        box = ComboBox()
        box.setObjectName("settings-language")
        box.setAccessibleName(tr("Language"))
        box.addItem(tr("the system's"), "")
        for code in languages():
            box.addItem(QLocale(code).nativeLanguageName() or code, code)
        box.setCurrentIndex(max(0, box.findData(self._settings.language)))
        box.activated.connect(lambda _place: setattr(self._settings, "language", box.currentData()))
        return box

    def _units(self) -> Segmented:
        names = ((Units.DECIMAL, tr("TB, as disks are sold")), (Units.BINARY, tr("TiB, as mdadm counts")))
        return _segments("settings-units", tr("Sizes"), names, self._settings.units, self._choose_units)

    def _choose_units(self, units: str) -> None:
        self._settings.units = Units(units)

    def _years(self) -> SpinBox:
        box = SpinBox()
        box.setObjectName("settings-years")
        box.setAccessibleName(tr("Loss within (years)"))
        box.setFixedSize(76, 30)
        box.setRange(1, _MAX_YEARS)
        box.setValue(self._settings.years)
        box.valueChanged.connect(lambda years: setattr(self._settings, "years", years))
        return box

    def _currency(self) -> QLineEdit:
        field = QLineEdit(self._settings.currency)
        field.setObjectName("settings-currency")
        field.setAccessibleName(tr("Currency of prices"))
        field.setPlaceholderText("EUR")
        field.setMaxLength(MAX_CURRENCY)
        field.setFixedSize(76, 30)
        field.editingFinished.connect(lambda: setattr(self._settings, "currency", field.text()))
        return field


def _title(text: str) -> QLabel:
    return label(text, "headline")


def _segments(
    name: str, title: str, names: tuple[tuple[str, str], ...], now: str, choose: Callable[[str], None]
) -> Segmented:
    segments = Segmented(name, title)

    def show(current: str) -> None:
        segments.show_choices([Choice(str(key), text) for key, text in names], current)

    def take(key: str) -> None:
        choose(key)
        show(key)

    segments.chosen.connect(take)
    show(str(now))
    return segments
