"""A lost disk in the window: shown first at every station, replaced, rebuilt, checked; and then gone from view."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QRadioButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.errors import DiskRefused
from raidwright.core.md.histories import History
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.model.names import SCRATCH_NAME
from raidwright.core.protocol.facts import ArrayFacts, CameBack, Check, CheckState, DiskSignature, ParityState
from raidwright.core.protocol.results import Joined, MemberChange, MemberJoined
from raidwright.machine.bays import use_bays
from raidwright.machine.values import Array, ArrayDevice, Former, Lack, LastSeen, Named, Snapshot
from raidwright.operations.arrays import StartCheck
from raidwright.operations.locate import LocateDisk
from raidwright.operations.members import AddMember, ReAddMember, RemoveMember, ReplaceMember
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.repair.model import RepairModel, RepairStage
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession
from .places import settle

_Kind = TypeVar("_Kind", bound=QWidget)
NAMED = Named(sample.ARRAY_UUID, "tank")
MEMBERS = [replace(sample.disk(n), uses=(Use(UseKind.ARRAY_MEMBER, "tank"),)) for n in range(4)]
LOST = MEMBERS[2]
NEW = sample.disk(8, serial="VK0NEW88", link="ata5")
SMALL = sample.disk(9, 4, serial="ZC1SMALL")
USED = replace(sample.disk(10, serial="VK0USED"), uses=(Use(UseKind.FILESYSTEM, "ext4"),))
FACTS = ArrayFacts("left-symmetric", "1.2", "internal", "bitmap", 7_813_894_144, 512, NEW.size_bytes - 2**20)


def _place(disk: Disk, slot: int | None, *states: str) -> ArrayDevice:
    return ArrayDevice(slot, disk.device, states or ("in_sync",), disk.as_member(), disk.link)


def _array(*places: ArrayDevice, **more: object) -> Array:
    working = {place.slot for place in places if place.works}
    last = LastSeen(LOST.as_member(), "ata3", 1_795_270_000)
    lacks = tuple(Lack(slot, last if slot == 2 else None) for slot in range(4) if slot not in working)
    known: dict[str, object] = {
        "level": "raid5",
        "sync_action": "idle",
        "slots": 4,
        "degraded": len(lacks),
        "places": places,
        "members": tuple(place.member for place in places if place.member),
        "member_devices": tuple(place.device for place in places),
        "lacks": lacks,
        "facts": FACTS,
    }
    return sample.array(24 * 10**12, **(known | more))


REST = [_place(MEMBERS[n], n) for n in (0, 1, 3)]
DEGRADED = _array(*REST)
WHOLE = _array(*(_place(disk, slot) for slot, disk in enumerate(MEMBERS)))


def _seen(array: Array, *disks: Disk) -> Snapshot:
    return Snapshot((*MEMBERS[:2], MEMBERS[3], *disks), (array,))


@pytest.fixture
def repair(window: MainWindow, session: FakeSession) -> RepairModel:
    """A machine whose array tank has lost the disk of slot 2, with its page opened."""
    session.reach(PRACTICE)
    session.show(_seen(DEGRADED, NEW, SMALL, USED))
    window.stations.arrays.repair.open(DEGRADED)
    return window.stations.arrays.repair


def _find(window: MainWindow, kind: type[_Kind], name: str) -> _Kind:
    found = window.findChild(kind, name)
    assert found is not None, name
    return found


def _text(window: MainWindow, name: str) -> str:
    return _find(window, QLabel, name).text()


def _press(window: MainWindow, name: str, qtbot: QtBot) -> None:
    qtbot.mouseClick(_find(window, QPushButton, name), Qt.MouseButton.LeftButton)


def _stage(window: MainWindow) -> RepairStage:
    return window.stations.arrays.repair.stage


def _asked(session: FakeSession) -> object:
    return session.record.jobs[-1].arguments[0]


def _answer(session: FakeSession, result: object) -> None:
    done = session.record.jobs[-1].done
    assert done is not None
    done(result)


def test_what_speaks_against_a_failure_is_read_before_anything_is_pressed(
    window: MainWindow, session: FakeSession
) -> None:
    session.reach(PRACTICE)
    bad = (MEMBERS[1].device.removeprefix("/dev/"), 64)
    array = replace(WHOLE, facts=replace(FACTS, bad_sectors=(bad,), parity=ParityState.NEVER))
    session.show(_seen(array, NEW))
    window.stations.arrays.repair.open(array)
    hint = _text(window, "repair-hint")
    assert "64 sectors of" in hint
    assert MEMBERS[1].serial in hint
    assert "Its parity was never computed" in hint
    shown = [one.text() for one in window.findChildren(QLabel) if "unreadable" in one.text()]
    assert set(shown) == {"64 unreadable sectors"}


def test_a_member_can_be_shown_and_a_lost_ones_bay_is_named(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    session.reach(PRACTICE)
    use_bays({"ata3": "bay 2, bottom"})
    session.show(_seen(DEGRADED, NEW))
    bar = _find(window, QWidget, "degraded-tank-bar")
    assert any("bay 2, bottom (ata3)" in one.text() for one in bar.findChildren(QLabel))
    window.stations.arrays.repair.open(DEGRADED)
    _press(window, f"locate-{MEMBERS[1].serial}", qtbot)
    asked = _asked(session)
    assert isinstance(asked, LocateDisk)
    assert asked.disk.id == MEMBERS[1].id
    assert window.findChild(QPushButton, f"locate-{LOST.serial}") is None
    use_bays({})


def test_a_lost_disk_is_the_first_thing_at_every_station(window: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE)
    session.show(_seen(WHOLE, NEW))
    assert window.findChild(QWidget, "degraded-tank-bar") is None
    session.show(_seen(DEGRADED, NEW))
    bar = _find(window, QWidget, "degraded-tank-bar")
    for station in Station:
        window.show_station(station)
        assert bar.isVisibleTo(window)
    said = _text(window, "degraded-tank-what")
    for part in ("tank", "Slot 2", LOST.model, LOST.serial, "ata3", "8.00 TB", "last seen working"):
        assert part in said
    more = _text(window, "degraded-tank-more")
    assert "No further disk may fail." in more
    assert all(MEMBERS[n].serial in more for n in (0, 1, 3))
    session.show(_seen(WHOLE, NEW))
    assert bar.isHidden()


def test_an_array_that_a_candidate_is_tried_on_alarms_nobody(window: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE)
    tried = replace(DEGRADED, name=f"{SCRATCH_NAME}-0a1b2c")
    session.show(_seen(tried, NEW))
    assert window.findChild(QWidget, f"degraded-{tried.name}-bar") is None
    session.show(replace(_seen(DEGRADED, NEW), arrays=(tried, DEGRADED)))
    assert window.findChild(QWidget, f"degraded-{tried.name}-bar") is None
    assert window.findChild(QWidget, "degraded-tank-bar") is not None


def test_what_is_not_known_is_said_to_be_unknown(window: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE)
    session.show(_seen(replace(DEGRADED, lacks=(Lack(2),), facts=None, level="raid10"), NEW))
    assert "has not been seen from here" in _text(window, "degraded-tank-what")
    assert "pull none of its disks" in _text(window, "degraded-tank-more")


def test_only_the_disks_that_are_needed_are_named(window: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE)
    mirrored = replace(DEGRADED, level="raid10", facts=replace(FACTS, layout="n2"))
    session.show(_seen(mirrored, NEW))
    more = _text(window, "degraded-tank-more")
    assert "not just any" in more
    assert MEMBERS[3].serial in more  # the other half of slot 2's pair
    assert MEMBERS[0].serial not in more


def test_more_lost_than_it_survives_offers_no_new_disk(window: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE)
    session.show(_seen(_array(*REST[:2]), NEW))
    assert "a new one can't help" in _text(window, "degraded-tank-more")
    assert window.findChild(QPushButton, "degraded-tank-open") is None
    window.stations.arrays.repair.open(window.stations.arrays.repair.degraded[0])
    assert _find(window, QWidget, "repair-choice").isHidden()


def test_who_may_not_join_is_greyed_with_the_reason(window: MainWindow, repair: RepairModel) -> None:
    assert _find(window, QRadioButton, f"newcomer-{NEW.serial}").isEnabled()
    assert not _find(window, QRadioButton, f"newcomer-{SMALL.serial}").isEnabled()
    assert "Too small by" in _text(window, f"newcomer-{SMALL.serial}-told")
    assert "ext4" in _text(window, f"newcomer-{USED.serial}-told")


def test_it_is_replaced_rebuilt_checked_and_the_card_renewed(
    window: MainWindow, session: FakeSession, repair: RepairModel, qtbot: QtBot
) -> None:
    go = _find(window, QPushButton, "repair-go")
    assert not go.isEnabled()
    _find(window, QRadioButton, f"newcomer-{NEW.serial}").click()
    assert "overwritten" in _text(window, "repair-means")
    repair.type_name("tnak")
    assert not go.isEnabled()
    repair.type_name("tank")
    _press(window, "repair-go", qtbot)
    assert _asked(session) == AddMember(NAMED, NEW.as_member())
    coming = _array(*REST, _place(NEW, 2, "spare"), sync_action="recover", sync_fraction=0.34, sync_seconds_left=720)
    session.show(_seen(coming, replace(NEW, uses=(Use(UseKind.ARRAY_MEMBER, "tank"),))))
    _answer(session, MemberJoined(1, Joined.REBUILDS, ()))
    assert _stage(window) is RepairStage.REBUILDING
    assert "about 12 min left" in _text(window, "repair-progress")
    assert "12 min left" in _text(window, "degraded-tank-more")
    session.show(_seen(_array(*REST, _place(NEW, 2))))
    assert _stage(window) is RepairStage.DONE
    assert _find(window, QWidget, "degraded-tank-bar").isHidden()
    assert "healthy again" in _text(window, "repair-ended")
    _press(window, "repair-check", qtbot)
    assert _asked(session) == StartCheck(NAMED)
    _answer(session, Check(NAMED.uuid, "tank", CheckState.RUNNING, 1_795_190_000, None, 0))
    session.show(_seen(_array(*REST, _place(NEW, 2), sync_action="check")))
    session.show(_seen(_array(*REST, _place(NEW, 2))))
    found = Check(NAMED.uuid, "tank", CheckState.DONE, 1_795_190_000, 1_795_190_100, 0)
    for asked in session.record.checks:
        assert asked.done is not None
        asked.done((found,))
    assert "nothing differs" in _text(window, "repair-checked")
    _press(window, "repair-close", qtbot)
    assert _stage(window) is RepairStage.CLOSED


def test_what_the_disk_holds_is_ticked_by_name(
    window: MainWindow, session: FakeSession, repair: RepairModel, qtbot: QtBot
) -> None:
    _find(window, QRadioButton, f"newcomer-{USED.serial}").click()
    _answer(session, {USED.id: (DiskSignature("ext4", 1080, "photos"),)})
    repair.type_name("tank")
    assert not _find(window, QPushButton, "repair-go").isEnabled()
    _find(window, QCheckBox, f"remove-{USED.serial}").click()
    _press(window, "repair-go", qtbot)
    assert _asked(session) == AddMember(NAMED, USED.as_member(), ("ext4",))


def test_a_failed_disk_that_is_still_there_goes_as_the_new_one_comes(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    session.reach(PRACTICE)
    failed = _array(*REST, _place(LOST, None, "faulty"))
    session.show(_seen(failed, LOST, NEW))
    assert "has failed" in _text(window, "degraded-tank-what")
    _press(window, "degraded-tank-open", qtbot)
    window.stations.arrays.repair.choose(NEW.id)
    window.stations.arrays.repair.type_name("tank")
    _press(window, "repair-go", qtbot)
    assert _asked(session) == ReplaceMember(NAMED, LOST.as_member(), NEW.as_member())


def test_one_that_was_a_member_is_recognised_and_taken_back(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    session.reach(PRACTICE)
    former = Former(LOST.as_member(), LOST.device, 2, 1_795_270_000, CameBack.CAUGHT_UP, History.BEHIND)
    back = replace(LOST, uses=(Use(UseKind.STALE_ARRAY_MEMBER, "tank"),))
    session.show(_seen(replace(DEGRADED, former=(former,)), NEW, back))
    window.stations.arrays.repair.open(DEGRADED)
    assert window.stations.arrays.repair.newcomers[0].disk.serial == LOST.serial  # the best comes first
    told = _text(window, f"newcomer-{LOST.serial}-told")
    assert "This was slot 2 of tank, out of date since" in told
    assert "only what changed since is copied" in told
    _find(window, QRadioButton, f"newcomer-{LOST.serial}").click()
    assert not window.stations.arrays.repair.removals.why_not  # nothing of it is removed
    window.stations.arrays.repair.type_name("tank")
    _press(window, "repair-go", qtbot)
    assert _asked(session) == ReAddMember(NAMED, LOST.as_member())
    _answer(session, MemberChange(0, CameBack.CAUGHT_UP, ()))
    session.show(_seen(WHOLE, NEW))
    assert _stage(window) is RepairStage.DONE


def test_one_that_still_works_is_replaced_and_then_let_go(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    window.show_station(Station.ARRAYS)
    session.reach(PRACTICE)
    session.show(_seen(WHOLE, LOST, NEW))
    _press(window, "array-replace", qtbot)
    assert "Nothing is missing" in _text(window, "repair-hint")
    window.stations.arrays.repair.choose(NEW.id)
    assert window.stations.arrays.repair.why_not == "Choose the disk that is to go."
    _find(window, QRadioButton, f"leaver-{LOST.serial}").click()
    assert "goes on serving" in _text(window, "repair-means")
    window.stations.arrays.repair.type_name("tank")
    _press(window, "repair-go", qtbot)
    assert _asked(session) == ReplaceMember(NAMED, LOST.as_member(), NEW.as_member())
    _answer(session, MemberJoined(0, Joined.TAKES_OVER, ()))
    old = _place(LOST, 2, "in_sync", "want_replacement")
    session.show(_seen(_array(*REST, old, _place(NEW, 2, "spare", "replacement"), sync_action="recover"), LOST, NEW))
    assert _stage(window) is RepairStage.REBUILDING
    bar = window.findChild(QWidget, "degraded-tank-bar")
    assert bar is None or bar.isHidden()  # nothing is missing
    session.show(_seen(_array(*REST, _place(NEW, 2), _place(LOST, None, "faulty")), LOST, NEW))
    assert _stage(window) is RepairStage.DONE
    assert "remove it from the array, then pull it" in _text(window, "repair-ended")
    _press(window, "repair-old", qtbot)
    assert _asked(session) == RemoveMember(NAMED, LOST.as_member())


def test_a_new_disk_that_drops_out_is_no_end(window: MainWindow, session: FakeSession, repair: RepairModel) -> None:
    repair.choose(NEW.id)
    repair.type_name("tank")
    repair.confirm()
    session.show(_seen(_array(*REST, _place(NEW, 2, "spare"), sync_action="recover"), NEW))
    _answer(session, MemberJoined(1, Joined.REBUILDS, ()))
    session.show(_seen(DEGRADED, SMALL))
    assert _stage(window) is RepairStage.CHOOSE
    assert "dropped out while it was rebuilt" in _text(window, "repair-failure")
    assert not _find(window, QWidget, "degraded-tank-bar").isHidden()


def _ways_in_bar(window: MainWindow) -> set[str]:
    settle()  # Qt shows new items of a layout a moment later
    bar = _find(window, QWidget, "degraded-tank-bar")
    return {each.objectName() for each in bar.findChildren(QPushButton) if each.isVisibleTo(bar)}


def _first_sync(*places: ArrayDevice) -> Array:
    """Return an array that lost a disk during its first resync: md ends that before it gives a spare the empty slot."""
    return _array(*places, level="raid6", sync_action="resync", sync_fraction=0.003, sync_seconds_left=43_500)


def test_parity_of_a_new_raid5_is_no_rebuild(window: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE)
    places = [*(_place(MEMBERS[n], n) for n in range(3)), _place(MEMBERS[3], 3, "spare")]
    syncing = {"sync_action": "recover", "sync_fraction": 0.25, "sync_seconds_left": 600}
    new = _array(*places, facts=replace(FACTS, parity=ParityState.SOUND), **syncing)
    session.show(Snapshot(tuple(MEMBERS), (new,)))
    assert "parity is being written for the first time" in _text(window, "degraded-tank-what")
    assert _text(window, "degraded-tank-more") == (
        "25.0% done · 198 MB/s · about 10 min left. Until that is done no disk may fail."
    )
    window.stations.arrays.repair.open(new)
    assert _text(window, "repair-state") == "⟳ first sync"
    assert _text(window, "repair-progress").startswith("First sync (parity is being written): 25.0% done")
    assert "⟳ parity is written, 25%" in {one.text() for one in window.findChildren(QLabel)}
    replaced = replace(new, lacks=(replace(new.lacks[0], last=LastSeen(LOST.as_member(), "", 1)),))
    for other in (replaced, replace(new, facts=replace(FACTS, parity=ParityState.UNTOLD))):
        session.show(Snapshot(tuple(MEMBERS), (other,)))
        assert "is not whole yet" in _text(window, "degraded-tank-what")


def test_a_new_disk_waits_for_the_end_of_a_resync(
    window: MainWindow, session: FakeSession, repair: RepairModel
) -> None:
    window.show_station(Station.ARRAYS)
    session.show(_seen(_first_sync(*REST), NEW))
    repair.choose(NEW.id)
    assert "The rebuild begins once what md does with the array now is done" in _text(window, "repair-means")
    repair.type_name("tank")
    repair.confirm()
    spare = _place(NEW, None, "spare")
    session.show(_seen(_first_sync(*REST, spare), replace(NEW, uses=(Use(UseKind.ARRAY_MEMBER, "tank"),))))
    _answer(session, MemberJoined(1, Joined.REBUILDS, ()))
    assert _stage(window) is RepairStage.WAITING
    takes = f"{NEW.serial} takes slot 2 as soon as the resync is done (about 12 h left)"
    assert takes in _text(window, "repair-hint")
    assert takes in _text(window, "degraded-tank-what")
    assert _find(window, QWidget, "repair-choice").isHidden()
    assert _find(window, QPushButton, "array-replace").isHidden()
    assert _ways_in_bar(window) == {"degraded-tank-follow"}
    session.show(_seen(_array(*REST, _place(NEW, 2, "spare"), sync_action="recover")))
    assert _stage(window) is RepairStage.REBUILDING
    session.show(_seen(_array(*REST, _place(NEW, 2))))
    assert _stage(window) is RepairStage.DONE


@pytest.mark.parametrize("action", ["resync", "recover", "check", "repair", "reshape"])
def test_whatever_md_does_first_is_what_a_spare_waits_for(
    window: MainWindow, session: FakeSession, action: str
) -> None:
    session.reach(PRACTICE)
    spare = _place(NEW, None, "spare")
    session.show(_seen(_array(*REST, spare, sync_action=action, sync_seconds_left=720), NEW))
    said = _text(window, "degraded-tank-what")
    assert "takes slot 2 as soon as" in said
    assert "about 12 min left" in said


def test_a_spare_that_is_not_enough_leaves_a_slot_to_fill(window: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE)
    two_lost = _array(*REST[:2], _place(NEW, None, "spare"), level="raid6", sync_action="resync")
    session.show(_seen(two_lost, USED))
    assert "takes slot 2 as soon as the resync is done" in _text(window, "degraded-tank-what")
    assert _ways_in_bar(window) == {"degraded-tank-open"}  # for slot 3


def test_a_spare_of_an_array_that_has_lost_a_disk_since_is_not_the_end(
    window: MainWindow, session: FakeSession, repair: RepairModel
) -> None:
    repair.choose(NEW.id)
    repair.type_name("tank")
    repair.confirm()
    session.show(_seen(_first_sync(*REST, _place(NEW, None, "spare"))))
    _answer(session, MemberJoined(1, Joined.SPARE, ()))  # the helper counted the missing members before the loss
    assert _stage(window) is RepairStage.WAITING


def test_a_refusal_is_said_and_asks_anew(window: MainWindow, session: FakeSession, repair: RepairModel) -> None:
    repair.choose(NEW.id)
    repair.type_name("tank")
    repair.confirm()
    failed = session.record.jobs[-1].failed
    assert failed is not None
    failed(DiskRefused("It holds something.", code="disk-signature"))
    assert "It holds something." in _text(window, "repair-failure")
    assert repair.typed == ""


def test_a_disk_that_is_plugged_in_appears(window: MainWindow, session: FakeSession, repair: RepairModel) -> None:
    session.show(_seen(DEGRADED, SMALL))
    assert "No disk here can take its place" in _text(window, "repair-plug")
    session.show(_seen(DEGRADED, SMALL, NEW))
    assert _find(window, QRadioButton, f"newcomer-{NEW.serial}").isEnabled()


@pytest.mark.usefixtures("repair")
def test_another_machine_closes_the_page(window: MainWindow, session: FakeSession) -> None:
    session.reach(PRACTICE._replace(title="Another machine"))
    assert _stage(window) is RepairStage.CLOSED
