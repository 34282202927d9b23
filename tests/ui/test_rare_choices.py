"""Home host, write-mostly and failfast on the Plan station: folded away, chosen, undone and stored."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolButton
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Member, Plan
from raidwright.ui.frame.command_bar import CommandBar
from raidwright.ui.station import Station
from raidwright.ui.stations.plan import edits
from raidwright.ui.window import MainWindow


@pytest.fixture
def planning(window: MainWindow) -> MainWindow:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.plan.choose_level(Level.RAID1)
    return window


def _plan(window: MainWindow) -> Plan:
    assert window.plan.draft.plan is not None
    return window.plan.draft.plan


def _members(plan: Plan) -> list[Member]:
    return [member for member in plan.array.members if isinstance(member, Member)]


def _mark(window: MainWindow, disk_id: str) -> None:
    action = window.findChild(QAction, f"write-mostly-{disk_id}")
    assert action is not None
    action.trigger()


def _is_shown(window: MainWindow, kind: type, name: str) -> bool:
    widget = window.findChild(kind, name)
    assert widget is not None
    return bool(widget.isVisibleTo(window))


def test_rare_choices_are_folded_until_they_are_asked_for(planning: MainWindow) -> None:
    assert not _is_shown(planning, QLineEdit, "home-host")
    fold = planning.findChild(QPushButton, "rare-choices")
    assert fold is not None
    fold.click()
    assert _is_shown(planning, QLineEdit, "home-host")
    assert _is_shown(planning, QToolButton, "write-mostly")
    planning.plan.choose_level(Level.RAID5)
    assert not _is_shown(planning, QToolButton, "write-mostly")


def test_a_write_mostly_disk_comes_last_and_is_in_the_command(planning: MainWindow) -> None:
    first = _members(_plan(planning))[0].id
    _mark(planning, first)
    members = _members(_plan(planning))
    assert [one.write_mostly for one in members] == [False] * (len(members) - 1) + [True]
    assert members[-1].id == first
    bar = planning.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert f"--write-mostly /dev/disk/by-id/{first}" in bar.text
    assert _is_shown(planning, QToolButton, "write-mostly")
    planning.plan.undo()
    assert not any(one.flags for one in _members(_plan(planning)))
    planning.plan.redo()
    assert _members(_plan(planning))[-1].write_mostly
    _mark(planning, first)
    assert not any(one.flags for one in _members(_plan(planning)))


def test_failfast_and_home_host_are_the_whole_plans(planning: MainWindow) -> None:
    button = planning.findChild(QPushButton, "failfast-all")
    assert button is not None
    button.click()
    assert all(disk.failfast for disk in _plan(planning).disks())
    field = planning.findChild(QLineEdit, "home-host")
    assert field is not None
    field.setText("nas")
    field.textEdited.emit("nas")
    planning.plan.choose_level(Level.RAID10)
    assert all(disk.failfast for disk in _plan(planning).disks())
    planning.plan.choose_level(Level.RAID6)  # which ignores it
    assert not any(disk.flags for disk in _plan(planning).disks())
    assert _plan(planning).homehost == "nas"


def test_marks_outlive_a_new_look_at_the_disks_and_a_file(planning: MainWindow) -> None:
    plan = edits.with_write_mostly(_plan(planning), _members(_plan(planning))[0].id, is_marked=True)
    pool = planning.plan.pool
    marked = [disk.flags for disk in plan.disks()]
    assert [disk.flags for disk in edits.as_known(plan, pool).disks()] == marked
    now = {disk.id: disk for disk in pool}
    assert [disk.flags for disk in edits.as_seen(plan, now, now).disks()] == marked
    assert any(disk.flags for disk in edits.adopt(plan.each_disk(lambda disk: disk.flagged(())), plan).disks())
    assert not any(disk.flags for disk in edits.nested(plan, Level.RAID1, 2, pool[:4]).disks())
