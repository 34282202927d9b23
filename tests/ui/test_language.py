"""Qt's own messages, and the text direction, follow the program's language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot
from raidwright.text import catalogue
from raidwright.ui import language
from raidwright.ui.frame.rail import Rail

from tests.kit import pseudo
from tests.kit.pictures import still_window

from .places import settle


@pytest.fixture
def app(dressed: QApplication) -> Iterator[QApplication]:
    yield dressed
    catalogue.choose(["en"])
    language.follow(dressed)


def _close_button(qtbot: QtBot) -> str:
    box = QMessageBox(QMessageBox.Icon.NoIcon, "", "", QMessageBox.StandardButton.Close)
    qtbot.addWidget(box)
    return box.button(QMessageBox.StandardButton.Close).text()


def _says_of_a_line(qtbot: QtBot) -> str:
    line = QLineEdit()
    qtbot.addWidget(line)
    menu = line.createStandardContextMenu()
    menu.setParent(line)
    return " ".join(action.text() for action in menu.actions())


def test_qts_own_dialogs_and_menus_speak_it(app: QApplication, tmp_path: Path, qtbot: QtBot) -> None:
    with pseudo.spoken(tmp_path, "ja"):
        language.follow(app)
        assert catalogue.language() == "ja"
        assert QLocale().language() is QLocale.Language.Japanese
        assert _close_button(qtbot) == "閉じる"
        assert "貼り付け" in _says_of_a_line(qtbot)
    language.follow(app)
    assert (catalogue.language(), _close_button(qtbot)) == ("en", "Close")
    assert "Paste" in _says_of_a_line(qtbot)


def test_the_window_runs_the_languages_way(app: QApplication, tmp_path: Path, qtbot: QtBot) -> None:
    with pseudo.spoken(tmp_path, "he"):
        language.follow(app)
        window = still_window()
        qtbot.addWidget(window)
        window.show()
        settle()
        rail = window.findChild(Rail)
        assert rail is not None
        assert window.layoutDirection() is Qt.LayoutDirection.RightToLeft
        assert rail.geometry().right() == window.rect().right()
        window.close_unasked()


def test_a_language_that_no_font_here_can_write_is_told(app: QApplication, tmp_path: Path) -> None:
    with pseudo.spoken(tmp_path, "km"):  # Khmer, for which Debian's packages for tests have no font
        assert language.without_font() == "Khmer"
    assert "can write Khmer" in language.note_without_font("Khmer").sentence
    with pseudo.spoken(tmp_path, "ja"):
        assert language.without_font() == ""
    catalogue.choose(["en"])
    assert language.without_font() == ""
