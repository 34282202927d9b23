"""Closing, choosing another machine, starting over and opening another plan ask if something would be lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.core.protocol.results import BuildResult
from raidwright.machine.connection import Connection, ConnectionState, PracticeSpec
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.ui.frame.leaving import LeavingQuestion
from raidwright.ui.phase import Phase
from raidwright.ui.station import Station
from raidwright.ui.stations.plan import edits
from raidwright.ui.stations.plan.plan_file import write_plan_file
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import Asked, FakeSession

# Offscreen has no window manager that sets a dialog's size.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")

HERE = Connection("This computer", state=ConnectionState.CONNECTED)


@pytest.fixture
def closings(session: FakeSession, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Each closing of the session."""
    closed: list[bool] = []
    monkeypatch.setattr(session, "close", lambda: closed.append(True))
    return closed


@pytest.fixture(autouse=True)
def _unasked(window: MainWindow) -> Iterator[None]:
    yield
    window.close_unasked()


def _question(window: MainWindow) -> LeavingQuestion | None:
    questions = [each for each in window.findChildren(LeavingQuestion) if each.isVisible()]
    assert len(questions) < 2
    return questions[0] if questions else None


def _asked(window: MainWindow) -> list[str]:
    question = _question(window)
    return [each.text() for each in question.findChildren(QLabel, "leaving-what")] if question else []


def _answer(window: MainWindow, how: str, qtbot: QtBot) -> None:
    question = _question(window)
    assert question is not None
    button = question.findChild(QPushButton, f"leaving-{how}")
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def _job(session: FakeSession, what: str) -> Asked:
    return next(job for job in reversed(session.record.jobs) if job.what == what)


def _turn_to_here(window: MainWindow) -> None:
    action = window.findChild(QAction, "machine-local")
    assert action is not None
    action.trigger()


def _build(window: MainWindow) -> None:
    window.disks.choose_all()
    window.show_station(Station.BUILD)
    window.stations.build.model.type_name("tank")
    window.stations.build.model.build()
    assert window.stations.build.model.phase is Phase.BUILDING


def test_where_nothing_would_be_lost_nothing_is_asked(window: MainWindow, closings: list[bool]) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.show_station(Station.BUILD)
    window.show_station(Station.MEASURE)
    window.close()
    assert not _asked(window)
    assert closings == [True]


