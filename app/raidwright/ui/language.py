"""Qt's own texts, date formats and layout direction in the program's language."""

from __future__ import annotations

import functools

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from raidwright.text import catalogue
from raidwright.text.catalogue import tr
from raidwright.text.shown import Note, Severity

from . import tokens
from .theme import font


def follow(app: QApplication) -> None:
    """Set the catalogue's language in Qt's dialogs and menus, and its direction in ``app``."""
    locale = QLocale(catalogue.language())
    if QLocale.system().language() == locale.language():
        locale = QLocale.system()  # with the dates of the user's locale
    QLocale.setDefault(locale)
    words = _words()
    app.removeTranslator(words)
    if words.load(locale, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(words)
    app.setLayoutDirection(locale.textDirection())


def without_font() -> str:
    """Return the language's name if no font here can write it, else ""."""
    if catalogue.language() == "en":  # without loading the fonts, which is slow
        return ""
    locale = QLocale(catalogue.language())
    metrics = QFontMetrics(font(tokens.TYPE_SMALL))
    name = locale.nativeLanguageName()
    return "" if all(metrics.inFontUcs4(ord(sign)) for sign in name) else QLocale.languageToString(locale.language())


def note_without_font(language: str) -> Note:
    """Return the hint that the window is in English since no font can write ``language``."""
    return Note(
        Severity.INFO,
        tr("Language"),
        tr("No font on this computer can write {language}, so the window speaks English.", language=language),
        tr(
            "Install one and open the window again. Debian's package fonts-noto-cjk has Chinese, Japanese and Korean, "
            "fonts-noto-core most others."
        ),
    )


@functools.cache
def _words() -> QTranslator:
    """Return the one translator of Qt's own texts, which is reloaded for another language."""
    return QTranslator(QApplication.instance())
