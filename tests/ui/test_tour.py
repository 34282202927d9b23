"""The tour: in any state the guide shows one next step, and continues by itself when it is done."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.analysis.imagined import imagined_disks
from raidwright.core.errors import MachineError
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Use, UseKind
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.values import Snapshot
from raidwright.operations.members import FailMember
from raidwright.ui.phase import Phase
from raidwright.ui.settings.store import SettingsStore
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.repair.model import RepairStage
from raidwright.ui.tour.steps import TourStep, WindowState, step_of, words
from raidwright.ui.widgets.ring import FocusRing
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession
from .places import settle
from .test_repair import DEGRADED, MEMBERS, NEW, REST, WHOLE, _array, _place

LOCAL = Connection("local", state=ConnectionState.CONNECTED)


def _tag(window: MainWindow) -> str:
    tag = window.findChild(QLabel, "tour-tag")
    assert tag is not None
    return tag.text() if tag.isVisible() else ""


def _ringed(window: MainWindow) -> str:
    """The object name of what has the ring."""
    settle()
    rings = [ring for ring in window.findChildren(FocusRing) if ring.isVisible()]
    assert len(rings) < 2
    return rings[0].target.objectName() if rings else ""


def _press(window: MainWindow, name: str) -> None:
    settle()
    button = window.findChild(QPushButton, name)
    assert button is not None
    assert button.isEnabled()
    button.click()


@pytest.fixture
def touring(window: MainWindow, session: FakeSession, qtbot: QtBot) -> MainWindow:
    with qtbot.waitActive(window):
        window.activateWindow()
    session.reach(LOCAL)
    session.show(Snapshot())
    tour = window.findChild(QAction, "menu-tour")
    assert tour is not None
    tour.trigger()
    return window


def test_it_leads_from_a_machine_to_a_rebuilt_array(touring: MainWindow, session: FakeSession) -> None:
    window = touring
    assert _tag(window) == "Tour 1 of 10"
    _press(window, "tour-start")
    asked = session.record.jobs[-1]
    assert (asked.what, asked.arguments[0].disks) == ("practise", "5x2GB")  # type: ignore[attr-defined]
    session.reach(PRACTICE._replace(state=ConnectionState.STARTING))
    assert _tag(window) == "Tour 1 of 10"
    session.reach(PRACTICE)
    session.show(sample.many_disks(5))
    assert _tag(window) == "Tour 2 of 10"
    window.disks.choose_all()
    assert _tag(window) == "Tour 2 of 10"  # none is left to take a failed one's place
    assert _ringed(window) == "disks-table"
    window.disks.toggle(sample.disk(4).id)
    assert _tag(window) == "Tour 3 of 10"
    assert _is_at_disks(window)  # whoever chooses goes on by the button, which is ringed
    assert _ringed(window) == "disks-next"
    _press(window, "disks-next")
    assert _ringed(window) == "plan-next"
    window.plan.choose_level(Level.RAID0)
    _press(window, "plan-next")
    assert _tag(window) == "Tour 3 of 10"  # such an array can't lose a disk
    window.show_station(Station.PLAN)
    window.plan.choose_level(Level.RAID5)
    assert _tag(window) == "Tour 3 of 10"
    _press(window, "plan-next")
    assert _tag(window) == "Tour 4 of 10"
    assert _ringed(window) == "build-confirm"


def test_it_leads_from_a_built_array_to_a_rebuilt_one(touring: MainWindow, session: FakeSession) -> None:
    window = touring
    session.reach(PRACTICE)
    syncing = replace(WHOLE, sync_action="resync", sync_fraction=0.5)
    session.show(Snapshot((*MEMBERS, NEW), (syncing,)))
    assert _tag(window) == "Tour 5 of 10"
    session.show(Snapshot((*MEMBERS, NEW), (WHOLE,)))
    assert _tag(window) == "Tour 6 of 10"
    fail = window.findChild(QPushButton, "tour-fail")
    assert fail is not None
    fail.setFocus()
    for _twice in range(2):
        _press(window, "tour-fail")
    assert [job.what for job in session.record.jobs].count("FailMember") == 1
    job = next(job for job in reversed(session.record.jobs) if job.what == "FailMember")
    assert job.arguments == (FailMember(WHOLE.named, WHOLE.members[-1]),)
    assert job.done is not None
    job.done(None)
    session.show(Snapshot((*MEMBERS, NEW), (DEGRADED,)))
    assert _tag(window) == "Tour 7 of 10"
    assert QApplication.focusWidget() is window.findChild(QPushButton, "tour-leave")
    assert _ringed(window) == "degraded-tank-open"
    window.show_station(Station.DISKS)
    _press(window, "degraded-tank-open")
    assert _tag(window) == "Tour 8 of 10"
    assert window.findChild(QWidget, "repair-page") is not None
    coming = _place(replace(NEW, uses=(Use(UseKind.ARRAY_MEMBER, "tank"),)), 2, "spare")
    session.show(Snapshot((*MEMBERS, NEW), (_array(*REST, coming, sync_action="recover", sync_fraction=0.3),)))
    assert _tag(window) == "Tour 9 of 10"
    session.show(Snapshot((*MEMBERS, NEW), (WHOLE,)))
    assert _tag(window) == "Tour 10 of 10"
    _press(window, "tour-leave")
    session.show(Snapshot((*MEMBERS, NEW), (DEGRADED,)))
    bar = window.findChild(QWidget, "tour-bar")
    assert bar is not None
    assert not bar.isVisible()


def test_nothing_fails_outside_of_practice(touring: MainWindow, session: FakeSession) -> None:
    """Not even if the step was just offered: the machine may have been left since."""
    session.reach(PRACTICE)
    session.show(Snapshot((*MEMBERS, NEW), (WHOLE,)))
    guide = touring._guide
    session.connection = LOCAL
    guide._fail()
    assert not [job for job in session.record.jobs if job.what == "FailMember"]
    session.reach(LOCAL)
    assert _tag(touring) == "Tour 1 of 10"


def test_a_refusal_is_said_and_the_step_stays(touring: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE)
    session.show(Snapshot((*MEMBERS, NEW), (WHOLE,)))
    _press(touring, "tour-fail")
    job = session.record.jobs[-1]
    assert job.failed is not None
    job.failed(MachineError("The helper says no.", code="no"))
    failure = touring.findChild(QLabel, "tour-failure")
    assert failure is not None
    assert "The helper says no." in failure.text()
    assert _tag(touring) == "Tour 6 of 10"


def test_every_state_has_a_step_with_words() -> None:
    connections = (LOCAL, PRACTICE, PRACTICE._replace(state=ConnectionState.STARTING))
    counts, arrays = ((0, 0), (4, 0), (4, 1)), (None, WHOLE, DEGRADED)
    states = itertools.product(connections, counts, Phase, arrays, RepairStage, (False, True))
    for connection, (chosen, free), phase, array, repair, has_failed in states:
        seen = WindowState(connection, chosen, free, None, phase, array, repair, has_failed)
        step = step_of(seen)
        assert all(words(step, seen)), seen
        assert (step is TourStep.START) is (connection is not PRACTICE), seen


def _planned_to_buy(window: MainWindow) -> None:
    window.disks.imagine(imagined_disks("4x8TB"))
    window.show_station(Station.MEASURE)


def _is_at_disks(window: MainWindow) -> bool:
    station = window.findChild(QWidget, "disks-station")
    return station is not None and station.isVisible()


def test_the_tour_forgets_imagined_disks_and_begins_at_the_disks(window: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE)
    session.show(sample.many_disks(5))
    _planned_to_buy(window)
    tour = window.findChild(QAction, "menu-tour")
    assert tour is not None
    tour.trigger()
    assert _tag(window) == "Tour 2 of 10"
    assert _is_at_disks(window)
    assert not window.disks.imagined


def test_starting_the_tours_machine_leads_to_its_disks(touring: MainWindow, session: FakeSession) -> None:
    assert _is_at_disks(touring)
    _planned_to_buy(touring)
    _press(touring, "tour-start")
    session.reach(PRACTICE._replace(state=ConnectionState.STARTING))
    assert _is_at_disks(touring)
    assert not touring.disks.imagined
    settle()
    start = touring.findChild(QPushButton, "tour-start")
    assert start is not None
    assert not start.isEnabled()  # it is under way


def test_the_welcome_begins_the_tour(session: FakeSession, qtbot: QtBot, tmp_path: Path) -> None:
    store = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    window = MainWindow(session, SettingsStore(store))
    qtbot.addWidget(window)
    window.show()
    session.reach(PRACTICE)
    session.show(sample.many_disks(5))
    practice = window.findChild(QPushButton, "welcome-practice")
    assert practice is not None
    assert not practice.isVisible()  # one is here already
    _press(window, "welcome-tour")
    assert _tag(window) == "Tour 2 of 10"
    window.close_unasked()
