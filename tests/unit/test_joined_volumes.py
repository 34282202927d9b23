"""Joined volumes among a machine's arrays: which arrays belong together, what one figure says of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from raidwright.core.md.assembly import Assembly, AssemblyState, StartsOn
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Array, ArrayDevice, JoinedVolume, Lack, LastSeen, Named
from raidwright.operations.arrays import start_of
from raidwright.operations.changing import growth_left
from raidwright.text.array.cards import fact_words
from raidwright.text.array.states import state_line
from raidwright.text.array.sync_actions import action_words
from raidwright.ui.stations.arrays.actions import ArrayAction, Buttons, buttons_of

_VOLUME = JoinedVolume("tank", "/dev/dm-0", 3 * 10**12, "/srv/tank")


def _band(place: int, *, running: bool = True, volume: JoinedVolume | None = _VOLUME, **more: object) -> Array:
    known: dict[str, object] = {
        "uuid": f"{place:08x}:0:0:0",
        "name": f"tank-{place}",
        "level": "raid1",
        "device": f"/dev/md{place}" if running else "",
        "size_bytes": 10**12,
        "chunk_kib": 0,
        "running": running,
        "degraded": 0,
        "slots": 2,
        "volume": volume if running else None,
        "places": tuple(ArrayDevice(slot, "", ("in_sync",)) for slot in range(2)) if running else (),
        "member_devices": tuple(f"/dev/sd{disk}{place + 1}" for disk in "ab"),
        "members": tuple(Member(f"{disk}-part{place + 1}", 10**12, "", disk, disk, place + 1) for disk in "ab"),
    }
    return Array(**(known | more))  # type: ignore[arg-type]


def _first(arrays: Iterable[Array]) -> Volume:
    """Return the first of what is seen, which is the volume."""
    volume = with_volumes(arrays)[0]
    assert isinstance(volume, Volume)
    return volume


def test_the_arrays_of_a_volume_are_one_and_others_stay() -> None:
    other = replace(_band(7, volume=None), name="other")
    seen = with_volumes((_band(1), other, _band(0)))
    assert [array.name for array in seen] == ["other", "tank"]
    tank = seen[1]
    assert isinstance(tank, Volume)
    assert tank.named == Named(_band(0).uuid, "tank")
    assert (tank.size_bytes, tank.mounted_at, tank.device) == (3 * 10**12, "/srv/tank", "/dev/dm-0")
    assert [band.name for band in tank.bands] == ["tank-0", "tank-1"]


def test_the_first_sync_is_one_figure_of_all_arrays() -> None:
    busy = _band(0, sync_action="resync", sync_fraction=0.5, sync_bytes_per_s=10**8, sync_seconds_left=5000)
    (tank,) = with_volumes((busy, _band(1, sync_action="resync"), _band(2)))
    assert isinstance(tank, Volume)
    assert (tank.sync_action, tank.sync_fraction) == ("resync", 0.5)  # one done, one half, one waiting
    assert (tank.sync_bytes_per_s, tank.sync_seconds_left) == (10**8, 15000)
    assert action_words(tank) == "First sync of all three arrays"
    assert state_line(tank).badge == "⟳ first sync 50%"


def test_stopped_arrays_on_slices_are_a_volume_that_can_be_started() -> None:
    bands = (_band(0, running=False), _band(1, running=False))
    (tank,) = with_volumes(bands)
    assert isinstance(tank, Volume)
    assert (tank.running, tank.state, tank.can_start) == (False, "stopped", True)
    assert start_of(tank).bands == tuple(band.named for band in bands)
    (half,) = with_volumes((bands[0], _band(1, volume=None)))
    assert half.uuid == bands[0].uuid


def test_running_arrays_whose_group_is_not_active_are_a_volume_that_can_be_started() -> None:
    idle, facts = JoinedVolume("tank", "", 0), ArrayFacts(device="/dev/md0")
    bands = tuple(_band(place, volume=idle, facts=facts) for place in range(2))
    (tank,) = with_volumes(bands)
    assert isinstance(tank, Volume)
    assert (tank.name, tank.running, tank.can_start, tank.named) == ("tank", False, True, Named(bands[0].uuid, "tank"))
    assert "isn't active" in state_line(tank).sentence
    held = (bands[0], _band(1, volume=idle, facts=replace(facts, holders=("other-data",))))
    assert with_volumes(held) == held  # somebody else's group is on it
    untold = tuple(replace(band, facts=None) for band in bands)
    assert with_volumes(untold) == untold


def _halted(place: int) -> Array:
    """Return an array that md gathered within a reshape, and didn't start."""
    band = _band(place, running=False)
    assembly = Assembly(
        uuid=band.uuid, name=band.name, homehost="", level="raid5", slots=2, metadata="1.2",
        state=AssemblyState.STOPPED, present=(0, 1), members=(), events=1, updated_s=1, is_clean=True,
        starts_on=StartsOn(), reshapes=True,
    )  # fmt: skip
    return replace(band, device="/dev/md0", assembly=assembly)


