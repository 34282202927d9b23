"""A joined volume's lost disk in the window: one event on one card, replaced by one choice, with one progress."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from raidwright.core.lvm.whole_disks import slice_on
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.model.plan import Member, Plan
from raidwright.core.protocol.facts import CameBack
from raidwright.core.protocol.results import ArrayChanged, Joined, MemberChange, MemberJoined
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Array, ArrayDevice, Former, JoinedVolume, Lack, LastSeen, Snapshot
from raidwright.operations.changing import growth_left
from raidwright.operations.members import AddMember, ReAddMember
from raidwright.text.array import repair
from raidwright.text.array.cards import fact_words, member_lines
from raidwright.text.array.states import state_line
from raidwright.text.catalogue import decimal_size
from raidwright.ui.stations.arrays.actions import ArrayAction, buttons_of
from raidwright.ui.stations.arrays.repair.model import RepairStage
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession
from .places import settle
from .test_joined import arrays_of, build_by_clicks, planning

__all__ = ["planning"]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


def _lost_in_both(plan: Plan, volume: JoinedVolume) -> tuple[Disk, tuple[Array, ...]]:
    """Return a disk that is gone, which had a slice in both arrays, and the arrays without it."""
    (_, upper) = plan.top.inner
    gone = next(disk for disk in sample.unlike_disks().disks if disk.id == _slice(Plan(upper), 1).disk)
    places, more = set(), []
    for place, band in enumerate(plan.top.inner):
        slot = next(slot for slot in range(len(band.members)) if _slice(Plan(band), slot).disk == gone.id)
        places.add((place, slot))
        more.append({"degraded": 1, "lacks": (Lack(slot, LastSeen(_slice(Plan(band), slot), "ata4", 1_790_000_000)),)})
    bands = arrays_of(plan, volume, *more, lost=frozenset(places))
    return gone, tuple(replace(band, members=tuple(one.member for one in band.places if one.member)) for band in bands)


def _slice(band: Plan, slot: int) -> Member:
    member = band.array.members[slot]
    assert isinstance(member, Member)
    return member


def test_its_arrays_are_one_card_without_what_would_harm_it(
    planning: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    plan, volume = build_by_clicks(planning, session, qtbot)
    gone, bands = _lost_in_both(plan, volume)
    session.show(Snapshot(sample.unlike_disks().disks, bands))
    (tank,) = planning.stations.arrays.model.arrays
    assert fact_words(tank, 4).startswith("joined, of 2 arrays · ")
    assert [line.place for line in member_lines(tank, planning.stations.arrays.model.disks)] == ["tank-0", "tank-1"]
    state = state_line(tank)
    assert state.badge == "✕ 1 disk lost"
    assert f"{gone.serial} ({decimal_size(gone.size_bytes)}, on ata4) is gone" in state.sentence
    buttons = buttons_of(tank)
    assert buttons.shown == (ArrayAction.REPLACE,)
    assert set(buttons.more) == {
        ArrayAction.MEASURE,
        ArrayAction.CHANGE,  # says to replace the disk first
        ArrayAction.JUDGE,
        ArrayAction.CARD,
        ArrayAction.SET_UP,
        ArrayAction.STOP,
        ArrayAction.TAKE_APART,
    }
    told = repair.note(tank, lambda: None)
    assert [offer.text for offer in told.offers] == ["Replace …"]
    assert told.sentence.count(gone.serial) == 1


def test_a_lost_disk_is_replaced_as_a_whole(planning: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    plan, volume = build_by_clicks(planning, session, qtbot)
    gone, bands = _lost_in_both(plan, volume)
    rest = [disk for disk in sample.unlike_disks().disks if disk.id != gone.id]
    new, small = sample.disk(8, gone.size_bytes // 10**12, serial="VK0NEW88"), sample.disk(9, 4, serial="ZC1SMALL")
    session.show(Snapshot((*rest, new, small), bands))
    (tank,) = planning.stations.arrays.repair.degraded
    planning.stations.arrays.repair.open(tank)
    settle()
    fits = {one.disk.serial: one.why_not for one in planning.stations.arrays.repair.newcomers}
    assert fits[new.serial] == ""
    assert "too small by" in fits[small.serial]
    planning.stations.arrays.repair.choose(new.id)
    _end(session, {})  # nothing is on it
    planning.stations.arrays.repair.type_name("tank")
    planning.stations.arrays.repair.confirm()
    assert session.record.jobs[-1].arguments == (AddMember(tank.named, new.as_member(), ()),)
    _end(session, MemberJoined(1, Joined.REBUILDS, arrays=2))
    busy = {"sync_action": "recover", "sync_fraction": 0.5, "sync_bytes_per_s": 10**8}
    first = _taken(bands[0], new, ("spare",), busy)
    session.show(Snapshot((*rest, new), (first, bands[1])))
    (tank,) = planning.stations.arrays.repair.seen_as_one
    assert _stage(planning) is RepairStage.REBUILDING
    assert state_line(tank).badge == f"⟳ rebuilding, {tank.sync_fraction:.0%}"
    assert 0.2 < tank.sync_fraction < 0.5  # one figure for both arrays, of which one waits
    done = _taken(bands[0], new, ("in_sync",), {"degraded": 0, "lacks": ()})
    session.show(Snapshot((*rest, new), (done, bands[1])))
    assert _stage(planning) is not RepairStage.DONE  # the other array has yet to take its slice
    session.show(Snapshot((*rest, new), (done, _taken(bands[1], new, ("in_sync",), {"degraded": 0, "lacks": ()}))))
    assert _stage(planning) is RepairStage.DONE
    ended = planning.findChild(QLabel, "repair-ended")
    assert ended is not None
    assert "“tank” is healthy again" in ended.text()


def test_a_disk_that_was_unplugged_is_taken_back_as_one(
    planning: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    plan, volume = build_by_clicks(planning, session, qtbot)
    gone, bands = _lost_in_both(plan, volume)
    former = [
        Former(lack.last.member, "/dev/sdx1", lack.slot, 1_790_000_000, CameBack.CAUGHT_UP)
        for band in bands
        for lack in band.lacks
        if lack.last
    ]
    back = tuple(replace(band, former=(one,)) for band, one in zip(bands, former, strict=True))
    session.show(Snapshot(sample.unlike_disks().disks, back))
    (tank,) = planning.stations.arrays.repair.degraded
    assert [(one.member.id, one.way) for one in tank.former] == [(gone.id, CameBack.CAUGHT_UP)]
    planning.stations.arrays.repair.open(tank)
    settle()
    planning.stations.arrays.repair.choose(gone.id)
    assert planning.stations.arrays.repair.comes_back
    planning.stations.arrays.repair.type_name("tank")
    planning.stations.arrays.repair.confirm()
    assert session.record.jobs[-1].arguments == (ReAddMember(tank.named, gone.as_member()),)
    _end(session, MemberChange(0, CameBack.CAUGHT_UP))
    assert _stage(planning) is not RepairStage.DONE
    whole = [_taken(replace(band, former=()), gone, ("in_sync",), {"degraded": 0, "lacks": ()}) for band in bands]
    session.show(Snapshot(sample.unlike_disks().disks, tuple(whole)))
    assert _stage(planning) is RepairStage.DONE


def test_a_growth_that_was_cut_off_goes_on_by_one_click(
    planning: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    plan, volume = build_by_clicks(planning, session, qtbot)
    bands = arrays_of(plan, volume, {}, {})
    spare = ArrayDevice(None, "/dev/sdx1", ("spare",), bands[0].places[0].member)
    waits = replace(bands[0], places=(*bands[0].places, spare))
    session.show(Snapshot(sample.unlike_disks().disks, (waits, *bands[1:])))
    (tank,) = planning.stations.arrays.model.arrays
    assert isinstance(tank, Volume)
    assert state_line(tank).badge == "growth was interrupted"
    assert buttons_of(tank).shown == (ArrayAction.GO_ON,)
    planning.stations.arrays.model.go_on(tank)
    assert session.record.jobs[-1].arguments == (growth_left(tank),)
    _end(session, ArrayChanged(tank.uuid, "joined", 5, 10**9, 0, "ext4"))
    assert "“tank” is on 5 disks now" in planning.stations.arrays.model.said


def test_a_replacement_that_was_cut_off_is_offered_to_go_on(
    planning: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    plan, volume = build_by_clicks(planning, session, qtbot)
    gone, bands = _lost_in_both(plan, volume)
    rest = [disk for disk in sample.unlike_disks().disks if disk.id != gone.id]
    new = replace(
        sample.disk(8, gone.size_bytes // 10**12, serial="VK0NEW88"), uses=(Use(UseKind.ARRAY_MEMBER, "tank-0"),)
    )
    done = _taken(bands[0], new, ("in_sync",), {"degraded": 0, "lacks": ()})
    session.show(Snapshot((*rest, new), (done, bands[1])))
    (tank,) = planning.stations.arrays.repair.degraded
    planning.stations.arrays.repair.open(tank)
    settle()
    assert [one.disk.serial for one in planning.stations.arrays.repair.newcomers if one.goes_on] == [new.serial]
    planning.stations.arrays.repair.choose(new.id)
    planning.stations.arrays.repair.type_name("tank")
    planning.stations.arrays.repair.confirm()
    assert session.record.jobs[-1].arguments == (AddMember(tank.named, new.as_member(), ()),)


def _end(session: FakeSession, result: object) -> None:
    done = session.record.jobs[-1].done
    assert done is not None
    done(result)


def _stage(window: MainWindow) -> RepairStage:
    return window.stations.arrays.repair.stage


def _taken(band: Array, new: Disk, states: tuple[str, ...], more: dict[str, object]) -> Array:
    """Return the array with a slice of ``new`` in the slot that it lacks, and the fields of ``more``."""
    (lack,) = band.lacks
    assert lack.last is not None
    member = slice_on(lack.last.member, new.as_member())
    place = ArrayDevice(lack.slot, f"{new.device}{member.partition}", states, member)
    return replace(band, places=(*band.places, place), members=(*band.members, member), **more)  # type: ignore[arg-type]
