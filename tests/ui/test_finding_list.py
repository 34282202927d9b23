"""Findings: the gravest beside the button that it warns about, the others after a press."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.analysis.findings.finding import Finding, PlanChange, Severity, Stake
from raidwright.core.messages import say
from raidwright.ui.station import Station
from raidwright.ui.widgets.findings import FindingList
from raidwright.ui.window import MainWindow

from tests.kit.pictures import still_window

from . import places

FOUND = tuple(
    Finding(
        Severity.NOTE,
        f"note-{number}",
        say("Sentence {number} of several.", number=number),
        say("Reason."),
        say("Remedy."),
        (),
        Stake.LATER,
    )
    for number in range(8)
)


@pytest.fixture
def findings(qtbot: QtBot, dressed: QApplication) -> Iterator[FindingList]:
    around = QWidget()
    qtbot.addWidget(around)
    shown = FindingList("found", 2, around)
    shown.resize(300, 200)
    around.show()
    shown.show_findings(FOUND)
    places.settle()
    yield shown
    around.close()


def _sentences(shown: QWidget) -> list[str]:
    return [one.text() for one in shown.findChildren(QLabel) if one.isVisible() and one.text().startswith("Sentence")]


def _turn(shown: FindingList, qtbot: QtBot) -> str:
    (more,) = (one for one in shown.findChildren(QPushButton, "found-more") if one.isVisible())
    said = more.text()
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    places.settle()
    return said


def test_the_rest_is_a_press_away(findings: FindingList, qtbot: QtBot) -> None:
    assert _sentences(findings) == [finding.sentence for finding in FOUND[:2]]
    height = findings.height()
    assert _turn(findings, qtbot) == "and 6 more"
    assert _sentences(findings) == [finding.sentence for finding in FOUND]
    assert findings.height() > height
    assert findings.shows_more  # so long a list scrolls
    assert _turn(findings, qtbot) == "fewer"
    assert _sentences(findings) == [finding.sentence for finding in FOUND[:2]]


def test_what_is_wrapped_is_whole(findings: FindingList) -> None:
    findings.show_findings(FOUND[:1])
    places.settle()
    one_line = findings.height()
    findings.resize(110, 200)
    places.settle()
    assert findings.height() > one_line


@pytest.fixture
def window(qtbot: QtBot, dressed: QApplication) -> Iterator[MainWindow]:
    made = still_window()
    qtbot.addWidget(made)
    made.show()
    yield made
    made.close()


@pytest.mark.parametrize("size", [(1024, 700), (1440, 900)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    ("station", "name", "button"),
    [(Station.DISKS, "disks-findings", "disks-next"), (Station.PLAN, "plan-findings", "plan-next")],
)
def test_warnings_stand_by_the_button_that_they_warn_about(
    window: MainWindow, station: Station, name: str, button: str, size: tuple[int, int]
) -> None:
    window.resize(*size)
    places.disks(window)
    window.show_station(station)
    places.settle()
    found, primary = window.findChild(FindingList, name), window.findChild(QPushButton, button)
    assert found is not None
    assert primary is not None
    first = next(one for one in found.findChildren(QLabel) if one.isVisible() and one.property("badge"))
    assert first.text() == "Careful"
    assert first.visibleRegion().boundingRect() == first.rect()
    distance = primary.mapTo(window, QPoint()).y() - found.mapTo(window, QPoint()).y()
    assert -60 < distance < found.height() + 60  # beside it, or right above


def test_what_a_press_can_cure_has_a_button(qtbot: QtBot, dressed: QApplication) -> None:
    around = QWidget()
    qtbot.addWidget(around)
    curable = replace(FOUND[0], change=PlanChange("bitmap_chunk_kib", 2**18))
    pressed: list[object] = []
    shown = FindingList("found", 2, around, applies=True)
    shown.wanted.connect(pressed.append)
    shown.show_findings((curable, FOUND[1]))
    buttons = shown.findChildren(QPushButton)
    assert [one.objectName() for one in buttons] == ["found-apply-note-0"]
    buttons[0].click()
    assert pressed == [curable.change]
