"""Notifications at the end of long work: only without the focus, once, and not for work stopped or awaited."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from raidwright.core.errors import JobFailed
from raidwright.core.protocol.results import BuildResult
from raidwright.machine.values import JoinedVolume
from raidwright.ui.desktop_notices import LONG_SECONDS
from raidwright.ui.job import RunningOperation
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import Asked, FakeSession

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture(autouse=True)
def _nobody_looks(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window.show_station(Station.BUILD)  # from where somebody goes elsewhere
    monkeypatch.setattr(QApplication, "activeWindow", lambda: None)


def _job(session: FakeSession, what: str) -> Asked:
    return next(job for job in reversed(session.record.jobs) if job.what == what)


def _long(job: RunningOperation) -> None:
    assert job.is_busy
    job.began_s -= LONG_SECONDS


def _build(window: MainWindow) -> None:
    window.disks.choose_all()
    window.show_station(Station.BUILD)
    window.plan.edit_fields(name="tank")
    window.stations.build.model.type_name("tank")
    window.stations.build.model.build()


RESULT = BuildResult("/dev/md127", sample.ARRAY_UUID, 12345, 0, "mdadm …")


def test_a_build_is_told_by_its_name(window: MainWindow, session: FakeSession) -> None:
    _build(window)
    _long(window.stations.build.model.job)
    done = _job(session, "CreateArray").done
    assert done is not None
    done(RESULT)
    assert session.record.notices == [("“tank” is built", "")]


def test_who_looks_needs_no_word(window: MainWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QApplication, "activeWindow", lambda: window)
    _build(window)
    _long(window.stations.build.model.job)
    done = _job(session, "CreateArray").done
    assert done is not None
    done(RESULT)
    assert session.record.notices == []


def test_what_was_quick_needs_no_word(window: MainWindow, session: FakeSession) -> None:
    _build(window)
    done = _job(session, "CreateArray").done
    assert done is not None
    done(RESULT)
    assert session.record.notices == []


def test_a_failure_is_told_with_its_sentence_and_what_was_cancelled_is_not(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    window.disks.choose_all()
    measuring = window.stations.disks.measuring
    measuring.begin()
    _long(measuring.job)
    _job(session, "TakeBaselines").task.cancelled.emit()
    qtbot.waitUntil(lambda: not measuring.job.is_busy)
    assert session.record.notices == []
    measuring.begin()
    _long(measuring.job)
    failed = _job(session, "TakeBaselines").failed
    assert failed is not None
    failed(JobFailed("{disk} can't be read.", disk="sda"))
    assert session.record.notices == [("Raidwright could not finish", "sda can't be read.")]


def _synchronised_for(seconds: float, session: FakeSession, monkeypatch: pytest.MonkeyPatch, degraded: int = 0) -> None:
    """Let the array “tank” resync for ``seconds``, and then be idle."""
    clock = [1000.0]
    monkeypatch.setattr("raidwright.ui.stations.arrays.synchronised.time.monotonic", lambda: clock[0])
    array = sample.array(10**12, degraded=degraded)
    assert array.sync_action == "resync"
    session.show(replace(sample.machine(), arrays=(array,)))
    session.show(replace(sample.machine(), problem="The link is lost."))
    clock[0] += seconds
    session.show(replace(sample.machine(), arrays=(array,)))
    session.show(replace(sample.machine(), arrays=(replace(array, sync_action="idle"),)))
    session.show(replace(sample.machine(), arrays=(replace(array, sync_action="idle"),)))


def test_a_resync_that_has_ended_is_told_once(
    window: MainWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    _synchronised_for(3600, session, monkeypatch)
    assert session.record.notices == [("“tank”: md is done, and no disk is missing", "")]


def test_the_arrays_of_a_joined_volume_are_told_once(
    window: MainWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("raidwright.ui.stations.arrays.synchronised.time.monotonic", lambda: clock[0])
    volume = JoinedVolume("tank", "/dev/dm-0", 2 * 10**12)
    one, two = (
        replace(sample.array(10**12), name=f"tank-{n}", uuid=f"{n}:0:0:0", device=f"/dev/md{n}", volume=volume)
        for n in range(2)
    )
    idle = replace(one, sync_action="idle"), replace(two, sync_action="idle")
    for arrays in ((one, two), (idle[0], two), idle, idle):
        session.show(replace(sample.machine(), arrays=arrays))
        clock[0] += 3600
    assert session.record.notices == [("“tank”: md is done, and no disk is missing", "")]


def test_a_rebuild_that_gave_up_is_not_called_whole(
    window: MainWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    _synchronised_for(3600, session, monkeypatch, degraded=1)
    ((title, _text),) = session.record.notices
    assert "still degraded" in title


def test_a_short_resync_needs_no_word(
    window: MainWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    _synchronised_for(LONG_SECONDS / 2, session, monkeypatch)
    assert session.record.notices == []