def test_a_plan_that_was_changed_is_asked_about_until_it_is_in_a_file(
    window: MainWindow, closings: list[bool], qtbot: QtBot, tmp_path: Path
) -> None:
    window.disks.choose_all()
    window.plan.edit_fields(chunk_kib=64)
    window.close()
    (sentence,) = _asked(window)
    assert "“tank” has changes that are in no file" in sentence
    assert window.isVisible()
    assert not closings
    _answer(window, "save", qtbot)
    dialog = window.findChild(QFileDialog, "plan-save-dialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "tank.json"))
    dialog.close()
    assert (tmp_path / "tank.json").exists()
    window.close()
    assert closings == [True]


def test_staying_changes_nothing_and_closing_closes(window: MainWindow, closings: list[bool], qtbot: QtBot) -> None:
    window.disks.choose_all()
    window.plan.edit_fields(chunk_kib=64)
    window.close()
    window.close()  # again, despite the question
    _answer(window, "stay", qtbot)
    assert not _asked(window)
    assert not closings
    window.close()
    _answer(window, "go", qtbot)
    assert closings == [True]
    assert not window.isVisible()


def test_what_was_undone_is_no_change(window: MainWindow, closings: list[bool]) -> None:
    window.disks.choose_all()
    window.plan.edit_fields(chunk_kib=64)
    window.plan.undo()
    window.close()
    assert closings == [True]


def test_a_measurement_ends_knowingly(window: MainWindow, session: FakeSession, closings: list[bool]) -> None:
    window.show_station(Station.MEASURE)
    window.stations.measure.model.start()
    window.close()
    (sentence,) = _asked(window)
    assert "measurement runs. It is stopped, and nothing of it is kept" in sentence
    assert not closings
    done = _job(session, "Measure").done
    assert done is not None
    done(sample.runs()[0])  # it ended meanwhile: the question blocked nothing
    assert not window.stations.measure.model.job.is_busy
    window.close()
    assert closings == [True]


def test_a_build_is_left_to_the_helper(window: MainWindow, session: FakeSession) -> None:
    _build(window)
    window.close()
    (sentence,) = _asked(window)
    assert "waits for your password" in sentence
    update = _job(session, "CreateArray").update
    assert update is not None
    update(JobProgress("stage-create", 0.3))
    window.close()
    (sentence,) = _asked(window)
    assert "“tank” is being built. The helper goes on with it to its end" in sentence


def test_a_practice_machine_ends_with_its_arrays_only_if_it_is_ours(
    window: MainWindow, session: FakeSession, closings: list[bool]
) -> None:
    session.show(replace(sample.machine(), arrays=(sample.array(10**12),)))
    session.has_own_practice = True
    window.close()
    (sentence,) = _asked(window)
    assert "The practice machine ends, and with it its arrays and all that is on them: “tank”." in sentence
    session.has_own_practice = False
    window.close()
    assert closings == [True]


def test_a_build_in_practice_ends_with_it(window: MainWindow, session: FakeSession) -> None:
    session.has_own_practice = True
    _build(window)
    update = _job(session, "CreateArray").update
    assert update is not None
    update(JobProgress("stage-create", 0.3))
    window.close()
    assert _asked(window) == ["“tank” is being built; the practice machine ends in the middle of it."]


def test_turning_to_another_machine_asks_first(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    session.show(replace(sample.machine(), arrays=(sample.array(10**12),)))
    session.has_own_practice = True
    _turn_to_here(window)
    assert _asked(window)
    assert "connect" not in [job.what for job in session.record.jobs]
    _answer(window, "go", qtbot)
    assert _job(session, "connect").arguments == ("local", "admin")


def test_starting_over_asks_first(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    session.has_own_practice = True
    window.disks.practise(PracticeSpec("2x4TB"))
    assert _job(session, "practise").arguments == (PracticeSpec("2x4TB"),)  # an empty one needs no question
    session.show(replace(sample.machine(), arrays=(sample.array(10**12),)))
    window.disks.practise(PracticeSpec("3x4TB"))
    assert _asked(window)
    _answer(window, "stay", qtbot)
    assert _job(session, "practise").arguments == (PracticeSpec("2x4TB"),)


def test_a_plan_goes_along_to_another_machine_unasked(window: MainWindow, session: FakeSession) -> None:
    window.disks.choose_all()
    window.plan.edit_fields(chunk_kib=64)
    _turn_to_here(window)
    assert not _asked(window)
    assert _job(session, "connect").arguments == ("local", "admin")


def test_a_build_that_was_left_is_not_this_machines(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _build(window)
    session.reach(HERE)
    session.show(sample.many_disks(3))
    assert window.stations.build.model.phase is Phase.REVIEW
    assert window.plan.draft.plan is None
    _job(session, "CreateArray").task.failed.emit(Exception("never heard"))
    assert window.stations.build.model.job.failure == ""


def test_what_stands_on_another_machine_is_not_offered_here(window: MainWindow, session: FakeSession) -> None:
    _build(window)
    done = _job(session, "CreateArray").done
    assert done is not None
    done(BuildResult("/dev/md127", sample.ARRAY_UUID, 12345, 0, "mdadm …", (), "b" * 32))
    assert window.stations.build.model.built_array is not None
    session.reach(HERE)
    assert window.stations.build.model.built_array is None
    assert window.stations.build.model.phase is Phase.REVIEW
    assert window.plan.draft.plan is None


def test_a_plan_on_other_disks_asks_before_it_takes_the_place_of_a_changed_one(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.disks.choose_all()
    plan = window.plan.draft.plan
    assert plan is not None
    path = tmp_path / "tank.json"
    write_plan_file(plan, path)
    window.disks.toggle(sample.disk(0).id)
    window.plan.edit_fields(chunk_kib=64)
    mine = window.plan.draft.plan
    window.plan.opening.emit(plan)
    assert _asked(window) == ["The plan “tank” has changes that are in no file; they are lost."]
    assert window.plan.draft.plan == mine
    _answer(window, "go", qtbot)
    assert window.plan.draft.plan == plan
    assert not window.plan.can_undo


def test_on_the_same_disks_undo_has_the_way_back_and_nothing_is_asked(window: MainWindow) -> None:
    window.disks.choose_all()
    window.plan.choose_level(Level.RAID10)
    plan = window.plan.draft.plan
    assert plan is not None
    window.plan.edit_fields(chunk_kib=64)
    mine = window.plan.draft.plan
    window.plan.opening.emit(edits.with_arrangement(plan, "f"))
    assert not _asked(window)
    window.plan.undo()
    assert window.plan.draft.plan == mine
