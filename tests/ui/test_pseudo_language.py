"""Every text in the window comes from the catalogue: in a language of brackets every word is in some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot
from raidwright.ui.window import MainWindow

from tests.kit import pseudo
from tests.kit.pictures import still_window

from .places import PLACES, settle

# Texts equal in every language: names, mdadm's words, keys, and typed text (a pool, a size for the replay).
NAMES = re.compile(
    r"""Raidwright | mdadm | --[\w-]+(=\S+)? | /\S+ | tank(-\d)? | ext4 | xfs | btrfs | PPL
    | raid\w+ | RAID\ \d+ | linear | (left|right)-(a?symmetric) | [nfo]\d
    | (Seagate|Samsung|TOSHIBA|WDC|SSD) | \b(?=\w*\d)[A-Z0-9]{4,}\b | sd[a-z] | (ata|nvme|usb)\d[\d-]* | wwn-\w+
    | \((Ctrl|Shift|\+|.)+\) | \d+x\S+ | \d+\ [KM]iB | EUR""",
    re.VERBOSE,
)


def said_by(widget: QWidget) -> Iterator[str]:
    """Yield all texts that a widget shows or gives to a screen reader."""
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
    if isinstance(widget, (QLabel, QAbstractButton)):
        yield widget.text()
    elif isinstance(widget, QGroupBox):
        yield widget.title()
    elif isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    elif isinstance(widget, QSpinBox):
        yield from (widget.prefix(), widget.suffix(), widget.specialValueText())
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(row) for row in range(widget.count()))
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _told_by(widget.model())


def _told_by(model: QAbstractItemModel) -> Iterator[str]:
    """Yield all texts that a table shows, gives to a screen reader, or shows on hover."""
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
    for column in range(model.columnCount()):
        yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        for row in range(model.rowCount()):
            yield from (str(model.index(row, column).data(role) or "") for role in roles)


@pytest.fixture
def window(qtbot: QtBot, dressed: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    with pseudo.spoken(tmp_path):
        made = still_window()
        qtbot.addWidget(made)
        made.show()
        yield made
        made.close()


@pytest.mark.drawn
@pytest.mark.parametrize("go", PLACES, ids=lambda go: go.__name__)
def test_every_word_goes_by_the_catalogue(window: MainWindow, go: Callable[[MainWindow], None]) -> None:
    go(window)
    settle()
    texts = {text for widget in (window, *window.findChildren(QWidget)) for text in said_by(widget)}
    assert any("⟦" in text for text in texts)
    assert not {text for text in texts if pseudo.english_in(text, NAMES)}
