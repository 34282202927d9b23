"""Builds left unfinished by an earlier start are in the window, with undo."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.errors import RaidwrightError
from raidwright.core.protocol.facts import BuildRecord, BuildState
from raidwright.core.protocol.results import UndoResult
from raidwright.operations.builds import Undo
from raidwright.ui.window import MainWindow

from .fake_session import PRACTICE, Asked, FakeSession

CUT_OFF = BuildRecord(
    id="a" * 32,
    name="tank",
    state=BuildState.INTERRUPTED,
    began_s=1_790_000_000,
    uuid="",
    disks=("WDC WD80EFZX VK0ABCD0 (8.00 TB)", "WDC WD80EFZX VK0ABCD1 (8.00 TB)"),
    steps=("wipe",),
    removed=("ext4",),
    has_way_back=True,
    synchronises=False,
)


def _is_said(window: MainWindow) -> bool:
    bar = window.findChild(QWidget, "interrupted-bar")
    return bar is not None and bar.isVisible()


def _part(window: MainWindow, name: str) -> QWidget:
    found = window.findChild(QWidget, name)
    assert found is not None, name
    return found


def _words(window: MainWindow, name: str) -> str:
    found = _part(window, name)
    assert isinstance(found, QLabel | QPushButton)
    return found.text()


def _last(session: FakeSession, what: str) -> Asked:
    return next(job for job in reversed(session.record.jobs) if job.what == what)


def _tell(session: FakeSession, *builds: BuildRecord) -> None:
    answer = session.record.looks_back[-1].done
    assert answer is not None
    answer(builds)


def test_a_build_that_was_cut_off_is_told_at_the_start(window: MainWindow, session: FakeSession) -> None:
    assert not _is_said(window)
    _tell(session, replace(CUT_OFF, id="b" * 32, state=BuildState.DONE), CUT_OFF)
    assert _is_said(window)
    assert "“tank”" in _words(window, "interrupted-what")
    assert "old signatures were being removed" in _words(window, "interrupted-what")
    assert "VK0ABCD1" in _words(window, "interrupted-more")


def test_a_build_that_failed_is_told_as_long_as_a_disk_waits_for_its_bytes(
    window: MainWindow, session: FakeSession
) -> None:
    failed = replace(CUT_OFF, state=BuildState.FAILED, steps=("wipe", "failed"))
    _tell(session, replace(failed, has_way_back=False))
    assert not _is_said(window)
    _tell(session, failed)
    assert "“tank” failed, and not all of its disks" in _words(window, "interrupted-what")
    assert _part(window, "interrupted-undo").isEnabled()


@pytest.mark.parametrize("state", sorted(set(BuildState) - {BuildState.INTERRUPTED, BuildState.FAILED}))
def test_of_what_ended_nothing_is_said(window: MainWindow, session: FakeSession, state: BuildState) -> None:
    _tell(session, replace(CUT_OFF, state=state))
    assert not _is_said(window)


def test_the_way_back_is_taken_once_and_told(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _tell(session, CUT_OFF)
    qtbot.mouseClick(_part(window, "interrupted-undo"), Qt.MouseButton.LeftButton)
    assert not _part(window, "interrupted-undo").isEnabled()
    undo = _last(session, "Undo")
    assert undo.arguments == (Undo(CUT_OFF.id),)
    assert undo.done is not None
    undo.done(UndoResult(CUT_OFF.id, synchronised=True))
    assert "is undone" in _words(window, "interrupted-what")
    assert "first sync" in _words(window, "interrupted-what")
    qtbot.mouseClick(_part(window, "interrupted-leave"), Qt.MouseButton.LeftButton)
    assert not _is_said(window)


def test_a_way_back_that_fails_says_why_and_stays_open(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _tell(session, CUT_OFF)
    qtbot.mouseClick(_part(window, "interrupted-undo"), Qt.MouseButton.LeftButton)
    undo = _last(session, "Undo")
    assert undo.failed is not None
    undo.failed(RaidwrightError("Disk VK0ABCD1 is gone; plug it in again.", code="gone"))
    assert "VK0ABCD1 is gone" in _words(window, "interrupted-failure")
    assert _part(window, "interrupted-undo").isEnabled()


def test_what_is_left_alone_is_not_said_again(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _tell(session, CUT_OFF)
    qtbot.mouseClick(_part(window, "interrupted-leave"), Qt.MouseButton.LeftButton)
    window.stations.build.interrupted.look()
    _tell(session, CUT_OFF)
    assert not _is_said(window)


def test_another_machine_is_not_told_of_this_ones_build(window: MainWindow, session: FakeSession) -> None:
    _tell(session, CUT_OFF)
    session.reach(PRACTICE._replace(title="Another machine"))
    assert not _is_said(window)
    _tell(session)
    assert not _is_said(window)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (("wipe", "partition"), "while partition tables were being written"),
        (("wipe", "partition", "create"), "while md was making its arrays"),
        (("wipe", "partition", "create", "volume"), "while LVM was joining the arrays"),
    ],
)
def test_a_joined_build_tells_the_moment_at_which_it_was_cut_off(
    window: MainWindow, session: FakeSession, steps: tuple[str, ...], said: str
) -> None:
    session.reach(PRACTICE)
    _tell(session, replace(CUT_OFF, steps=steps))
    assert said in _words(window, "interrupted-what")
