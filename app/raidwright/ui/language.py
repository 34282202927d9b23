"""What Qt itself says, how dates are written and where a line begins: as in the language that the program speaks."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from raidwright.text import catalogue


def follow(app: QApplication) -> None:
    """Have Qt's dialogs and menus speak the catalogue's language from now on, and ``app`` laid out in its direction."""
    locale = QLocale(catalogue.language())
    if QLocale.system().language() == locale.language():
        locale = QLocale.system()  # with the dates of the person's own country
    QLocale.setDefault(locale)
    for spoken in app.findChildren(QTranslator):
        app.removeTranslator(spoken)
        spoken.deleteLater()
    words = QTranslator(app)
    if words.load(locale, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(words)
    app.setLayoutDirection(locale.textDirection())