def test_a_growth_that_power_cut_off_is_told_with_its_next_step() -> None:
    idle, facts = JoinedVolume("tank", "", 0), ArrayFacts(device="/dev/md1")
    (tank,) = with_volumes((_halted(0), _band(1, volume=idle, facts=facts)))
    assert isinstance(tank, Volume)
    assert (tank.running, tank.can_start, tank.is_growth_cut_off) == (False, True, True)
    told = state_line(tank)
    assert told.badge == "growth was interrupted"
    assert "tank-0 waits in the middle of a reshape" in told.sentence
    assert buttons_of(tank) == Buttons((ArrayAction.GO_ON,), (ArrayAction.START,), is_due=True)
    left = growth_left(tank)
    assert (left.volume, left.is_running, left.disks) == (tank.named, False, 2)


def test_slices_and_arrays_that_wait_are_a_growth_that_was_cut_off() -> None:
    spare = ArrayDevice(None, "/dev/sdc1", ("spare",))
    usual = _band(0)
    (tank,) = with_volumes((replace(usual, places=(*usual.places, spare)), _band(1)))
    assert isinstance(tank, Volume)
    assert tank.is_growth_cut_off
    assert "can be used" in state_line(tank).sentence
    assert buttons_of(tank).shown == (ArrayAction.GO_ON,)
    made = _band(2, volume=None)
    (tank,) = with_volumes((_band(0), _band(1), made))
    assert isinstance(tank, Volume)
    assert (tank.waiting, tank.is_growth_cut_off) == ((made,), True)
    taken = _band(2, facts=ArrayFacts())  # a physical volume of LVM's already, by a growth that power cut off
    below = [_band(slot, facts=ArrayFacts(holders=("tank-data",))) for slot in range(2)]
    (tank,) = with_volumes((*below, taken))
    assert isinstance(tank, Volume)
    assert (tank.waiting, tank.is_growth_cut_off) == ((taken,), True)
    assert _first((_band(0), _band(1), _band(2))).waiting == ()  # nobody told what is on them
    synced = replace(made, sync_action="resync")
    assert not _first((_band(0), _band(1), synced)).is_growth_cut_off
    taken_in = replace(usual, places=(*usual.places, spare), facts=ArrayFacts())  # UDisks2 is late
    assert not _first((taken_in, _band(1))).is_growth_cut_off
    waits = replace(usual, facts=ArrayFacts(spares=1))
    assert _first((waits, _band(1))).is_growth_cut_off
    claimed = replace(usual, facts=ArrayFacts(spares=1, claimed=True))
    assert not _first((claimed, _band(1))).is_growth_cut_off  # between two steps
    busy, held = ArrayFacts(reshapes=True), ArrayFacts(reshapes=True, starts_at_write=True)
    assert not _first((_band(0, sync_action="reshape", facts=busy), _band(1))).is_growth_cut_off
    assert _first((_band(0, sync_action="reshape", facts=held), _band(1))).is_growth_cut_off
    whole, other = with_volumes((_band(0), _band(1), replace(made, homehost="another")))
    assert isinstance(whole, Volume)
    assert (whole.is_growth_cut_off, other.name) == (False, "tank-2")


def test_a_volume_that_isnt_linear_is_told_for_what_it_is() -> None:
    def volume(kind: str) -> Volume:
        facts = ArrayFacts(device="/dev/md0", volume_kind=kind)
        return _first(_band(place, facts=facts) for place in range(2))

    assert (state_line(volume("linear")).sentence, volume("linear").other_kind) == ("", "")
    assert fact_words(volume("linear"), 0).startswith("joined, of 2 arrays")
    assert fact_words(volume("striped"), 0).startswith("striped by LVM over 2 arrays")
    assert "LVM stripes it over its arrays" in state_line(volume("striped")).sentence
    assert fact_words(volume("mirror"), 0).startswith("LVM's mirror over 2 arrays")
    assert "LVM's volume over its arrays is mirror" in state_line(volume("mirror")).sentence
    assert "Neither LVM's backup nor device-mapper's table" in state_line(volume("unknown")).sentence
    usual, striped = buttons_of(volume("linear")), buttons_of(volume("striped"))
    assert set(usual.more) - set(striped.more) == {ArrayAction.CHANGE, ArrayAction.JUDGE, ArrayAction.CARD}


