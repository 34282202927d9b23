"""A plan with a disk in use has no command, no export, no consent and no Build, at any station."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QCheckBox, QLabel, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.model.plan import MdArray, Plan
from raidwright.machine.values import Snapshot
from raidwright.ui.frame.command_bar import CommandBar
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession

_STATIONS = tuple(Station)


def _with(uses: tuple[Use, ...], *taken: int, count: int = 8) -> Snapshot:
    whole = sample.many_disks(count)
    return replace(
        whole, disks=tuple(replace(one, uses=uses) if at in taken else one for at, one in enumerate(whole.disks))
    )


def _walk(window: MainWindow) -> None:
    """Open each station, and assert that none of them has anything to do with the present plan."""
    bar = window.findChild(CommandBar, "command-bar")
    assert bar is not None
    for station in _STATIONS:
        window.show_station(station)
        assert bar.text == ""
        assert not any(_is_open(window, name) for name in ("command-copy", "command-export"))
        assert not any(_is_open(window, name) for name in ("build-button", "prove-begin", "plan-next"))
        consent = window.findChild(QCheckBox, "prove-allow")
        assert consent is None or not consent.isVisible()
        command = window.findChild(QPlainTextEdit, "build-command")
        assert command is None or not command.isVisible()
    assert not window.stations.build.model.commands
    assert window.stations.plan.exporting._wanted() is None


def _is_open(window: MainWindow, name: str) -> bool:
    button = window.findChild(QPushButton, name)
    return button is not None and button.isVisible() and button.isEnabled()


def _mounted_array(window: MainWindow, session: FakeSession) -> tuple[Disk, ...]:
    """Judge an array of five disks, mounted; three other disks are free. Return its disks."""
    uses = (Use(UseKind.ARRAY_MEMBER, "tank"), Use(UseKind.MOUNTED, "/srv/tank"))
    session.show(_with(uses, *range(5)))
    own = session.snapshot.disks[:5]
    plan = Plan(MdArray(Level.RAID5, tuple(disk.as_member() for disk in own), "tank"))
    window.stations.plan.judge(plan)
    return own


def test_a_judged_arrays_plan_has_nothing_to_run(window: MainWindow, session: FakeSession) -> None:
    _mounted_array(window, session)
    assert window.plan.draft.judged == "tank"
    _walk(window)


@pytest.mark.parametrize("way", ["click", "all"])
def test_choosing_a_free_disk_ends_the_judged_arrays_choice(window: MainWindow, session: FakeSession, way: str) -> None:
    own = _mounted_array(window, session)
    free = session.snapshot.disks[5:]
    if way == "click":
        window.disks.toggle(free[0].id)
        window.disks.toggle(free[1].id)
    else:
        window.disks.choose_all()
    plan = window.plan.draft.plan
    assert plan is not None
    assert not {disk.id for disk in plan.disks()} & {disk.id for disk in own}
    assert not window.plan.draft.judged
    assert window.plan.can_edit
    assert "--create" in window.findChild(CommandBar, "command-bar").text  # type: ignore[union-attr]


def test_leaving_a_disk_of_a_judged_array_out_leaves_nothing_chosen(window: MainWindow, session: FakeSession) -> None:
    own = _mounted_array(window, session)
    window.disks.toggle(own[0].id)
    assert not window.disks.chosen
    assert window.plan.draft.plan is None
    _walk(window)


@pytest.mark.parametrize(
    "use",
    [
        Use(UseKind.MOUNTED, "/mnt/l", through="loop0"),
        Use(UseKind.PROCESS, "qemu-system-x86", pid=71),
        Use(UseKind.LOG, "/srv"),
        Use(UseKind.READ_ONLY),
    ],
)
def test_a_chosen_disk_that_comes_into_use_takes_all_of_it_away_until_it_is_free(
    window: MainWindow, session: FakeSession, use: Use
) -> None:
    session.show(_with((), count=4))
    window.disks.choose_all()
    bar = window.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert "--create" in bar.text
    session.show(_with((use,), 2, count=4))
    assert window.plan.draft.in_use.startswith("In use now: HGST")
    _walk(window)
    session.show(_with((), count=4))
    assert "--create" in bar.text
    assert window.stations.build.model.commands


def test_a_plan_from_a_file_whose_disks_are_in_use_has_nothing_to_run(window: MainWindow, session: FakeSession) -> None:
    session.show(_with((Use(UseKind.PROCESS, "qemu", pid=71),), 0, 1, 2))
    members = tuple(disk.as_member() for disk in session.snapshot.disks[:3])
    window.stations.plan.open(Plan(MdArray(Level.RAID5, members, "tank")))
    _walk(window)
    window.show_station(Station.BUILD)
    notice = window.findChild(QLabel, "build-notice-why")
    assert notice is None or "open for writing by qemu (process 71)" in notice.text()


def test_beside_arrays_that_run_no_command_that_creates_one_is_shown(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    session.show(_with((), count=4))
    window.disks.choose_all()
    bar = window.findChild(CommandBar, "command-bar")
    assert bar is not None
    shown = {}
    for station in _STATIONS:
        window.show_station(station)
        shown[station] = bar.isVisible()
    assert shown == {station: station not in (Station.MEASURE, Station.ARRAYS) for station in _STATIONS}
