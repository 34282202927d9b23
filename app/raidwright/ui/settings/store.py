"""User settings of the window, stored in ``$XDG_CONFIG_HOME/raidwright/window.ini``; no plans, no machines.

Unreadable values count as unset: a file edited by hand must not prevent the window from opening.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QByteArray, QObject, QSettings, Qt, Signal, Slot

MAX_CURRENCY = 8  # letters
_MAX_RECENT = 8
_FIRST_YEARS, _MAX_YEARS = 5, 30


class Theme(StrEnum):
    """The window's colour scheme."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"

    @property
    def scheme(self) -> Qt.ColorScheme:
        """Qt's colour scheme; unknown means the desktop's."""
        return {Theme.LIGHT: Qt.ColorScheme.Light, Theme.DARK: Qt.ColorScheme.Dark}.get(self, Qt.ColorScheme.Unknown)


class Units(StrEnum):
    """Units of sizes: powers of 1000 (TB) or of 1024 (TiB)."""

    DECIMAL = "decimal"
    BINARY = "binary"


_One = TypeVar("_One", bound=StrEnum)


class SettingsStore(QObject):
    """The settings. Those with a signal of their own apply immediately; the others from the next start on.

    Without a ``store`` nothing is saved.
    """

    theme_changed = Signal()
    recent_changed = Signal()
    currency_changed = Signal()

    def __init__(self, store: QSettings | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._kept: dict[str, object] = {}

    @classmethod
    def of_user(cls, parent: QObject | None = None) -> SettingsStore:
        """Return the settings of the present user."""
        return cls(QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "raidwright", "window"), parent)

    @property
    def theme(self) -> Theme:
        """The colour scheme."""
        return self._one_of(Theme, "theme", Theme.SYSTEM)

    @theme.setter
    def theme(self, theme: Theme) -> None:
        if theme is not self.theme:
            self._set("theme", str(theme))
            self.theme_changed.emit()

    @property
    def units(self) -> Units:
        """The units of sizes."""
        return self._one_of(Units, "units", Units.DECIMAL)

    @units.setter
    def units(self, units: Units) -> None:
        self._set("units", str(units))

    @property
    def language(self) -> str:
        """The language's code, "" for the system's."""
        return self._text("language")

    @language.setter
    def language(self, language: str) -> None:
        self._set("language", language)

    @property
    def years(self) -> int:
        """The initial period of a loss, in years."""
        said = self._text("years")
        return int(said) if said.isdigit() and 1 <= int(said) <= _MAX_YEARS else _FIRST_YEARS

    @years.setter
    def years(self, years: int) -> None:
        self._set("years", str(years))

    @property
    def currency(self) -> str:
        """The currency of prices, as text; "" if unset."""
        return self._text("currency")

    @currency.setter
    def currency(self, currency: str) -> None:
        currency = currency.strip()[:MAX_CURRENCY]
        if currency != self.currency:
            self._set("currency", currency)
            self.currency_changed.emit()

    @property
    def is_new(self) -> bool:
        """True until the welcome has been shown to the user."""
        return self._store is not None and not self._text("greeted")

    @Slot()
    def greeted(self) -> None:
        """Record that the welcome was shown."""
        self._set("greeted", "yes")

    @property
    def wants_walk(self) -> bool:
        """True until the user has finished or skipped the walk."""
        return self._store is not None and not self._text("walked")

    @Slot()
    def walked(self) -> None:
        """Record that the walk was finished or skipped."""
        self._set("walked", "yes")

    @property
    def geometry(self) -> QByteArray:
        """The window's geometry in Qt's format; empty until the program has ended once."""
        kept = self._get("geometry")
        return kept if isinstance(kept, QByteArray) else QByteArray()

    @geometry.setter
    def geometry(self, geometry: QByteArray) -> None:
        self._set("geometry", geometry)

    @property
    def recent(self) -> tuple[Path, ...]:
        """Plan files opened or saved, the newest first; only existing ones."""
        kept = self._get("recent")
        names: Sequence[object] = kept if isinstance(kept, (list, tuple)) else [kept] if kept else ()
        return tuple(path for path in map(Path, map(str, names)) if path.is_file())

    def remember(self, path: Path) -> None:
        """Record an opened or saved plan file."""
        path = path.absolute()
        others = [one for one in self.recent if one != path]
        self._set("recent", [str(one) for one in (path, *others)][:_MAX_RECENT])
        self.recent_changed.emit()

    def _one_of(self, kind: type[_One], key: str, first: _One) -> _One:
        try:
            return kind(self._text(key))
        except ValueError:
            return first

    def _text(self, key: str) -> str:
        kept = self._get(key)
        return kept if isinstance(kept, str) else ""

    def _get(self, key: str) -> object:
        return self._kept.get(key) if self._store is None else self._store.value(key)

    def _set(self, key: str, value: object) -> None:
        if self._store is None:
            self._kept[key] = value
        else:
            self._store.setValue(key, value)
