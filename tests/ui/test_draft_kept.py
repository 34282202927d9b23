"""An unsaved plan outlasts its window: stored as it changes, offered at the next start, removed once saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.drafts import Drafts
from raidwright.ui.stations.plan.plan_file import write_plan_file
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


def _window(session: FakeSession, folder: Path, qtbot: QtBot) -> MainWindow:
    window = MainWindow(session, drafts=folder)
    qtbot.addWidget(window)
    window.show()
    session.reach(PRACTICE)
    session.show(sample.machine())
    window.stations.look_back()
    return window


def _kept(folder: Path) -> list[str]:
    return [path.read_text() for path in folder.glob("*.json")]


def _plan(window: MainWindow) -> None:
    window.disks.choose_all()
    window.plan.choose_level(Level.RAID6)
    window.plan.edit_fields(name="attic")


def test_a_plan_is_kept_as_it_changes_and_dropped_when_it_is_in_a_file(
    session: FakeSession, qtbot: QtBot, tmp_path: Path
) -> None:
    window = _window(session, tmp_path, qtbot)
    window.disks.choose_all()
    qtbot.wait(400)
    assert _kept(tmp_path) == []  # it came by itself
    _plan(window)
    qtbot.waitUntil(lambda: any("attic" in text for text in _kept(tmp_path)))
    plan = window.plan.draft.plan
    assert plan is not None
    write_plan_file(plan, tmp_path / "saved")
    window.plan.keep(plan)
    qtbot.waitUntil(lambda: _kept(tmp_path) == [])
    window.close_unasked()


def test_closing_leaves_nothing_behind(session: FakeSession, qtbot: QtBot, tmp_path: Path) -> None:
    window = _window(session, tmp_path, qtbot)
    _plan(window)
    qtbot.waitUntil(lambda: bool(_kept(tmp_path)))
    window.close_unasked()
    assert _kept(tmp_path) == []


def _left(session: FakeSession, qtbot: QtBot, folder: Path) -> None:
    """Leave the draft of a crashed window."""
    window = _window(session, folder, qtbot)
    _plan(window)
    qtbot.waitUntil(lambda: any("attic" in text for text in _kept(folder)))
    (kept,) = folder.glob("*.json")
    content = kept.read_text()
    window.close_unasked()
    kept.write_text(content)  # without a lock, which the kernel releases when its process is killed


def _click(window: MainWindow, name: str, qtbot: QtBot) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_next_start_offers_it_and_it_is_still_in_no_file(
    session: FakeSession, qtbot: QtBot, tmp_path: Path, dressed: QApplication
) -> None:
    _left(session, qtbot, tmp_path)
    window = _window(session, tmp_path, qtbot)
    what = window.findChild(QLabel, "draft-what")
    assert what is not None
    assert "attic" in what.text()
    (before,) = _kept(tmp_path)
    _click(window, "draft-open", qtbot)
    plan = window.plan.draft.plan
    assert plan is not None
    assert (plan.name, plan.array.level) == ("attic", Level.RAID6)
    assert window.plan.is_unsaved
    assert not what.isVisible()
    assert _kept(tmp_path) == [before]  # now it is this window's
    window.close_unasked()


def test_it_can_be_discarded(session: FakeSession, qtbot: QtBot, tmp_path: Path) -> None:
    _left(session, qtbot, tmp_path)
    window = _window(session, tmp_path, qtbot)
    _click(window, "draft-discard", qtbot)
    assert _kept(tmp_path) == []
    window.close_unasked()
    assert not Drafts(tmp_path).left()


def test_who_stays_with_the_plan_at_hand_loses_neither(session: FakeSession, qtbot: QtBot, tmp_path: Path) -> None:
    _left(session, qtbot, tmp_path)
    window = _window(session, tmp_path, qtbot)
    disks = sample.machine().disks
    window.disks.toggle(disks[0].id)
    window.disks.toggle(disks[1].id)
    window.plan.edit_fields(name="own")
    _click(window, "draft-open", qtbot)
    _click(window, "leaving-stay", qtbot)
    assert window.plan.draft.plan is not None
    assert window.plan.draft.plan.name == "own"
    assert [left.plan.name for left in Drafts(tmp_path).left()] == ["attic"]
    window.close_unasked()
