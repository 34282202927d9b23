"""Copies of members, two arrays with one UUID, and arrays that this machine can't read: each a sentence of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.core.md.assembly import AssemblyState, MemberState, StartsOn
from raidwright.core.md.histories import History
from raidwright.core.md.member_superblock import MOVES_DATA, RESHAPES
from raidwright.core.protocol.facts import ArrayFacts, HostFacts
from raidwright.machine.array_json import array_as_json
from raidwright.machine.values import Array, Former
from raidwright.text.array.condition import state_words
from raidwright.text.array.histories import former_words
from raidwright.text.array.states import state_line
from raidwright.ui.stations.arrays.actions import ArrayAction, buttons_of

from tests.kit import sample, sample_arrays


def _twice(*own_uuids: str) -> Array:
    """Return a mirror of two slots whose first slot has a disk for each of ``own_uuids``."""
    states = (MemberState.AGREES,) * (len(own_uuids) + 1)
    array = sample_arrays.stopped("tank", 0, states, slots=2, level="raid1", state=AssemblyState.COPIED)
    assert array.assembly is not None
    slots = (*[0] * len(own_uuids), 1)
    here = tuple(
        replace(one, slot=slot, device_uuid=own)
        for one, slot, own in zip(array.assembly.here_in_detail, slots, (*own_uuids, "b"), strict=True)
    )
    return replace(array, assembly=replace(array.assembly, here_in_detail=here))


def test_copies_of_a_member_are_named_with_their_way_on() -> None:
    array = _twice("a", "a")
    line = state_line(array)
    assert line.badge == "can't start: disks are here twice"
    assert "VK0ABC00 and WDC WD80EFZX VK0ABC01 are copies of one member (slot 0)" in line.sentence
    assert "Unplug those that aren't meant" in line.sentence
    assert (array.state, array.can_start) == ("copied", False)
    assert array_as_json(array)["copies"] == [[member.id for member in array.members[:2]]]
    assert "disks are here twice" in state_words(array)
    assert ArrayAction.START not in buttons_of(array).shown
    assert ArrayAction.RESCUE in buttons_of(array).shown


def test_copies_that_md_has_not_gathered_are_named_as_well() -> None:
    array = _twice("a", "a")
    former = tuple(Former(member, "/dev/sdz") for member in array.members[:1])
    line = state_line(replace(array, device="/dev/md127", members=array.members[1:], former=former))
    assert line.badge == "not started"
    assert "WDC WD80EFZX VK0ABC00 and WDC WD80EFZX VK0ABC01 are copies" in line.sentence


def test_two_arrays_with_one_uuid_are_no_copies() -> None:
    assert "Two arrays with one UUID are here" in state_line(_twice("a", "c")).sentence


def test_a_raid10_whose_reshape_waits_is_not_looked_into() -> None:
    """md would show what was moved wrongly until it goes on; other levels only wait."""
    waits = ArrayFacts(reshapes=True, starts_at_write=True)
    array = replace(sample_arrays.running("tank", 0, 4), level="raid10", facts=waits)
    line = state_line(array)
    assert line.tone == "bad"
    assert f"mdadm --readwrite {array.device}" in line.sentence
    assert state_line(replace(array, level="raid6")).tone == "info"
    stopped = sample_arrays.stopped("tank", 0, (MemberState.AGREES,) * 4, slots=4, level="raid10")
    assert stopped.assembly is not None
    assert ArrayAction.LOOK in buttons_of(replace(stopped, homehost="elsewhere")).shown
    moves = replace(stopped.assembly.geometry, features=RESHAPES | MOVES_DATA)
    cut = replace(stopped, assembly=replace(stopped.assembly, geometry=moves, reshapes=True))
    assert buttons_of(cut).shown == (ArrayAction.START,)


def test_a_copy_beside_a_running_array_is_told() -> None:
    array = sample_arrays.running("tank", 0, 4)
    copy = Former(sample.disk(9).as_member(), "/dev/sdz", slot=2, updated_s=1_700_000_000)
    said = former_words(array, copy)
    assert "It says that it is slot 2 of tank, whose disk works" in said
    assert "Unplug or erase it" in said
    lacking = replace(array, places=array.places[:2])
    assert "last written" in former_words(lacking, copy)
    assert "out of date since" in former_words(lacking, replace(copy, history=History.BEHIND))


@pytest.mark.parametrize(
    ("level", "needed", "host", "badge", "sentence"),
    [
        ("raid1", StartsOn("6.18", ("lockless-bitmap",), "4.6"), ("6.18.1", "4.4"), "needs a newer mdadm",
         "It is started by mdadm 4.6 and later (lockless-bitmap), and this is mdadm 4.4"),
        ("raid1", StartsOn("6.18", ("lockless-bitmap",), "4.6"), ("6.12.1", "4.6"), "needs a newer Linux",
         "It starts on Linux 6.18 and later"),
        ("linear", StartsOn(), ("6.12.1", "4.4"), "needs another Linux", "Linux 6.8 to 6.13 can't run a linear array"),
    ],
)  # fmt: skip
def test_what_the_machine_can_not_start_is_told_apart(
    level: str, needed: StartsOn, host: tuple[str, str], badge: str, sentence: str
) -> None:
    array = sample_arrays.stopped("tank", 0, (MemberState.AGREES,) * 2, slots=2, level=level, starts_on=needed)
    array = replace(array, host=HostFacts("nas", *host))
    line = state_line(array)
    assert (array.state, line.badge) == ("unreadable", badge)
    assert sentence in line.sentence
    assert "don't erase its disks" in line.sentence
    assert "needs" in state_words(array)
    assert not buttons_of(array).shown or ArrayAction.START not in buttons_of(array).shown


def test_a_level_that_is_not_known_has_a_way_on() -> None:
    array = sample_arrays.stopped(
        "tank", 0, (MemberState.AGREES,) * 2, slots=2, level="-4", state=AssemblyState.UNKNOWN
    )
    assert "md's number -4" in state_line(array).sentence


def test_md_counts_the_members_of_a_running_array() -> None:
    """UDisks2 listed two of three members of an array whose disks were plugged in one after the other."""
    array = sample_arrays.running("tank", 0, 3)
    listed = replace(array, places=array.places[:2])
    assert (listed.members_here, listed.members_missing) == (3, 0)
    degraded = sample_arrays.degraded()
    assert (degraded.members_here, degraded.members_missing) == (3, 1)


@pytest.mark.parametrize(("dropped", "helps"), [((2,), True), ((), False)])
def test_a_disk_that_was_out_before_is_not_asked_back(dropped: tuple[int, ...], helps: bool) -> None:
    """md starts a degraded array that wasn't stopped cleanly once the disk of its last write is back, else by force."""
    array = sample_arrays.stopped(
        "tank", 0, (MemberState.AGREES,) * 2, slots=3, state=AssemblyState.DIRTY, is_clean=False, dropped=dropped
    )
    sentence = state_line(array).sentence
    assert ("Plug in the missing disk" in sentence) == helps
    assert ("plugging it in doesn't help" in sentence) != helps
    assert ArrayAction.RESCUE in buttons_of(array).shown
