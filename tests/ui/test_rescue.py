"""The rescue dialog: the disks, the hypotheses, a trial, and the real act after the name is typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPushButton, QRadioButton
from pytestqt.qtbot import QtBot
from raidwright.core.errors import JobFailed
from raidwright.core.md.assembly import Assembly, AssemblyState, StartsOn
from raidwright.core.md.layouts import Level
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.model.plan import Member, Metadata
from raidwright.core.protocol.results import Rescued, RescueTried, RescueVerdict
from raidwright.operations.rescue import RescueArray, TryRescue
from raidwright.operations.rescue_case import ExamineRescue, RescueCase
from raidwright.reading.card import Kept, kept_facts
from raidwright.rescue.examined import examine
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.rescue.dialog import RescueDialog
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")

MEMBERS = tuple(replace(disk.as_member(), baseline=None) for disk in sample.machine().disks[:4])
DISKS = {member.id: member for member in MEMBERS}
UUID = "0a1b2c3d:00000001:00000002:00000003"
BLOCK = MemberSuperblock(UUID, "1.2", "raid5", 4, 100, 1_700_000_000, name="tank", working=(0, 1), is_clean=True)
BEHIND = RescueCase(
    DISKS,
    examine(
        {
            member.id: replace(BLOCK, slot=slot, events=events)
            for slot, (member, events) in enumerate(zip(MEMBERS, (100, 100, 90, 50), strict=True))
        },
        DISKS,
    ),
)
SHORT = Assembly(UUID, "tank", "", "raid5", 4, "1.2", AssemblyState.BEHIND, (0, 1), (), 100, 0, True, StartsOn())
TANK = replace(
    sample.array(16 * 10**12),
    uuid=UUID,
    running=False,
    device="",
    assembly=SHORT,
    member_devices=("/dev/sda",),
    members=MEMBERS,
)
FILES = ("40000 aa photos/1", "50000 ! photos/\\u5199\\u771f", "9 - x")
TRIED = RescueTried(RescueVerdict.GOOD, 1, 10**12, ("ext4",), ("clean",), FILES)


@pytest.fixture
def dialog(window: MainWindow, session: FakeSession, qtbot: QtBot) -> RescueDialog:
    """The dialog, opened from the array's line."""
    window.show_station(Station.ARRAYS)
    session.reach(PRACTICE)
    session.show(replace(sample.machine(), arrays=(TANK,)))
    _press(window, "array-rescue", qtbot)
    found = window.findChild(RescueDialog)
    assert found is not None
    return found


def _find(parent: Any, kind: Callable[..., Any], name: str) -> Any:
    found = parent.findChild(kind, name)
    assert found is not None, name
    return found


def _press(parent: Any, name: str, qtbot: QtBot) -> None:
    qtbot.mouseClick(_find(parent, QPushButton, name), Qt.MouseButton.LeftButton)


def _answer(session: FakeSession, result: object) -> None:
    done = session.record.jobs[-1].done
    assert done is not None
    done(result)


def _asked(session: FakeSession) -> object:
    return session.record.jobs[-1].arguments[0]


def test_what_is_tried_first_is_done_for_real_once_the_name_is_typed(
    dialog: RescueDialog, session: FakeSession, qtbot: QtBot
) -> None:
    assert _asked(session) == ExamineRescue(UUID)
    _answer(session, BEHIND)
    assert len(dialog.findChildren(QLabel, "rescue-disk")) == 4
    assert "fell behind by 50 events" in dialog.findChildren(QLabel, "rescue-disk")[3].text()
    go = _find(dialog, QPushButton, "rescue-go")
    assert go.isHidden()
    _press(dialog, "rescue-try", qtbot)
    attempt = BEHIND.examined.hypotheses[0].attempt
    assert _asked(session) == TryRescue(attempt)
    _answer(session, TRIED)
    assert "No disk was written to." in _find(dialog, QLabel, "rescue-said").text()
    assert "✕ photos/写真" in _find(dialog, QLabel, "rescue-files").text()
    assert not go.isHidden()
    assert not go.isEnabled()
    qtbot.keyClicks(_find(dialog, QLineEdit, "rescue-name"), "tank")
    assert go.isEnabled()
    _press(dialog, "rescue-go", qtbot)
    assert _asked(session) == RescueArray(attempt, "tank")
    _answer(session, Rescued(UUID, "/dev/md127", 1, "0" * 32))
    assert "runs as /dev/md127" in _find(dialog, QLabel, "rescue-said").text()
    assert not _find(dialog, QPushButton, "rescue-try").isEnabled()


def test_another_hypothesis_has_a_trial_of_its_own(dialog: RescueDialog, session: FakeSession, qtbot: QtBot) -> None:
    _answer(session, BEHIND)
    _press(dialog, "rescue-try", qtbot)
    _answer(session, TRIED)
    second = _find(dialog, QRadioButton, "rescue-choice-1")
    second.click()
    assert _find(dialog, QPushButton, "rescue-go").isHidden()
    _press(dialog, "rescue-try", qtbot)
    assert _asked(session) == TryRescue(BEHIND.examined.hypotheses[1].attempt)
    failed = session.record.jobs[-1].failed
    assert failed is not None
    failed(JobFailed("mdadm refuses it.", code="command-failed"))
    assert _find(dialog, QLabel, "rescue-said").text() == "mdadm refuses it."
    assert _find(dialog, QPushButton, "rescue-go").isHidden()


