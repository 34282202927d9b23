"""What Qt itself says, how dates are written and where a line begins: as in the language that the program speaks."""

from __future__ import annotations

import functools

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from raidwright.text import catalogue


def follow(app: QApplication) -> None:
    """Have Qt's dialogs and menus speak the catalogue's language from now on, and ``app`` laid out in its direction."""
    locale = QLocale(catalogue.language())
    if QLocale.system().language() == locale.language():
        locale = QLocale.system()  # with the dates of the person's own country
    QLocale.setDefault(locale)
    words = _words()
    app.removeTranslator(words)
    if words.load(locale, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(words)
    app.setLayoutDirection(locale.textDirection())


@functools.cache
def _words() -> QTranslator:
    """What Qt says by itself; always the same one, with other words."""
    return QTranslator(QApplication.instance())
