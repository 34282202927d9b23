"""Pages in Japanese at the smallest size, and from right to left: nothing is cut off or lies over something else.

Those that have the least room; ``make pages`` draws and measures all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.text import catalogue
from raidwright.ui import language

from tests.kit import pseudo
from tests.pages.drawing import Opened, look
from tests.pages.fitting import faults

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support (propagateSizeHints|raise|grabbing the keyboard)")
_SMALLEST = (1024, 700)
NARROW = (
    *("asking_for_practice", "buying", "explained", "replay", "groups", "all_findings", "each_disk", "speeds_as_table"),
    *("mixed_sizes", "prove", "removing", "built", "array_ends", "repairing", "suite_measured", "comparing"),
    *("interrupted", "settings", "leaving", "window_menu"),
)
TURNED = ("disks", "plan", "each_disk", "prove", "build", "built", "measured", "comparing", "settings")


@pytest.fixture
def app(dressed: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[QApplication]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    yield dressed
    catalogue.choose(["en"])
    language.follow(dressed)


@pytest.mark.parametrize("name", NARROW)
def test_in_japanese(app: QApplication, name: str) -> None:
    catalogue.choose(["ja"])
    language.follow(app)
    assert catalogue.language() == "ja"
    with Opened(app, name, _SMALLEST) as window:
        assert look(window) == []


def _as_it_is(message: Message) -> str | tuple[str, ...]:
    return message.id if isinstance(message.id, str) else tuple(message.id)


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
    """The measuring itself."""
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
