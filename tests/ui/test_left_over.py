"""Scratch arrays that a shoot-out couldn't remove are shown at the start, and removed by a click."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.protocol.facts import ScratchRecord
from raidwright.core.protocol.results import ScratchStopped
from raidwright.operations.builds import StopScratch
from raidwright.ui.window import MainWindow

from .fake_session import Asked, FakeSession
from .places import press

FIRST = ScratchRecord("a" * 32, ("WDC WD80EFZX VK0ABCD0",), "The array is in use.")
SECOND = ScratchRecord("b" * 32, ("WDC WD80EFZX VK0ABCD1",), "The array is in use.")
OF_OTHERS = ScratchRecord("c" * 32, ("WDC WD80EFZX VK0ABCD2",))


def _tell(session: FakeSession, *standing: ScratchRecord) -> None:
    answer = session.record.scratch[-1].done
    assert answer is not None
    answer(standing)


def _is_said(window: MainWindow) -> bool:
    bar = window.findChild(QWidget, "left-over-bar")
    return bar is not None and bar.isVisible()


def _words(window: MainWindow, part: str) -> str:
    found = window.findChild(QLabel, f"left-over-{part}")
    assert found is not None
    return found.text()


def _stopping(session: FakeSession, record: ScratchRecord) -> Asked:
    asked = session.record.jobs[-1]
    assert asked.arguments == (StopScratch(record.uuid),)
    return asked


def test_nothing_is_said_of_another_program_at_work(window: MainWindow, session: FakeSession) -> None:
    _tell(session)
    assert not _is_said(window)
    _tell(session, OF_OTHERS)
    assert not _is_said(window)


def test_it_is_said_with_its_disks_and_why_and_goes_by_a_click(window: MainWindow, session: FakeSession) -> None:
    _tell(session, FIRST, SECOND, OF_OTHERS)
    assert "2 trial arrays" in _words(window, "what")
    assert "VK0ABCD0" in _words(window, "more")
    assert "in use" in _words(window, "more")
    press(window, "left-over-go")
    for record, left in ((FIRST, (SECOND, OF_OTHERS)), (SECOND, (OF_OTHERS,))):
        done = _stopping(session, record).done
        assert done is not None
        done(ScratchStopped(record.uuid))
        _tell(session, *left)
    assert _words(window, "what").startswith("2 scratch arrays were taken away")
    press(window, "left-over-leave")
    assert not _is_said(window)


def test_what_stays_is_said_with_the_reason_and_not_tried_for_ever(window: MainWindow, session: FakeSession) -> None:
    _tell(session, FIRST)
    press(window, "left-over-go")
    failed = _stopping(session, FIRST).failed
    assert failed is not None
    failed(JobFailed("md still holds it."))
    jobs = len(session.record.jobs)
    _tell(session, FIRST)
    assert "md still holds it." in _words(window, "failure")
    assert len(session.record.jobs) == jobs


def test_what_the_helper_has_taken_away_meanwhile_is_gone_and_said(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    """The helper retries by itself, too, so that a click may meet another job."""
    _tell(session, FIRST)
    press(window, "left-over-go")
    failed = _stopping(session, FIRST).failed
    assert failed is not None
    failed(DiskRefused("Another job is under way."))
    _tell(session, FIRST)
    looks = len(session.record.scratch)
    qtbot.wait_until(lambda: len(session.record.scratch) > looks)
    _tell(session)
    assert _words(window, "what").startswith("1 scratch array was taken away")


def test_not_now_is_until_the_next_start(window: MainWindow, session: FakeSession) -> None:
    _tell(session, FIRST)
    press(window, "left-over-leave")
    window.stations.prove.left_over.look()
    _tell(session, FIRST)
    assert not _is_said(window)


def test_it_is_looked_for_when_a_shoot_out_ends(window: MainWindow, session: FakeSession) -> None:
    looks = len(session.record.scratch)
    window.stations.prove.model.job.ended.emit()
    assert len(session.record.scratch) == looks + 1
