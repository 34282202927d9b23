"""The walk on which an array becomes bigger: three ways, what happens, the request, the progress and the end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.errors import DiskRefused
from raidwright.core.md.changes.values import ChangeWish
from raidwright.core.md.layouts import Level
from raidwright.core.protocol.results import ArrayChanged
from raidwright.core.protocol.steps import JobStep
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.operations.changing import ChangeArray, LookForChange, PaceChange
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.bigger.page import BiggerPage
from raidwright.ui.stations.arrays.change.dialog import ChangeDialog
from raidwright.ui.stations.arrays.change.steps import StepsText
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_growth

from .fake_session import Asked, FakeSession
from .places import press, settle


@pytest.fixture
def page(window: MainWindow, session: FakeSession) -> BiggerPage:
    """The walk of “media”, with one free disk beside it, once the helper has looked."""
    session.show(sample_growth.seen(sample_growth.FREE))
    window.show_station(Station.ARRAYS)
    settle()
    return _opened(window, session)


def _opened(window: MainWindow, session: FakeSession) -> BiggerPage:
    press(window, "array-bigger")
    asked = _asked(session, "LookForChange")
    assert asked.arguments == (LookForChange(sample_growth.media().named),)
    assert asked.done is not None
    asked.done(sample_growth.GROUND)
    settle()
    found = window.findChild(BiggerPage)
    assert found is not None
    return found


def _asked(session: FakeSession, what: str) -> Asked:
    return [job for job in session.record.jobs if job.what == what][-1]


def _words(page: QWidget) -> str:
    shown = (one.text() for one in page.findChildren(QLabel) if one.isVisibleTo(page))
    return "\n".join(shown).replace("\N{NO-BREAK SPACE}", " ")


def _named(page: QWidget, kind: type[QWidget], name: str) -> QWidget:
    found = page.findChild(kind, name)
    assert found is not None, name
    return found


def test_three_cards_say_what_each_way_gives_takes_and_needs(page: BiggerPage) -> None:
    assert page.isVisible()
    more = _words(_named(page, QWidget, "bigger-card-more"))
    for said in ("A disk more", "recommended", "24.0 → 32.0 TB", "any one", "ZR52E7H0", "8.00 TB, here and free"):
        assert said in more
    larger = _words(_named(page, QWidget, "bigger-card-larger"))
    assert "4 disks of 12.0 TB" in larger
    assert "to buy" in larger
    assert page.findChild(QPushButton, "bigger-choose-larger") is None  # no dead button
    assert "any two" in _words(_named(page, QWidget, "bigger-card-safer"))
    assert "mdadm" not in _words(page)


def test_arrow_keys_move_between_the_cards_and_enter_chooses(page: BiggerPage, qtbot: QtBot) -> None:
    more, safer = (page.findChild(QPushButton, f"bigger-choose-{kind}") for kind in ("more", "safer"))
    assert more is not None
    assert safer is not None
    assert more.accessibleName() == "A disk more: Add ZR52E7H0 …"
    more.setFocus()
    qtbot.keyClick(more, Qt.Key.Key_Right)
    assert safer.hasFocus()
    qtbot.keyClick(safer, Qt.Key.Key_Return)
    assert page.accessibleName() == "media becomes RAID 6 · 5 disks"


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
def test_the_change_is_begun_by_the_typed_name_and_ends_with_what_is_next(
    page: BiggerPage, window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    press(window, "bigger-choose-more")
    settle()
    words = _words(page)
    for said in (
        "Before",
        "Meanwhile",
        "After",
        "Spread the data over 5 disks",
        "Power cut:",
        "Undo:",
        "no other disk",
    ):
        assert said in words
    name, go = _named(page, QLineEdit, "bigger-name"), _named(page, QPushButton, "bigger-go")
    assert name.hasFocus()
    qtbot.keyClicks(name, "medi")
    assert not go.isEnabled()
    qtbot.keyClicks(name, "a")
    qtbot.keyClick(name, Qt.Key.Key_Return)
    job = _asked(session, "ChangeArray")
    [request] = job.arguments
    assert isinstance(request, ChangeArray)
    assert isinstance(request.goal, ChangeWish)
    assert (request.goal.level, request.goal.slots) == (Level.RAID5, 5)
    assert request.goal.add == (sample_growth.FREE.as_member(),)
    assert job.update is not None
    job.update(JobProgress(JobStep.RESHAPE, 0.41))
    session.show(sample_growth.seen(sample_growth.FREE, sync_action="reshape", sync_seconds_left=41_000))
    assert "41% · about 11 h left" in _words(page)
    press(window, "bigger-pause")
    assert _asked(session, "PaceChange").arguments == (PaceChange(sample_growth.media().named, 0),)
    press(window, "bigger-leave")
    assert not page.isVisible()
    press(window, "array-bigger")  # the walk that runs
    assert page.isVisible()
    assert "41%" in _words(page)
    assert job.done is not None
    sectors = sample_growth.CAPACITY.array_sectors // 3 * 4
    job.done(ArrayChanged(sample.ARRAY_UUID, "raid5", 5, sectors, 0, "xfs", checks=True))
    assert "media is bigger: 32.0 TB" in _words(page)
    assert "XFS on it has grown with it." in _words(page)
    with qtbot.waitSignal(page.card_wanted) as wanted:
        press(window, "bigger-card")
    assert wanted.args == [sample.ARRAY_UUID]


def test_a_refusal_leads_back_to_what_happens(page: BiggerPage, window: MainWindow, session: FakeSession) -> None:
    press(window, "bigger-choose-more")
    name = page.findChild(QLineEdit, "bigger-name")
    assert name is not None
    name.setText("media")
    name.textEdited.emit("media")
    press(window, "bigger-go")
    failed = _asked(session, "ChangeArray").failed
    assert failed is not None
    failed(DiskRefused("{disk} holds something now.", code="x", disk="ZR52E7H0"))
    settle()
    assert "✕ ZR52E7H0 holds something now." in _words(page)
    press(window, "bigger-another")
    assert "How shall media become bigger?" in _words(page)


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
def test_commands_are_shown_on_demand_and_all_ways_as_a_table(page: BiggerPage, window: MainWindow) -> None:
    press(window, "bigger-choose-more")
    settle()
    press(window, "bigger-commands")
    steps = page.findChild(StepsText)
    assert steps is not None
    assert "mdadm --grow /dev/md/media --raid-devices=5" in steps.toPlainText()
    press(window, "bigger-commands-close")
    press(window, "bigger-table")
    assert page.findChild(ChangeDialog) is not None


def test_while_md_is_busy_each_card_says_so(window: MainWindow, session: FakeSession) -> None:
    session.show(sample_growth.seen(sample_growth.FREE, sync_action="resync"))
    window.show_station(Station.ARRAYS)
    settle()
    press(window, "array-bigger")
    done = _asked(session, "LookForChange").done
    assert done is not None
    done(replace(sample_growth.GROUND, busy="resync"))
    settle()
    page = window.findChild(BiggerPage)
    assert page is not None
    assert _words(page).count("md is busy with it (resync); wait until it is idle.") == 3
    assert not [one for one in page.findChildren(QPushButton) if one.objectName().startswith("bigger-choose")]


def test_a_disk_that_is_plugged_in_makes_the_way_possible(window: MainWindow, session: FakeSession) -> None:
    session.show(sample_growth.seen())
    window.show_station(Station.ARRAYS)
    settle()
    page = _opened(window, session)
    assert page.findChild(QPushButton, "bigger-choose-more") is None
    assert "Plug in a disk of at least 8.00 TB, and it can begin here." in _words(page)
    session.show(sample_growth.seen(sample_growth.FREE))
    done = _asked(session, "LookForChange").done
    assert done is not None
    done(sample_growth.GROUND)
    settle()
    assert page.findChild(QPushButton, "bigger-choose-more") is not None


def test_the_arrays_are_shown_again_once_the_array_has_gone(
    page: BiggerPage, window: MainWindow, session: FakeSession
) -> None:
    session.show(replace(sample.machine(), arrays=()))
    settle()
    assert not page.isVisible()
    assert window.isVisible()
