"""One operation at a time, with exactly one end, reported before anything is shown."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from raidwright.core.errors import JobFailed
from raidwright.core.protocol.measured import Sample
from raidwright.core.protocol.results import UndoResult
from raidwright.core.protocol.steps import JobStep
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.operations.builds import ListBuilds, Undo
from raidwright.ui.job import RunningOperation

from .fake_session import Asked, FakeSession

UNDONE = UndoResult("a" * 32, synchronised=False)


@pytest.fixture
def session(qtbot: QtBot) -> FakeSession:
    return FakeSession()


@pytest.fixture
def told() -> list[object]:
    return []


@pytest.fixture
def job(session: FakeSession, told: list[object]) -> RunningOperation:
    one = RunningOperation(session, session)
    one.done.connect(told.append)
    one.failed.connect(lambda error: told.append(error.code))
    one.cancelled.connect(lambda: told.append("cancelled"))
    one.ended.connect(lambda: told.append("ended"))
    one.sampled.connect(told.append)
    one.begin(Undo("a" * 32))
    return one


def _asked(session: FakeSession) -> Asked:
    [asked] = session.record.jobs
    return asked


def test_only_one_is_under_way(session: FakeSession, job: RunningOperation) -> None:
    assert job.is_busy
    job.begin(ListBuilds())
    assert _asked(session).arguments == (Undo("a" * 32),)
    assert not session.record.looks_back


def test_it_has_begun_once_the_helper_says_so(session: FakeSession, job: RunningOperation, told: list[object]) -> None:
    assert not job.has_begun  # a password may be asked for
    update = _asked(session).update
    assert update is not None
    update(Sample(1.0, 1.0, 1.0, 1.0, 1.0, 1.0))
    update(JobProgress(JobStep.UNDO, 0.1))
    assert job.has_begun
    assert told == [Sample(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)]


def test_its_result_is_told_once_it_is_free_again(
    session: FakeSession, job: RunningOperation, told: list[object]
) -> None:
    job.done.connect(lambda _result: told.append(job.is_busy))
    done = _asked(session).done
    assert done is not None
    done(UNDONE)
    assert told == [UNDONE, False, "ended"]
    assert job.failure == ""


def test_a_failure_keeps_its_sentence_until_the_next_begins(
    session: FakeSession, job: RunningOperation, told: list[object]
) -> None:
    failed = _asked(session).failed
    assert failed is not None
    failed(JobFailed("It went wrong.", code="wrong"))
    assert told == ["wrong", "ended"]
    assert job.failure == "It went wrong."
    job.begin(ListBuilds())
    assert job.failure == ""


def test_a_cancelled_one_is_no_failure(session: FakeSession, job: RunningOperation, told: list[object]) -> None:
    _asked(session).task.cancelled.emit()
    assert told == ["cancelled", "ended"]
    assert (job.is_busy, job.failure) == (False, "")


def test_of_what_is_abandoned_nothing_is_heard(session: FakeSession, job: RunningOperation, told: list[object]) -> None:
    job.abandon()
    _asked(session).task.cancelled.emit()
    assert not job.is_busy
    assert told == []
