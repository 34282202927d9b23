"""Showing which disk is meant, and the names of bays: at the Disks station and where a disk is replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.results import DiskLocated, LocateWay
from raidwright.core.protocol.steps import JobStep
from raidwright.machine.bays import KeptBays, use_bays
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.operations.locate import LocateDisk
from raidwright.text.disk.bays import place_words
from raidwright.ui.station import Station
from raidwright.ui.stations.disks.bay_name import BayNameDialog
from raidwright.ui.widgets.locating import LocateRow
from raidwright.ui.widgets.row_menu import RowMenu
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    yield
    use_bays({})


@pytest.fixture
def disks(window: MainWindow, session: FakeSession) -> MainWindow:
    session.reach(PRACTICE)
    session.show(sample.machine())
    return window


def _find(parent: Any, kind: Callable[..., Any], name: str) -> Any:
    found = parent.findChild(kind, name)
    assert found is not None, name
    return found


def entry(window: MainWindow, name: str, row: int = 0) -> QAction:
    """Return the entry of a disk's menu."""
    maker = _find(window, Table, "disks-table").findChild(RowMenu)
    assert maker is not None
    maker.fill(row)
    action: QAction = next(one for one in maker.menu.actions() if one.objectName() == name)
    return action


def _answer(session: FakeSession, how: str, value: object) -> None:
    slot = getattr(session.record.jobs[-1], how)
    assert slot is not None
    slot(value)


def _asked(session: FakeSession) -> LocateDisk:
    asked = session.record.jobs[-1].arguments[0]
    assert isinstance(asked, LocateDisk)
    return asked


def _said(window: MainWindow) -> str:
    return str(_find(window, QLabel, "locate-said").text())


def test_a_disk_is_shown_until_it_is_stopped(disks: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    row = _find(disks, LocateRow, "locate-row")
    assert row.isHidden()
    entry(disks, "row-locate").trigger()
    asked = _asked(session)
    assert asked.disk.serial == "VK0ABCD0"
    assert not asked.wake
    assert not row.isHidden()
    _answer(session, "update", JobProgress(JobStep.BLINK, 0.1))
    assert "look for the light that blinks" in _said(disks)
    _answer(session, "update", JobProgress(JobStep.LIGHT, 0.1))
    assert "locate light of its bay is on" in _said(disks)
    assert not entry(disks, "row-locate", 1).isEnabled()  # one at a time, or nobody could tell
    assert entry(disks, "row-locate").text() == "Stop showing it"
    task = session.record.jobs[-1].task
    with qtbot.waitSignal(task.cancelled, raising=False, timeout=1):
        qtbot.mouseClick(_find(disks, QPushButton, "locate-stop"), Qt.MouseButton.LeftButton)
    _answer(session, "done", DiskLocated(LocateWay.LIGHT))
    assert row.isHidden()


def test_the_disks_are_listed_where_they_are_chosen_and_where_they_are_overwritten(
    disks: MainWindow, session: FakeSession
) -> None:
    button = _find(disks, QPushButton, "disks-which")
    assert button.isVisible()
    which = button.menu()
    which.fill()
    assert len(which.actions()) == len(sample.machine().disks)
    disks.disks.choose_all()
    disks.show_station(Station.BUILD)
    button = _find(disks, QPushButton, "build-which")
    button.menu().fill()
    [first, *_] = button.menu().actions()
    assert len(button.menu().actions()) == len(disks.disks.chosen) < len(which.actions())
    assert "VK0ABCD0" in first.text()
    first.trigger()
    assert _asked(session).disk.serial == "VK0ABCD0"
    row = _find(disks.findChild(QWidget, "build-station"), LocateRow, "locate-row")
    assert row.isVisible()


def test_a_disk_that_sleeps_is_woken_only_when_asked(disks: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    entry(disks, "row-locate").trigger()
    _answer(session, "failed", DiskRefused("VK0ABCD0 sleeps.", code=Code.ASLEEP))
    assert "sleeps" in _said(disks)
    qtbot.mouseClick(_find(disks, QPushButton, "locate-wake"), Qt.MouseButton.LeftButton)
    assert _asked(session).wake


def test_a_bay_has_the_users_name_wherever_the_link_is(disks: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    link = session.snapshot.disks[0].link
    assert link
    entry(disks, "row-bay").trigger()
    dialog = _find(disks, BayNameDialog, "bay-name")
    field = _find(dialog, QLineEdit, "bay-name-field")
    qtbot.keyClicks(field, "x" * 50)
    qtbot.mouseClick(_find(dialog, QPushButton, "bay-name-go"), Qt.MouseButton.LeftButton)
    assert "up to 40 characters" in _find(dialog, QLabel, "bay-name-refusal").text()
    field.clear()
    qtbot.keyClicks(field, "bay 2, bottom")
    qtbot.mouseClick(_find(dialog, QPushButton, "bay-name-go"), Qt.MouseButton.LeftButton)
    assert place_words(session.snapshot.disks[0]) == f"bay 2, bottom ({link})"
    assert KeptBays().of(session.machine_name) == {link: "bay 2, bottom"}
    table = _find(disks, Table, "disks-table")
    shown = [str(table.model().index(0, column).data()) for column in range(table.model().columnCount())]
    assert f"bay 2, bottom ({link})" in shown


def test_disks_behind_one_adapter_have_bays_of_their_own(disks: MainWindow, session: FakeSession) -> None:
    shelf = tuple(
        replace(disk, link="host0", path=f"pci-0000:03:00.0-sas-phy{n}-lun-0") if n < 2 else replace(disk, link="usb1")
        for n, disk in enumerate(sample.machine().disks[:4])
    )
    session.show(replace(sample.machine(), disks=shelf))
    session.name_bay(shelf[1].path, "left, 2nd from above")
    assert [place_words(disk) for disk in shelf] == ["host0", "left, 2nd from above (host0)", "usb1", "usb1"]
    assert [entry(disks, "row-bay", row).isEnabled() for row in range(4)] == [True, True, False, False]


def test_names_of_one_machine_are_not_another_ones(tmp_path: Path) -> None:
    bays = KeptBays(tmp_path / "bays.json")
    bays.name("local", "ata3", "  bay 2,\tbottom ")
    bays.name("ssh://server", "ata3", "left")
    assert bays.of("local") == {"ata3": "bay 2, bottom"}
    bays.name("local", "ata3", "")
    assert bays.of("local") == {}
    assert bays.of("ssh://server") == {"ata3": "left"}
    (tmp_path / "bays.json").write_text('{"machines": {"local": ["ata3"]}}')
    assert bays.of("local") == {}


def test_a_damaged_file_of_names_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "bays.json"
    path.write_text('{"machines": {"local": ', encoding="utf-8")
    assert KeptBays(path).of("local") == {}
    with pytest.raises(InputError, match="Move it away"):
        KeptBays(path).name("local", "pci-0", "bay 2")
    assert path.read_text(encoding="utf-8") == '{"machines": {"local": '
