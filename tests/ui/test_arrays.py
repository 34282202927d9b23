"""The Arrays station: arrays shown as they are, and stopped only after the array's name is typed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.errors import DiskRefused
from raidwright.core.md.assembly import ArrayGeometry, Assembly, AssemblyState, MemberState, StartsOn
from raidwright.core.protocol.facts import ArrayFacts, Check, CheckState
from raidwright.core.protocol.results import Dismantled, Started, Stopped, TakenOver, UndoResult, Unmounted
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.machine.values import Array, Named
from raidwright.operations.arrays import (
    DismantleArray,
    DismantleStopped,
    ForgetBadBlocks,
    PauseCheck,
    StartArray,
    StartCheck,
    StopArray,
    TakeOver,
)
from raidwright.operations.builds import Undo
from raidwright.operations.changing import PaceChange
from raidwright.operations.locate import LocateDisk
from raidwright.operations.system import Configuration, PreviewConfiguration, Unmount
from raidwright.text.times import moment
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.actions import may_forget, may_rename
from raidwright.ui.stations.arrays.acts import Act
from raidwright.ui.stations.arrays.card import ArrayCard
from raidwright.ui.stations.arrays.limit import LimitDialog
from raidwright.ui.stations.arrays.model import ArraysModel
from raidwright.ui.widgets.which_disk import WhichDisk
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_arrays

from . import test_repair
from .fake_session import PRACTICE, FakeSession
from .places import settle

MEMBERS = tuple(disk.as_member() for disk in sample.machine().disks[:4])
TANK = replace(sample.array(16 * 10**12), sync_action="idle", members=MEMBERS)
STOPPED = replace(
    TANK, running=False, device="", slots=4, member_devices=("/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd")
)


@pytest.fixture
def arrays(window: MainWindow, session: FakeSession) -> ArraysModel:
    """The Arrays station of a machine with one array, tank."""
    window.show_station(Station.ARRAYS)
    session.reach(PRACTICE)
    _have(session, TANK)
    return window.stations.arrays.model


def _have(session: FakeSession, *arrays: Array) -> None:
    session.show(replace(sample.machine(), arrays=arrays))


def _asked(session: FakeSession) -> object:
    return session.record.jobs[-1].arguments[0]


def _answer(session: FakeSession, result: object) -> None:
    done = session.record.jobs[-1].done
    assert done is not None
    done(result)


def _text(window: MainWindow, name: str) -> str:
    found = window.findChild(QLabel, name)
    assert found is not None
    return found.text()


def _press(window: MainWindow, name: str, qtbot: QtBot) -> None:
    if (entry := window.findChild(QAction, name)) is not None:
        assert entry.isEnabled()
        entry.trigger()
        return
    found = window.findChild(QPushButton, name)
    assert found is not None
    qtbot.mouseClick(found, Qt.MouseButton.LeftButton)


def test_an_array_of_foreign_make_is_only_looked_at(
    window: MainWindow, arrays: ArraysModel, session: FakeSession
) -> None:
    assert not arrays.job.is_busy
    facts = ArrayFacts(level="raid1", make="imsm", container="/dev/md/imsm0")
    _have(session, replace(TANK, name="vol0", level="raid1", make="imsm", facts=facts, mounted_at="/mnt"))
    assert _text(window, "array-sentence").startswith("Intel firmware RAID (imsm).")
    assert not [one for one in ("check", "replace", "unmount", "stop", "apart") if _shows(window, f"array-{one}")]
    assert _shows(window, "array-measure")
    _have(session, TANK)
    assert _shows(window, "array-stop")


def test_there_is_a_card_for_each_array_and_none_without(
    window: MainWindow, arrays: ArraysModel, session: FakeSession
) -> None:
    assert "✓ healthy" in _text(window, "array-state")
    _have(session, replace(TANK, degraded=1))
    assert "1 disk lost" in _text(window, "array-state")
    outer = replace(TANK, uuid="outer", name="outer", device="/dev/md1", member_devices=(TANK.device,), members=())
    _have(session, TANK, outer)
    assert [array.name for array in arrays.arrays] == ["outer"]  # tank is a part of it
    assert arrays.disks_of(outer) == MEMBERS
    _have(session)
    assert _text(window, "arrays-notice-headline") == "There are no arrays on this machine"


def test_a_check_is_started_paused_and_told(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    assert "never checked" in _text(window, "array-checked")
    _press(window, "array-check", qtbot)
    assert _asked(session) == StartCheck(Named(TANK.uuid, "tank"))
    _answer(session, Check(TANK.uuid, "tank", CheckState.RUNNING, 1_795_190_000, None, 0))
    _have(session, replace(TANK, sync_action="check", sync_fraction=0.34))
    assert "34%" in _text(window, "array-state")
    _press(window, "array-check", qtbot)
    assert _asked(session) == PauseCheck(Named(TANK.uuid, "tank"))
    _answer(session, Check(TANK.uuid, "tank", CheckState.PAUSED, 1_795_190_000, 1_795_190_100, 8))
    assert "8 sectors differ so far" in _text(window, "array-checked")


def test_the_result_is_asked_for_when_a_check_has_ended(
    window: MainWindow, arrays: ArraysModel, session: FakeSession
) -> None:
    before = len(session.record.checks)
    _have(session, replace(TANK, sync_action="check"))
    _have(session, TANK)
    assert len(session.record.checks) == before + 1
    done = session.record.checks[-1].done
    assert done is not None
    done((Check(TANK.uuid, "tank", CheckState.DONE, 1_795_190_000, 1_795_195_000, 0),))
    assert "nothing differs" in _text(window, "array-checked")
    assert moment(1_795_190_000) in _text(window, "array-checked")  # one form of dates everywhere


def test_that_a_check_runs_is_said_only_while_it_runs(
    window: MainWindow, arrays: ArraysModel, session: FakeSession
) -> None:
    arrays.check(TANK)
    running = Check(TANK.uuid, "tank", CheckState.RUNNING, 1_795_190_000, None, 0)
    _answer(session, running)
    assert "goes on by itself" in _text(window, "arrays-said")
    _have(session, TANK)  # over before any snapshot showed it
    done = session.record.checks[-1].done
    assert done is not None
    done((replace(running, state=CheckState.DONE),))
    assert not _text(window, "arrays-said")


@pytest.mark.parametrize("typed", ["", "tan", "TANK", "tank "])
def test_only_the_name_itself_ends_an_array(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot, typed: str
) -> None:
    _press(window, "array-stop", qtbot)
    name, go = window.findChild(QLineEdit, "arrays-name"), window.findChild(QPushButton, "arrays-go")
    assert name is not None
    assert go is not None
    qtbot.keyClicks(name, typed)
    qtbot.keyClick(name, Qt.Key.Key_Return)
    assert not go.isEnabled()
    assert not session.record.jobs
    name.clear()
    qtbot.keyClicks(name, "tank")
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    assert _asked(session) == StopArray(Named(TANK.uuid, "tank"))
    _have(session, STOPPED)  # the snapshot arrives before the answer
    _answer(session, Stopped(()))
    assert _text(window, "arrays-said") == "“tank” is stopped. Its disks still belong to it."


def test_a_stopped_array_stays_in_the_list(window: MainWindow, arrays: ArraysModel, session: FakeSession) -> None:
    _have(session, STOPPED)
    assert _text(window, "array-name") == "tank"
    assert _text(window, "array-state") == "stopped"
    assert "4 of 4 disks here" in _text(window, "array-what")
    assert not [name for name in ("check", "replace", "unmount", "stop") if _shows(window, f"array-{name}")]
    _have(session, TANK)
    assert _shows(window, "array-stop")
    _have(session, STOPPED, replace(TANK, uuid="other", name="other"))
    assert [array.name for array in arrays.arrays] == ["other", "tank"]  # running ones come first


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (AssemblyState.SHORT, "can't start: too few disks"),
        (AssemblyState.BEHIND, "can't start: members fell behind"),
        (AssemblyState.DIRTY, "can't start: cut off while written to"),
        (AssemblyState.UNKNOWN, "of another make"),
    ],
)
def test_it_says_why_it_can_not_be_started_and_whose_it_is(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, state: AssemblyState, words: str
) -> None:
    known = Assembly(
        TANK.uuid, "tank", "oldnas", "raid5", 4, "1.2", state, (0,), (), 7, 0, is_clean=True,
        starts_on=StartsOn("6.19", ("logical-block-size",)),
    )  # fmt: skip
    _have(session, replace(STOPPED, assembly=known, homehost="oldnas"))
    assert _text(window, "array-state") == words
    assert _text(window, "array-checked") == (
        "from the computer “oldnas” · clean · starts on Linux 6.19 and mdadm 2.0 and later (logical-block-size)"
    )
    assert not _shows(window, "array-start")


def test_a_stopped_array_is_started(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    _have(session, STOPPED)
    _press(window, "array-start", qtbot)
    assert _asked(session) == StartArray(Named(TANK.uuid, "tank"))
    _have(session, TANK)
    _answer(session, Started(TANK.uuid, "/dev/md127", 0, read_only=False))
    assert _text(window, "arrays-said") == "“tank” runs."
    assert not _shows(window, "array-start")


def test_without_members_that_it_had_it_is_started_by_its_name(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    known = Assembly(
        TANK.uuid, "tank", "", "raid6", 4, "1.2", AssemblyState.STOPPED, (0, 1, 2), (), 7, 0, is_clean=True,
        starts_on=StartsOn(), dropped=(3,),
    )  # fmt: skip
    _have(session, replace(STOPPED, assembly=known))
    _press(window, "array-start", qtbot)
    assert not session.record.jobs
    assert "last written with 1 more member than is here" in _text(window, "arrays-means")
    name = window.findChild(QLineEdit, "arrays-name")
    assert name is not None
    qtbot.keyClicks(name, "tank")
    _press(window, "arrays-go", qtbot)
    assert _asked(session) == StartArray(Named(TANK.uuid, "tank"), missing=True)


def _shows(window: MainWindow, name: str) -> bool:
    settle()  # buttons of another state are deleted
    if window.findChild(QAction, name) is not None:
        return True
    found = window.findChild(QPushButton, name)
    return found is not None and not found.isHidden()


def test_what_is_on_it_is_ticked_before_it_is_taken_apart_and_it_comes_back(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    _press(window, "array-apart", qtbot)
    assert all(member.serial in _text(window, "arrays-means") for member in MEMBERS)
    arrays.type_name("tank")
    arrays.confirm()
    assert _asked(session) == DismantleArray(Named(TANK.uuid, "tank"), MEMBERS)
    failed = session.record.jobs[-1].failed
    assert failed is not None
    failed(DiskRefused("The array holds ext4.", code="array-holds-something", signatures=["ext4"]))
    arrays.type_name("tank")
    assert "Tick" in arrays.why_not
    box = window.findChild(QCheckBox, "arrays-give-up")
    assert box is not None
    assert "ext4" in box.text()
    box.click()
    lines = window.findChild(QCheckBox, "arrays-lines")
    assert lines is not None
    assert not lines.isChecked()
    lines.click()
    arrays.confirm()
    assert _asked(session) == DismantleArray(Named(TANK.uuid, "tank"), MEMBERS, ("ext4",), with_lines=True)
    _answer(session, Dismantled("0" * 32, ()))
    _have(session)
    assert "its disks are free" in _text(window, "arrays-said")
    _press(window, "arrays-back", qtbot)
    assert _asked(session) == Undo("0" * 32)
    _answer(session, UndoResult("0" * 32, synchronised=False))
    assert "starts again by itself" in _text(window, "arrays-said")


def test_a_confirmation_does_not_count_for_another_array_or_machine(
    window: MainWindow, arrays: ArraysModel, session: FakeSession
) -> None:
    arrays.open(TANK, Act.TAKE_APART)
    arrays.type_name("tank")
    _have(session, replace(TANK, uuid="another"))  # of the same name
    arrays.confirm()
    assert not session.record.jobs
    arrays.open(arrays.arrays[0], Act.STOP)
    arrays.type_name("tank")
    session.reach(PRACTICE._replace(title="Another machine"))
    arrays.confirm()
    assert not session.record.jobs


def test_a_mounted_array_is_unmounted_before_it_ends(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    assert not _shows(window, "array-unmount")
    _have(session, replace(TANK, mounted_at="/srv/tank"))
    assert _shows(window, "array-unmount")
    _press(window, "array-stop", qtbot)
    assert _text(window, "arrays-why-not") == "It is mounted at /srv/tank. Unmount it first."
    arrays.type_name("tank")
    arrays.confirm()
    assert not session.record.jobs
    _press(window, "array-unmount", qtbot)
    assert _asked(session) == Unmount(Named(TANK.uuid, "tank"))
    _answer(session, Unmounted("/srv/tank", FileSystemKind.EXT4, "systemd-umount"))
    assert "Unmounted from /srv/tank" in _text(window, "arrays-said")
    _have(session, TANK)
    assert not _shows(window, "array-unmount")
    arrays.type_name("tank")
    arrays.confirm()
    assert _asked(session) == StopArray(Named(TANK.uuid, "tank"))


def test_a_file_system_in_use_stays_mounted_and_says_so(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    _have(session, replace(TANK, mounted_at="/srv/tank"))
    _press(window, "array-unmount", qtbot)
    failed = session.record.jobs[-1].failed
    assert failed is not None
    failed(DiskRefused("The array is still mounted at /srv/tank: something uses it.", code="mount-busy"))
    assert "something uses it" in _text(window, "arrays-failure")


def test_each_state_is_told_apart_with_its_way_on(window: MainWindow, session: FakeSession) -> None:
    window.show_station(Station.ARRAYS)
    session.show(sample_arrays.every_state())
    cards = {card.accessibleName().partition(":")[0]: card for card in window.findChildren(ArrayCard)}
    assert len(cards) == 12
    states = [card.findChild(QLabel, "array-state").text() for card in cards.values()]  # type: ignore[union-attr]
    assert len(set(states)) == 12
    for name, words in (
        ("newk", "start it on such a system, and don't erase its disks"),
        ("mail", "don't force anything"),
        ("films", "fell 22 minutes behind"),
        ("films2", "too few. Plug in the others"),
        ("attic", "the name of the computer “oldnas”"),
    ):
        sentence = cards[name].findChild(QLabel, "array-sentence")
        assert sentence is not None
        assert words in sentence.text(), name
        startable = cards[name].findChild(QPushButton, "array-start")
        assert (startable is None) == (name != "photos")


def test_what_a_read_only_start_does_is_said_and_needs_no_name(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    window.show_station(Station.ARRAYS)
    [music] = [array for array in sample_arrays.every_state().arrays if array.name == "music"]
    _have(session, music)
    _press(window, "array-look", qtbot)
    assert _asked(session) == StartArray(music.named, read_only=True, missing=True)
    _answer(session, Started(music.uuid, "/dev/md127", 1, read_only=True))
    assert "nothing is written" in _text(window, "arrays-said")


def test_a_stopped_array_is_taken_apart_as_well(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    _have(session, STOPPED)
    _press(window, "array-apart", qtbot)
    arrays.type_name("tank")
    arrays.confirm()
    assert _asked(session) == DismantleStopped(Named(TANK.uuid, "tank"), MEMBERS)


def test_an_array_is_measured_from_its_card(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    assert arrays.arrays
    _press(window, "array-measure", qtbot)
    assert window.stations.measure.model.target == f"md:{TANK.uuid}"


def test_the_window_opens_on_the_arrays_of_a_machine_that_has_some(session: FakeSession, qtbot: QtBot) -> None:
    window = MainWindow(session)
    qtbot.addWidget(window)
    window.show()
    session.reach(PRACTICE)
    session.show(replace(sample.machine(), arrays=(TANK,)))
    station = window.findChild(QWidget, "arrays-station")
    assert station is not None
    assert station.isVisible()
    window.show_station(Station.DISKS)
    session.show(replace(sample.machine(), arrays=(TANK, STOPPED)))
    assert not station.isVisible()  # it is offered once


def test_an_array_from_elsewhere_is_taken_over_and_then_set_up(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    [photos] = [array for array in sample_arrays.every_state().arrays if array.name == "photos"]
    _have(session, photos, replace(TANK, uuid="another"))
    _press(window, "array-take-over", qtbot)
    assert "homeserver:photos instead of oldnas:photos" in _text(window, "arrays-means")
    name, new_name = window.findChild(QLineEdit, "arrays-name"), window.findChild(QLineEdit, "arrays-new-name")
    assert name is not None
    assert new_name is not None
    qtbot.keyClicks(name, "photos")
    for given, words in (("tank", "Another array is called"), ("a b", "A name has up to 32")):
        new_name.clear()
        qtbot.keyClicks(new_name, given)
        assert words in arrays.why_not
    new_name.clear()
    qtbot.keyClicks(new_name, "pictures")
    _press(window, "arrays-go", qtbot)
    assert _asked(session) == TakeOver(photos.named, "pictures")
    _answer(session, TakenOver(photos.uuid, "/dev/md127", "pictures", "homeserver"))
    assert _text(window, "set-up-title") == "“pictures” at each start"
    _press(window, "set-up-skip", qtbot)
    _press_in(window, "arrays-set-up", "next-show", qtbot)
    assert _asked(session) == PreviewConfiguration(Named(photos.uuid, "pictures"), Configuration())
    _press(window, "set-up-close", qtbot)
    assert _text(window, "arrays-said") == "“pictures” is this computer's own now, and runs."


def test_an_own_array_is_renamed_while_nothing_uses_it(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    [photos] = [array for array in sample_arrays.every_state().arrays if array.name == "photos"]
    assert photos.host is not None
    facts = ArrayFacts(level="raid5", metadata="1.2")
    own = replace(TANK, name="photos", host=photos.host, homehost=photos.host.hostname, facts=facts)
    assert not may_rename(replace(own, homehost="oldnas"))
    assert not may_rename(replace(own, mounted_at="/srv"))
    assert not may_rename(replace(own, facts=replace(facts, metadata="0.90")))
    _have(session, own)
    _press(window, "array-rename", qtbot)
    assert "homeserver:photos instead of homeserver:photos" in _text(window, "arrays-means")
    name, new_name = window.findChild(QLineEdit, "arrays-name"), window.findChild(QLineEdit, "arrays-new-name")
    assert name is not None
    assert new_name is not None
    qtbot.keyClicks(name, "photos")
    new_name.clear()
    qtbot.keyClicks(new_name, "pictures")
    assert "homeserver:pictures instead of homeserver:photos" in _text(window, "arrays-means")
    _press(window, "arrays-go", qtbot)
    assert _asked(session) == TakeOver(own.named, "pictures")
    assert not arrays.why_not.startswith("Another")


@pytest.mark.usefixtures("arrays")
def test_lists_of_bad_blocks_are_forgotten_once_they_are_named_and_nothing_uses_the_array(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    facts = ArrayFacts(level="raid5", bad_sectors=(("sda", 8), ("sdc", 64)))
    array = replace(TANK, facts=facts)
    assert not may_forget(replace(array, mounted_at="/srv"))
    assert not may_forget(replace(array, sync_action="recover"))
    assert not may_forget(replace(array, facts=replace(facts, bad_sectors=())))
    _have(session, array)
    _press(window, "array-forget-bad-blocks", qtbot)
    assert "8 sectors of sda, 64 sectors of sdc" in _text(window, "arrays-means")
    name = window.findChild(QLineEdit, "arrays-name")
    assert name is not None
    qtbot.keyClicks(name, TANK.name)
    _press(window, "arrays-go", qtbot)
    assert _asked(session) == ForgetBadBlocks(TANK.named, 72)


def _press_in(window: MainWindow, place: str, name: str, qtbot: QtBot) -> None:
    around = window.findChild(QWidget, place)
    assert around is not None
    found = around.findChild(QPushButton, name)
    assert found is not None
    qtbot.mouseClick(found, Qt.MouseButton.LeftButton)


def test_a_mounted_array_is_set_up_where_it_is_mounted(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    assert arrays.arrays
    _have(session, replace(TANK, mounted_at="/srv/tank"))
    _press(window, "array-set-up", qtbot)
    _press_in(window, "arrays-set-up", "next-show", qtbot)
    assert _asked(session) == PreviewConfiguration(Named(TANK.uuid, "tank"), Configuration(place="/srv/tank"))


def test_an_array_is_judged_at_the_station_plan(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    whole = sample_arrays.every_state()
    shape = ArrayGeometry(layout=2, chunk_kib=512, component_sectors=15_627_788_288, features=1)
    array = sample_arrays.stopped("films", 0, (MemberState.AGREES,) * 3, slots=3, geometry=shape)
    session.show(replace(whole, arrays=(array,)))
    assert arrays.arrays
    settle()  # the card of another array is deleted
    _press(window, "array-judge", qtbot)
    plan = window.plan.draft.plan
    assert plan is not None
    assert (plan.name, plan.array.level, len(plan.array.members)) == ("films", "raid5", 3)
    station = window.findChild(QWidget, "plan-station")
    assert station is not None
    assert station.isVisible()
    assert window.plan.draft.assessment is not None
    nothing = "This is the array “films” as it is"
    window.plan.edit(lambda plan: plan.on(replace(plan.array, chunk_kib=64)))
    assert window.plan.draft.plan == plan  # it is only looked at
    assert nothing in _text(window, "plan-locked")
    build = window.findChild(QPushButton, "plan-next")
    assert build is not None
    assert not build.isEnabled()
    assert nothing in window.stations.build.model.why_not
    assert not window.stations.build.model.commands
    window.stations.build.model.type_name("films")
    window.stations.build.model.build()
    assert not session.record.jobs
    window.disks.choose_members([disk.as_member() for disk in whole.disks[4:8]])
    assert window.plan.can_edit  # with other disks it is a plan again
    assert not window.plan.draft.judged


def test_why_an_array_can_not_be_judged_is_said(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    assert arrays.arrays
    _press(window, "array-judge", qtbot)
    assert "can't be read without the helper" in _text(window, "arrays-failure")


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
def test_the_recovery_card_of_any_array_is_saved(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot, tmp_path: Path
) -> None:
    size_bytes = 3 * test_repair.FACTS.component_size_kib // 256 * 256 * 1024  # whole chunks of 256 KiB
    session.show(test_repair._seen(replace(test_repair.WHOLE, size_bytes=size_bytes)))
    assert arrays.arrays
    settle()
    _press(window, "array-card", qtbot)
    dialog = window.findChild(QFileDialog, "built-card-dialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "card.txt"))
    dialog.close()
    card = (tmp_path / "card.txt").read_text(encoding="utf-8")
    assert sample.ARRAY_UUID in card
    assert "VK0ABCD0" in card
    _have(session, TANK)  # as seen without the helper
    settle()
    _press(window, "array-card", qtbot)
    assert _text(window, "arrays-failure")


def test_a_rebuild_is_paused_and_let_go_on(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    assert window.findChild(QAction, "array-pause") is None  # nothing is under way
    rebuilt = replace(TANK, sync_action="recover", facts=ArrayFacts())
    _have(session, rebuilt)
    _press(window, "array-pause", qtbot)
    assert _asked(session) == PaceChange(TANK.named, 0)
    _answer(session, None)
    _have(session, replace(rebuilt, facts=ArrayFacts(limit_kib_s=1)))
    assert _text(window, "array-next") == "Next: md's work is paused; it goes on when you say so."
    _press(window, "array-pause", qtbot)
    assert _asked(session) == PaceChange(TANK.named, 2**32 - 1)


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
@pytest.mark.parametrize(("typed", "limit"), [("50", 48828), ("", 2**32 - 1)])
def test_its_speed_is_limited(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot, typed: str, limit: int
) -> None:
    _have(session, replace(TANK, sync_action="reshape", facts=ArrayFacts(limit_kib_s=9766), host=sample_arrays.HOST))
    _press(window, "array-limit", qtbot)
    dialog = window.findChild(LimitDialog)
    assert dialog is not None
    field = dialog.findChild(QLineEdit, "array-limit-field")
    assert field is not None
    assert field.text() == "10"
    assert "sync_speed_min" in _text(window, "array-limit-gives-way")  # as Linux 6.1 does it
    field.setText(typed)
    _press(window, "array-limit-go", qtbot)
    assert _asked(session) == PaceChange(TANK.named, limit)


def test_a_disk_of_an_array_is_shown_in_the_case_from_its_card(
    window: MainWindow, session: FakeSession, arrays: ArraysModel
) -> None:
    disks = sample.machine().disks[:4]
    session.show(replace(sample.machine(), arrays=(TANK,)))
    settle()
    [card] = window.findChildren(ArrayCard)
    which = card.findChild(WhichDisk)
    assert which is not None
    which.fill()
    found = [which.findChild(QAction, f"locate-{disk.id}") for disk in disks]
    assert all(action is not None and disk.serial in action.text() for action, disk in zip(found, disks, strict=True))
    assert found[2] is not None
    found[2].trigger()
    [asked] = session.record.jobs[-1].arguments
    assert isinstance(asked, LocateDisk)
    assert asked.disk == disks[2].as_member()
    said = window.stations.arrays.model.locating.said
    assert said
    assert any(label.text() == said and label.isVisible() for label in window.findChildren(QLabel, "locate-said"))
    which.fill()
    again = which.findChild(QAction, f"locate-{disks[0].id}")
    assert again is not None
    assert not again.isEnabled()  # one at a time


def test_a_shoot_outs_scratch_arrays_are_one_card_that_leads_there(
    window: MainWindow, arrays: ArraysModel, session: FakeSession, qtbot: QtBot
) -> None:
    scratch = replace(
        TANK, name="raidwright-scratch-44c078", uuid="44c078:0:0:0", device="/dev/md126", degraded=1, link=""
    )
    for state in (scratch, replace(scratch, running=False), replace(scratch, degraded=0)):
        session.show(replace(sample.machine(), arrays=(TANK, state)))
        settle()
        assert [array.name for array in arrays.arrays] == ["tank"]
        assert len(window.findChildren(ArrayCard)) == 1
        card = window.findChild(QWidget, "arrays-trial")
        assert card is not None
        assert card.isVisible()
    session.show(replace(sample.machine(), arrays=(scratch,)))
    _press(window, "arrays-trial-see", qtbot)
    station = window.findChild(QWidget, "prove-station")
    assert station is not None
    assert station.isVisible()
    window.show_station(Station.ARRAYS)
    session.show(replace(sample.machine(), arrays=(TANK,)))
    card = window.findChild(QWidget, "arrays-trial")
    assert card is not None
    assert not card.isVisible()
