"""Pages in Japanese at the smallest size, and from right to left: nothing is cut off or overlaps.

Those with the least space; ``make pages`` draws and measures all.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMenu, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright import ui
from raidwright.text import catalogue
from raidwright.ui import language
from raidwright.ui.help.documents import DOCUMENTS
from raidwright.ui.window import MainWindow

from tests.kit import pseudo
from tests.pages import shown
from tests.pages.dialogs import DIALOGS
from tests.pages.drawing import Opened, look
from tests.pages.fitting import faults
from tests.pages.menus import MENUS

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support (propagateSizeHints|raise|grabbing the keyboard)")
ROOT = Path(__file__).parents[2]
_SMALLEST = (1024, 700)
NARROW = (
    *("asking_for_practice", "buying", "explained", "replay", "groups", "all_findings", "each_disk", "speeds_as_table"),
    *("mixed_sizes", "prove", "removing", "built", "array_ends", "repairing", "suite_measured", "comparing"),
    *("interrupted", "settings", "leaving", "window_menu", "matrix", "bug_report", "many_prove"),
)
TURNED = ("disks", "plan", "each_disk", "prove", "build", "built", "measured", "comparing", "settings")


@pytest.fixture
def app(dressed: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[QApplication]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    yield dressed
    catalogue.choose(["en"])
    language.follow(dressed)


@pytest.mark.drawn
@pytest.mark.parametrize("name", NARROW)
def test_in_japanese(app: QApplication, name: str) -> None:
    catalogue.choose(["ja"])
    language.follow(app)
    assert catalogue.language() == "ja"
    with Opened(app, name, _SMALLEST) as window:
        assert look(window) == []


def test_each_picture_of_the_documents_is_drawn(app: QApplication, tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    shown.main(tmp_path)
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", *DOCUMENTS)]
    used = {found for text in texts for found in re.findall(r"pictures/([\w-]+)\.png", text)}
    drawn = list((tmp_path / "pictures").iterdir())
    assert {path.stem for path in drawn} == used
    assert all(QImage(str(path)).colorCount() > 100 for path in drawn)  # not blank


def _dialogs_below(kind: type[QDialog]) -> Iterator[type[QDialog]]:
    for one in kind.__subclasses__():
        if one.__module__.startswith("raidwright.") and not one.__subclasses__():  # a frame of others is none
            yield one
        yield from _dialogs_below(one)


def test_every_dialog_has_a_page() -> None:
    for module in pkgutil.walk_packages(ui.__path__, "raidwright.ui."):
        importlib.import_module(module.name)
    assert set(_dialogs_below(QDialog)) == {kind for kind in DIALOGS.values() if kind is not None}


@pytest.mark.drawn
@pytest.mark.parametrize("go", DIALOGS, ids=lambda go: go.__name__)
def test_a_dialogs_page_shows_it(app: QApplication, go: Callable[[MainWindow], None]) -> None:
    with Opened(app, go.__name__, _SMALLEST):
        assert [one for one in app.topLevelWidgets() if one.isVisible() and isinstance(one, DIALOGS[go] or QMessageBox)]


def test_every_menu_has_a_page(app: QApplication) -> None:
    there: set[str] = set()
    shown: set[str] = set()
    for name in MENUS:
        with Opened(app, name, _SMALLEST) as window:
            menus = window.findChildren(QMenu)
            there |= {_name_of(menu) for menu in menus}
            (seen,) = (_name_of(menu) for menu in menus if menu.isVisible())
            assert seen not in shown
            shown.add(seen)
    assert there == shown


def _name_of(menu: QMenu) -> str:
    around = menu.parent()
    return menu.objectName() or (around.objectName() if around is not None else "")


def _as_it_is(message: Message) -> str | tuple[str, ...]:
    return message.id if isinstance(message.id, str) else tuple(message.id)


@pytest.mark.drawn
@pytest.mark.parametrize("name", TURNED)
def test_from_right_to_left(app: QApplication, name: str, tmp_path: Path) -> None:
    with pseudo.spoken(tmp_path, "he", _as_it_is):
        language.follow(app)
        with Opened(app, name, _SMALLEST) as window:
            assert window.isRightToLeft()
            assert look(window) == []


class _Crowded(QWidget):
    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.drawText(QRectF(0, 0, 30, 20), 0, "wider than that")
        painter.drawText(QRectF(0, 40, 200, 20), 0, "one")
        painter.drawText(QRectF(4, 42, 200, 20), 0, "other")


def test_what_cannot_be_read_is_noticed(dressed: QApplication, qtbot: QtBot) -> None:
    """Test of the measuring itself."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    label, button, out = QLabel("a label", window), QPushButton("a button with words", window), QLabel("out", window)
    label.setGeometry(0, 0, 100, 20)
    button.setGeometry(10, 4, 60, 30)
    out.setGeometry(280, 150, 60, 20)
    crowded = _Crowded(window)
    crowded.setGeometry(0, 60, 200, 100)
    window.show()
    found = "\n".join(faults(window)[0])
    for wanted in ("over each other: ", "px lacking: ", "cut off: ", "clipped: wider", "drawn over each other: one"):
        assert wanted in found, (wanted, found)
