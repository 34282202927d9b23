"""A plan's file: it contains the whole plan, is applied to its own disks only, and errors are sentences."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton
from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.ui.phase import Phase
from raidwright.ui.station import Station
from raidwright.ui.stations.plan import edits
from raidwright.ui.stations.plan.loss import overrides as said
from raidwright.ui.stations.plan.plan_file import read_plan_file, write_plan_file
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession

# Offscreen has no window manager that sets a dialog's size.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture
def planning(window: MainWindow) -> MainWindow:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    return window


def _give(window: MainWindow, what: str, path: Path) -> str:
    """Open or save the plan by the dialog; return its message."""
    button, dialog = window.findChild(QPushButton, f"plan-{what}"), None
    assert button is not None
    button.click()
    dialog = window.findChild(QFileDialog, f"plan-{what}-dialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.close()
    sentence = window.findChild(QLabel, "plan-file-said")
    assert sentence is not None
    assert sentence.isVisible()
    return sentence.text()


def _plan(window: MainWindow) -> Plan:
    assert window.plan.draft.plan is not None
    return window.plan.draft.plan


def test_all_that_is_said_comes_back_with_the_plan(planning: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "tank.json"
    planning.plan.choose_level(Level.RAID6)
    planning.plan.edit(lambda plan: said.of_all(plan, "check_days", 7.0))
    planning.plan.edit(lambda plan: said.rate_of_disk(plan, sample.disk(2).id, 0.11))
    planning.plan.edit(lambda plan: said.age_of_disk(plan, sample.disk(3).id, 6.5))
    kept = _plan(planning)
    assert str(path) in _give(planning, "save", path)
    assert json.loads(path.read_text(encoding="utf-8")) == dump_plan(kept)
    planning.plan.edit(said.nothing)
    planning.plan.choose_level(Level.RAID5)
    before = _plan(planning)
    assert "Opened “tank.json”" in _give(planning, "open", path)
    assert _plan(planning) == kept
    planning.plan.undo()
    assert _plan(planning) == before


def test_a_plan_brings_its_own_disks_and_those_that_are_not_here_are_told(
    planning: MainWindow, session: FakeSession, tmp_path: Path
) -> None:
    raid10 = edits.with_level(_plan(planning), Level.RAID10, planning.plan.pool)
    path, plan = tmp_path / "tank.json", edits.with_arrangement(raid10, "f")
    write_plan_file(plan, path)
    planning.disks.toggle(sample.disk(0).id)
    whole = sample.machine()
    session.show(replace(whole, disks=tuple(disk for disk in whole.disks if disk.serial != "VK0ABCD1")))
    assert "Opened “tank.json”" in _give(planning, "open", path)
    assert _plan(planning) == plan
    assert planning.plan.absent == {sample.disk(1).id}
    what = planning.findChild(QLabel, "gone-what")
    assert what is not None
    assert "VK0ABCD1 (not there any more)" in what.text()
    session.show(whole)
    assert not planning.plan.absent
    assert _plan(planning) == plan
    assert not planning.plan.is_unsaved


def test_disks_are_as_the_machine_knows_them(planning: MainWindow) -> None:
    plan = _plan(planning)
    other = plan.each_disk(lambda disk: replace(disk, size_bytes=10**9, model="Another", afr=0.02))
    opened = edits.as_known(other, planning.plan.pool)
    assert opened == plan.each_disk(lambda disk: replace(disk, afr=0.02))


@pytest.mark.parametrize(("content", "why"), [
    (b"\xff\x00", "it is not text"), (b"{", "not JSON"), (b"{}", "“level” is missing"), (b" " * (5 << 20), "too large"),
])  # fmt: skip
def test_what_is_no_plan_is_told(planning: MainWindow, tmp_path: Path, content: bytes, why: str) -> None:
    path, plan = tmp_path / "wrong.json", _plan(planning)
    path.write_bytes(content)
    assert why in _give(planning, "open", path)
    assert _plan(planning) is plan


def test_what_nothing_can_be_reckoned_with_is_told(planning: MainWindow, tmp_path: Path) -> None:
    path, plan = tmp_path / "wrong.json", _plan(planning)
    for wrong in (("rebuild_mb_s", 0.0), ("wear", 0.0), ("age_years", 1e9)):
        write_plan_file(replace(plan, assumptions=(wrong,)), path)
        with pytest.raises(InputError):
            read_plan_file(path)
        assert _give(planning, "open", path)
        assert _plan(planning) is plan


def test_files_that_are_not_there_or_cannot_be_written(planning: MainWindow, tmp_path: Path) -> None:
    assert "can't be read: No such file" in _give(planning, "open", tmp_path / "none.json")
    assert "Choose another folder" in _give(planning, "save", tmp_path / "none" / "tank.json")


def test_slices_are_not_planned_with(planning: MainWindow, tmp_path: Path) -> None:
    path, plan = tmp_path / "slices.json", _plan(planning)
    write_plan_file(plan.each_disk(lambda disk: replace(disk, disk=disk.id, partition=2)), path)
    assert "uses slices of disks" in _give(planning, "open", path)
    assert _plan(planning) is plan


def test_what_is_built_is_saved_and_not_replaced(planning: MainWindow) -> None:
    planning.plan.follow_build(Phase.BUILT)
    for what, enabled in (("open", False), ("save", True)):
        button = planning.findChild(QPushButton, f"plan-{what}")
        assert button is not None
        assert button.isEnabled() is enabled
