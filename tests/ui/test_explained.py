"""The “?” beside each choice of a plan: reachable by keys, announced to screen readers, with picture and source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.text import catalogue
from raidwright.text.glossary.terms import CHOICES, GLOSSARY, markdown
from raidwright.ui.station import Station
from raidwright.ui.stations.plan.explained.popover import ExplainButton, Explanation
from raidwright.ui.stations.plan.explained.sketches import sketches_of
from raidwright.ui.window import MainWindow

from tests.kit import pseudo, sample
from tests.kit.glossary import PATHS

from .fake_session import FakeSession
from .places import settle


@pytest.fixture
def planning(window: MainWindow, session: FakeSession, qtbot: QtBot) -> MainWindow:
    session.show(sample.many_disks(6))
    window.disks.choose_all()
    window.plan.choose_level(Level.RAID10)
    window.resize(1024, 700)
    window.show_station(Station.PLAN)
    with qtbot.waitActive(window):
        window.activateWindow()
    settle()
    return window


def _open(window: MainWindow, key: str, qtbot: QtBot) -> Explanation:
    mark = window.findChild(ExplainButton, f"explain-{key}")
    assert mark is not None
    mark.setFocus()
    qtbot.keyClick(mark, Qt.Key.Key_Space)
    settle()
    explanation = window.findChild(Explanation)
    assert explanation is not None
    return explanation


def _unfold(window: MainWindow) -> None:
    fold = window.findChild(QPushButton, "rare-choices")
    assert fold is not None
    fold.setChecked(True)
    settle()


def test_each_choice_has_one(planning: MainWindow) -> None:
    marks = {one.objectName().removeprefix("explain-") for one in planning.findChildren(ExplainButton)}
    assert marks == CHOICES.keys()
    planning.plan.choose_level(Level.RAID5)
    _unfold(planning)
    for key, is_shown in (("copies", False), ("arrangement", False), ("layout", True), ("chunk", True)):
        mark = planning.findChild(ExplainButton, f"explain-{key}")
        assert mark is not None
        assert mark.isVisibleTo(planning) is is_shown, key


@pytest.mark.parametrize("key", CHOICES)
def test_it_lies_whole_in_the_smallest_window_and_goes_with_esc(
    planning: MainWindow, session: FakeSession, key: str, qtbot: QtBot
) -> None:
    if key == "bands":
        session.show(sample.unlike_disks())
        planning.disks.choose_all()
    if key == "layout":
        planning.plan.choose_level(Level.RAID6)
    if key == "journal":
        planning.plan.choose_level(Level.RAID5)
    explanation = _open(planning, key, qtbot)
    assert planning.rect().contains(explanation.geometry())
    assert explanation.hasFocus()
    said = QAccessible.queryAccessibleInterface(explanation)
    assert said is not None
    assert said.text(QAccessible.Text.Name) == GLOSSARY[key].name
    for words in (GLOSSARY[key].meaning, GLOSSARY[key].experts, GLOSSARY[key].source):
        assert words
        assert words in said.text(QAccessible.Text.Description)
    assert explanation.grab().toImage().height() > 100  # every picture can be painted
    qtbot.keyClick(explanation, Qt.Key.Key_Escape)
    settle()
    assert planning.findChild(Explanation) is None
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.objectName() == f"explain-{key}"


def test_it_goes_when_one_clicks_elsewhere_or_on_its_mark(planning: MainWindow, qtbot: QtBot) -> None:
    _open(planning, "level", qtbot)
    chosen = planning.findChild(QPushButton, "level-raid10")
    assert chosen is not None
    qtbot.mouseClick(chosen, Qt.MouseButton.LeftButton)
    settle()
    assert planning.findChild(Explanation) is None
    _open(planning, "level", qtbot)
    mark = planning.findChild(ExplainButton, "explain-level")
    assert mark is not None
    qtbot.mouseClick(mark, Qt.MouseButton.LeftButton)
    settle()
    assert planning.findChild(Explanation) is None


def test_tab_goes_from_the_mark_to_its_choice(planning: MainWindow, qtbot: QtBot) -> None:
    mark = planning.findChild(ExplainButton, "explain-level")
    assert mark is not None
    mark.setFocus()
    qtbot.keyClick(mark, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is planning.findChild(QWidget, "level-raid10")


def test_every_choice_is_drawn_but_the_formats(dressed: QApplication) -> None:
    """The formats lie before the data offset, which the stage draws whole; they have a picture of their own."""
    assert {key for key in CHOICES if not sketches_of(key)} == {"metadata"}
    for key in CHOICES:
        captions = [sketch.caption for sketch in sketches_of(key)]
        assert len(set(captions)) == len(captions)


def test_a_first_sync_can_be_skipped_and_is_warned_of(planning: MainWindow, qtbot: QtBot) -> None:
    skip = planning.findChild(QPushButton, "first-sync-skip")
    assert skip is not None
    skip.click()
    draft = planning.plan.draft
    assert draft.assessment is not None
    assert any("--assume-clean" in command.argv for command in draft.assessment.commands)
    assert any(finding.code == "assume-clean" for finding in draft.assessment.findings)
    planning.plan.choose_level(Level.RAID0)
    settle()
    assert not skip.isVisible()


def test_terms_are_told_once_and_shortly() -> None:
    names = [str(term.name) for term in GLOSSARY.values()]
    assert len(set(names)) == len(names)
    for key, term in GLOSSARY.items():
        assert len(re.findall(r"[a-zA-Z)][.](?= |$)", term.meaning)) <= 2, key
        assert term.meaning.endswith("."), key
        assert (key in CHOICES) is bool(term.experts), key


def test_the_glossary_is_a_document_in_any_language(tmp_path: Path) -> None:
    assert PATHS.keys() >= {"en", "ja"}
    for language, path in PATHS.items():
        catalogue.choose([language])
        said = markdown()
        catalogue.choose(["en"])
        assert path.read_text(encoding="utf-8") == said, "write it anew: python -m tests.kit.glossary"
    assert "**Chunk.** How much lies on one disk" in markdown()
    with pseudo.spoken(tmp_path):
        said = markdown()
    assert said.count("⟦") > 3 * len(GLOSSARY)