def test_a_disk_with_several_slices_is_lost_once_and_rebuilt_as_one() -> None:
    def slice_(disk: str, place: int) -> Member:
        return Member(f"{disk}-part{place + 1}", 10**12, "", disk, disk, place + 1, disk_size_bytes=3 * 10**12)

    def band(place: int, *others: ArrayDevice, **more: object) -> Array:
        kept = ArrayDevice(0, f"/dev/sda{place + 1}", ("in_sync",), slice_("a", place))
        lack = Lack(1, LastSeen(slice_("b", place), "ata2", 7))
        known: dict[str, object] = {"places": (kept, *others), "lacks": (lack,), "degraded": 1}
        return _band(place, **(known | more))  # type: ignore[arg-type]

    (tank,) = with_volumes((band(0), band(1)))
    assert isinstance(tank, Volume)
    assert [lack.last.member.id for lack in tank.lacks if lack.last] == ["b"]
    assert (tank.slots, tank.degraded, state_line(tank).badge) == (2, 1, "✕ 1 disk lost")
    new = [ArrayDevice(1, f"/dev/sdc{place + 1}", ("spare",), slice_("c", place)) for place in range(2)]
    busy = {"sync_action": "recover", "sync_fraction": 0.5}
    (tank,) = with_volumes((band(0, new[0], **busy), band(1, new[1], sync_action="recover")))
    assert isinstance(tank, Volume)
    (coming,) = (place for place in tank.places if place.is_coming)
    assert (coming.slot, coming.device, coming.member and coming.member.size_bytes) == (1, "/dev/sdc", 3 * 10**12)
    assert tank.sync_fraction == 0.25
    done = replace(new[0], states=("in_sync",))
    (tank,) = with_volumes((band(0, done, lacks=(), degraded=0), band(1, new[1], **busy)))
    assert isinstance(tank, Volume)
    assert tank.sync_fraction == 0.75  # the array that is done counts
    assert [place.works for place in tank.places] == [True, False]


def test_a_disk_that_comes_back_keeps_its_slot() -> None:
    """md catches it up in the very slots that it was in."""
    member = Member("b-part1", 10**12, "", "b", "b", 1, disk_size_bytes=3 * 10**12)
    kept = ArrayDevice(0, "/dev/sda1", ("in_sync",), replace(member, id="a-part1", disk="a"))
    back = ArrayDevice(1, "/dev/sdb1", ("spare",), member)
    lack = Lack(1, LastSeen(member, "ata2", 7), is_here=True)
    bands = (_band(0, places=(kept, back), lacks=(lack,), degraded=1, sync_action="recover"), _band(1))
    (tank,) = with_volumes(bands)
    assert isinstance(tank, Volume)
    assert [(place.slot, place.is_coming) for place in tank.places[:2]] == [(0, False), (1, True)]
    assert [one.slot for one in tank.lacks] == [1]


def test_what_may_be_no_volume_stays_apart() -> None:
    whole = [
        replace(band, members=tuple(replace(one, partition=None, disk=None) for one in band.members))
        for band in (_band(0, running=False), _band(1, running=False))
    ]  # as inner arrays of whole disks
    assert with_volumes(whole) == tuple(whole)
    short = (_band(0, running=False), _band(1, running=False, member_devices=("/dev/sda2",)))
    assert with_volumes(short) == short  # it has to be rescued first
    from_two = (_band(0, running=False, homehost="a"), _band(1, running=False, homehost="b"))
    assert with_volumes(from_two) == from_two
    nested = Array("o", "tank", "raid0", "/dev/md9", 1, 0, running=True, degraded=0,
                   member_devices=("/dev/md0", "/dev/md1"))  # fmt: skip
    inner = (_band(0, volume=None), _band(1, volume=None))
    assert with_volumes((nested, *inner)) == (nested, *inner)
    twice = (_band(0), _band(0, uuid="f:0:0:0"))
    assert with_volumes(twice) == twice


def test_a_lost_disk_that_was_never_seen_is_one_and_is_said_once() -> None:
    """It may have had another slot in each of the arrays."""

    def band(place: int, slot: int) -> Array:
        kept = ArrayDevice(1 - slot, f"/dev/sda{place + 1}", ("in_sync",), None)
        return _band(place, places=(kept,), lacks=(Lack(slot),), degraded=1, slots=2)

    (tank,) = with_volumes((band(0, 0), band(1, 1)))
    assert isinstance(tank, Volume)
    assert (tank.degraded, len(tank.lacks)) == (1, 1)
    assert state_line(tank).sentence.count("A disk is missing") == 1
    (tank,) = with_volumes((replace(band(0, 0), lacks=(Lack(0), Lack(2)), degraded=2, slots=3), band(1, 1)))
    assert isinstance(tank, Volume)
    assert state_line(tank).sentence.count("A disk is missing") == 1
