"""The stage's picture as a file: it contains the stage, and an unwritable file is reported in a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QXmlStreamReader
from PySide6.QtGui import QAction, QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot
from raidwright.colours import LIGHT
from raidwright.core.md.layouts import Level
from raidwright.ui.station import Station
from raidwright.ui.stations.plan.stage.picture_file import as_png, as_svg
from raidwright.ui.stations.plan.stage.stage import PlanStage
from raidwright.ui.window import MainWindow


@pytest.fixture
def planning(window: MainWindow) -> MainWindow:
    window.disks.choose_all()
    window.plan.choose_level(Level.RAID10)
    window.show_station(Station.PLAN)
    window.plan.toggle_failure(1)
    return window


def _ask(window: MainWindow, kind: str) -> QFileDialog:
    action = window.findChild(QAction, f"stage-save-{kind}")
    assert action is not None
    action.trigger()
    dialog = window.findChild(QFileDialog, "stage-save-dialog")
    assert dialog is not None
    return dialog


def _sentence(window: MainWindow) -> str:
    label = window.findChild(QLabel, "stage-sentence")
    assert label is not None
    return label.text()


# Offscreen has no window manager that sets a dialog's size.
_DIALOG_OFFSCREEN = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@_DIALOG_OFFSCREEN
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture_is_saved_under_the_plans_name(
    planning: MainWindow, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    dialog = _ask(planning, kind)
    assert Path(dialog.selectedFiles()[0]).name == f"tank-raid10-n2.{kind}"
    path = tmp_path / f"stage.{kind}"
    dialog.fileSelected.emit(str(path))
    dialog.close()
    assert str(path) in _sentence(planning)
    assert path.read_bytes().startswith(b"<?xml" if kind == "svg" else b"\x89PNG")


@_DIALOG_OFFSCREEN
def test_a_file_that_cannot_be_written_is_a_sentence(planning: MainWindow, tmp_path: Path) -> None:
    dialog = _ask(planning, "png")
    dialog.fileSelected.emit(str(tmp_path / "nowhere" / "stage.png"))
    dialog.close()
    assert "can't be written: No such file" in _sentence(planning)


def test_both_kinds_show_the_stage(planning: MainWindow) -> None:
    stage = planning.findChild(PlanStage, "stage")
    assert stage is not None
    picture = stage.picture
    assert picture is not None
    svg = as_svg(picture, "tank <&>", LIGHT)
    reader, texts = QXmlStreamReader(svg.decode()), []
    while not reader.atEnd():
        if reader.readNext() is QXmlStreamReader.TokenType.Characters:
            texts.append(reader.text().strip())
    assert not reader.hasError()
    assert "tank <&>" in texts
    assert {"0", "1", "✕", "Slot 3"} <= set(texts)
    assert re.search(rb"<image", svg) is None  # all of it is vectors
    assert QSvgRenderer(QByteArray(svg)).isValid()
    image = QImage.fromData(as_png(picture, "tank", LIGHT))
    assert image.width() == 2 * (stage.width() + 32)
    spot = stage.cell_rect(0, 0, 0).bottomRight() * 2
    assert image.pixelColor(int(spot.x()) + 32 - 20, int(spot.y()) + 92 - 12).name() == "#56b4e9"