def test_a_card_is_read_and_what_is_lost_is_said(dialog: RescueDialog, session: FakeSession, tmp_path: Path) -> None:
    none = RescueCase(DISKS, examine(dict.fromkeys(DISKS), DISKS))
    _answer(session, none)
    assert "--card FILE" in _find(dialog, QLabel, "rescue-lost").text()
    assert not _find(dialog, QPushButton, "rescue-try").isEnabled()
    dialog.take_card(str(tmp_path / "gone.txt"))
    assert "gone.txt can't be read" in _find(dialog, QLabel, "rescue-at").text()
    card = tmp_path / "card.txt"
    card.write_text("mdadm --create …", encoding="utf-8")
    dialog.take_card(str(card))
    assert _asked(session) == ExamineRescue(UUID, card="mdadm --create …")


REMEMBERED = kept_facts(Level.RAID5, "", 512, Metadata.V1_2)
LOST = RescueCase(
    DISKS,
    examine(
        {member.id: None if slot else replace(BLOCK, slot=0) for slot, member in enumerate(MEMBERS)},
        DISKS,
    ),
)


@pytest.fixture
def lost(window: MainWindow, session: FakeSession, qtbot: QtBot) -> RescueDialog:
    """The dialog for an array without any superblock, opened where there is no array at all."""
    window.show_station(Station.ARRAYS)
    session.reach(PRACTICE)
    session.show(replace(sample.machine(), arrays=()))
    _press(window, "arrays-notice-also", qtbot)
    found = window.findChild(RescueDialog)
    assert found is not None
    assert _asked(session) == ExamineRescue()
    _answer(session, LOST)
    return found


def orders(disks: dict[str, Member], kept: Kept) -> RescueCase:
    """Return the case of these disks without superblocks, by what is remembered of their array."""
    plan = replace(kept.plan, members=(None,) * len(disks))
    return RescueCase(disks, examine(dict.fromkeys(disks), disks, plan))


def test_an_array_without_superblocks_is_tried_in_every_order_and_brought_back(
    lost: RescueDialog, session: FakeSession, qtbot: QtBot
) -> None:
    ticks = lost.findChildren(QCheckBox, "rescue-included")
    assert [tick.isChecked() for tick in ticks] == [False, True, True, True]  # the first has one
    assert "--card FILE" in _find(lost, QLabel, "rescue-lost").text()
    assert not lost.findChildren(QRadioButton)
    _press(lost, "rescue-orders", qtbot)
    asked = _asked(session)
    kept = REMEMBERED
    assert asked == ExamineRescue(disks=MEMBERS[1:], kept=kept)
    case = orders({member.id: member for member in MEMBERS[1:]}, kept)
    _answer(session, case)
    assert len(lost.findChildren(QRadioButton)) == 6
    _press(lost, "rescue-try-all", qtbot)
    nothing = RescueTried(RescueVerdict.NOTHING, 0, 10**12)
    for number, answer in enumerate((nothing, None, TRIED)):  # which works, so it ends there
        attempt = case.examined.hypotheses[number].attempt
        assert _asked(session) == TryRescue(attempt)
        if answer is not None:
            _answer(session, answer)
            continue
        failed = session.record.jobs[-1].failed
        assert failed is not None
        failed(JobFailed("mdadm refuses it.", code="command-failed"))
    assert lost.model.chosen == 2
    assert _find(lost, QRadioButton, "rescue-choice-2").isChecked()
    go = _find(lost, QPushButton, "rescue-go")
    assert not go.isEnabled()
    qtbot.keyClicks(_find(lost, QLineEdit, "rescue-name"), "rescued")
    _press(lost, "rescue-go", qtbot)
    assert _asked(session) == RescueArray(case.examined.hypotheses[2].attempt, "rescued")
    _answer(session, Rescued(UUID, "/dev/md127", 0, "0" * 32))
    assert "“rescued” runs as /dev/md127" in _find(lost, QLabel, "rescue-said").text()


def test_a_disk_more_or_less_makes_otherorders(lost: RescueDialog, session: FakeSession, qtbot: QtBot) -> None:
    _press(lost, "rescue-orders", qtbot)
    kept = REMEMBERED
    _answer(session, orders({member.id: member for member in MEMBERS[1:]}, kept))
    lost.findChildren(QCheckBox, "rescue-included")[0].click()
    assert _asked(session) == ExamineRescue(disks=MEMBERS, kept=kept)
    _answer(session, orders(dict(DISKS), kept))
    qtbot.waitUntil(lambda: len(lost.findChildren(QRadioButton)) == 24)  # the former ones are deleted later
    _press(lost, "rescue-try-all", qtbot)
    _press(lost, "rescue-try-all", qtbot)  # stop after this one
    _answer(session, RescueTried(RescueVerdict.NOTHING, 0, 10**12))
    assert not lost.model.tries_all
    assert not lost.model.job.is_busy


def test_it_is_opened_beside_other_arrays_as_well(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    window.show_station(Station.ARRAYS)
    session.reach(PRACTICE)
    session.show(replace(sample.machine(), arrays=(TANK,)))
    _press(window, "arrays-lost", qtbot)
    dialog = window.findChild(RescueDialog)
    assert dialog is not None
    blocks = {member.id: replace(BLOCK, slot=slot) for slot, member in enumerate(MEMBERS)}
    _answer(session, RescueCase(DISKS, examine(dict(blocks), DISKS)))
    assert "Tick the disks" in _find(dialog, QLabel, "rescue-lost").text()
