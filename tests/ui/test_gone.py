"""A disk of the plan has vanished: the plan is unchanged, every station shows that, and a person decides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Use, UseKind
from raidwright.core.model.plan import Plan
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.values import Snapshot
from raidwright.ui.station import Station
from raidwright.ui.stations.disks.gone import note
from raidwright.ui.stations.plan import edits
from raidwright.ui.stations.plan.stage.columns import columns_of
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession

HERE = Connection("This computer", state=ConnectionState.CONNECTED)


def _plan(window: MainWindow) -> Plan:
    assert window.plan.draft.plan is not None
    return window.plan.draft.plan


def _serials(window: MainWindow) -> list[str]:
    return [disk.serial for disk in _plan(window).disks()]


def _said(window: MainWindow) -> str:
    bar = window.findChild(QWidget, "gone-bar")
    if bar is None or not bar.isVisible():
        return ""
    what = bar.findChild(QLabel, "gone-what")
    assert what is not None
    return what.text()


def _press(window: MainWindow, name: str, qtbot: QtBot) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None
    assert button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def _without(*serials: str) -> Snapshot:
    whole = sample.machine()
    return replace(whole, disks=tuple(disk for disk in whole.disks if disk.serial not in serials))


@pytest.fixture
def planned(window: MainWindow, session: FakeSession) -> MainWindow:
    """Six free disks, and raid10 far of four of them with a chunk of 64 KiB."""
    session.show(sample.many_disks(6))
    for number in range(4):
        window.disks.toggle(sample.disk(number).id)
    window.plan.choose_level(Level.RAID10)
    window.plan.edit(lambda plan: edits.with_arrangement(plan, "f"))
    window.plan.edit_fields(chunk_kib=64)
    return window


def _pull(window: MainWindow, session: FakeSession, *numbers: int) -> None:
    disks = tuple(disk for place, disk in enumerate(sample.many_disks(6).disks) if place not in numbers)
    session.show(Snapshot(disks))


def test_the_plan_stays_as_it_is_and_every_station_says_so(planned: MainWindow, session: FakeSession) -> None:
    before, steps = _plan(planned), planned.plan.can_redo
    _pull(planned, session, 1)
    assert _plan(planned) == before
    assert planned.plan.can_redo is steps
    for station in Station:
        planned.show_station(station)
        assert "The plan “tank” has lost" in _said(planned)
        assert "VK0ABCD1 (not there any more)" in _said(planned)
    assessment = planned.plan.draft.assessment
    assert assessment is not None
    marked = columns_of(assessment, planned.plan.absent)
    assert [column.is_absent for column in marked] == [False, True, False, False]
    assert "VK0ABCD1" in planned.stations.build.model.why_not


def test_when_it_is_back_the_plan_is_whole_and_nothing_is_said(planned: MainWindow, session: FakeSession) -> None:
    before = _plan(planned)
    _pull(planned, session, 1)
    moved = [replace(disk, device=f"/dev/sd{'fghijk'[place]}") for place, disk in enumerate(sample.many_disks(6).disks)]
    session.show(Snapshot(tuple(moved)))
    assert _plan(planned) == before
    assert _said(planned) == ""
    assert not planned.plan.absent
    assert not planned.stations.build.model.missing


def test_leaving_it_out_plans_with_the_rest(planned: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _pull(planned, session, 1)
    _press(planned, "gone-leave", qtbot)
    assert _serials(planned) == ["VK0ABCD0", "VK0ABCD2", "VK0ABCD3"]
    assert (_plan(planned).array.layout, _plan(planned).array.chunk_kib) == ("f2", 64)
    assert _said(planned) == ""


def test_another_takes_its_slot(planned: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _pull(planned, session, 1)
    _press(planned, "gone-another", qtbot)
    seeking = planned.findChild(QLabel, "disks-seeking")
    assert seeking is not None
    assert seeking.isVisible()
    assert "takes the place of" in seeking.text()
    planned.disks.toggle(sample.disk(5).id)
    assert _serials(planned) == ["VK0ABCD0", "VK0ABCD5", "VK0ABCD2", "VK0ABCD3"]
    assert (_plan(planned).array.layout, _plan(planned).array.chunk_kib) == ("f2", 64)
    assert _said(planned) == ""
    assert not seeking.isVisible()
    planned.plan.undo()
    assert _serials(planned) == ["VK0ABCD0", "VK0ABCD5", "VK0ABCD2", "VK0ABCD3"]
    assert _plan(planned).array.chunk_kib != 64


def test_a_search_for_another_can_be_left(planned: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _pull(planned, session, 1)
    _press(planned, "gone-another", qtbot)
    _press(planned, "disks-seeking-leave", qtbot)
    planned.disks.toggle(sample.disk(5).id)
    assert "VK0ABCD1" in _said(planned)
    assert len(planned.disks.chosen) == 5


def test_a_search_ends_when_the_disk_is_back(planned: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _pull(planned, session, 1)
    _press(planned, "gone-another", qtbot)
    session.show(sample.many_disks(6))
    assert planned.disks.seeking is None


def test_without_another_there_is_none_to_choose(window: MainWindow, session: FakeSession) -> None:
    window.disks.choose_all()
    window.disks.toggle(sample.machine().disks[6].id)  # also the one that could be used
    session.show(_without("VK0ABCD1"))
    button = window.findChild(QPushButton, "gone-another")
    assert button is not None
    assert not button.isEnabled()
    assert button.toolTip()


def test_a_plan_of_ones_own_outlives_another_machine(planned: MainWindow, session: FakeSession) -> None:
    before = _plan(planned)
    session.show(Snapshot())
    session.reach(HERE._replace(state=ConnectionState.CONNECTING))
    assert _said(planned) == ""  # not known yet
    session.reach(HERE)
    session.show(Snapshot((sample.disk(9), sample.disk(10))))
    assert _plan(planned) == before
    assert _said(planned) == "The plan “tank” has none of its 4 disks here."
    session.reach(Connection("Practice machine", is_practice=True, state=ConnectionState.CONNECTED))
    session.show(sample.many_disks(6))
    assert _plan(planned) == before
    assert _said(planned) == ""


def test_a_choice_alone_does_not(window: MainWindow, session: FakeSession) -> None:
    window.disks.choose_all()
    session.reach(HERE)
    session.show(Snapshot((sample.disk(9), sample.disk(10))))
    assert window.disks.chosen == ()
    assert _said(window) == ""


def test_a_machine_that_is_not_seen_is_not_taken_for_disks_that_are_gone(
    planned: MainWindow, session: FakeSession
) -> None:
    before = _plan(planned)
    session.show(Snapshot(problem="The connection to the machine was lost."))
    assert "nobody knows" in _said(planned)
    assert _plan(planned) == before


def test_news_of_a_disk_is_no_step_to_undo(planned: MainWindow, session: FakeSession) -> None:
    planned.plan.undo()
    assert planned.plan.can_redo
    warmer = [
        replace(disk, health=replace(disk.health, temperature_celsius=50.0)) for disk in sample.many_disks(6).disks
    ]
    session.show(Snapshot(tuple(warmer)))
    assert planned.plan.can_redo
    planned.plan.redo()
    assert _plan(planned).array.chunk_kib == 64


def test_chosen_disks_that_are_here_and_in_use_are_not_called_gone(planned: MainWindow, session: FakeSession) -> None:
    disks = list(sample.many_disks(6).disks)
    for number in (1, 2):
        disks[number] = replace(disks[number], uses=(Use(UseKind.PROCESS, "qemu", pid=71),))
    session.show(Snapshot(tuple(disks)))
    told = note(planned.disks, "tank", lambda: None)
    assert told is not None
    assert told.tag == "Disks in use"
    assert "lost" not in told.sentence
    assert "not there" not in told.sentence
    assert "qemu" in told.sentence
    assert "once they are free" in told.more
    _pull(planned, session, 1)
    gone = note(planned.disks, "tank", lambda: None)
    assert gone is not None
    assert gone.tag == "Disk gone"
