"""Mirrors with slots that never had a disk, as the system arrays of a NAS are: told, without an alarm."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.machine.values import Array, ArrayDevice, Lack, LastSeen
from raidwright.text.array.cards import member_lines
from raidwright.text.array.empty_slots import lacks_words, spans
from raidwright.text.array.repair import note
from raidwright.text.array.states import state_line
from raidwright.text.shown import Severity
from raidwright.ui.stations.arrays.actions import ArrayAction, buttons_of

from .test_roll import LOST, disk, place


def _mirror(slots: int, *working: int, **more: object) -> Array:
    places = tuple(place(slot, slot) for slot in working)
    lacks = tuple(Lack(slot) for slot in range(slots) if slot not in working)
    array = replace(LOST, level="raid1", slots=slots, degraded=len(lacks), places=places, lacks=lacks)
    return replace(array, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("slots", [32, 8, 4])  # a QNAP, a Synology of eight bays, one of four with two disks
def test_the_system_array_of_a_nas_has_lost_nothing(slots: int) -> None:
    array = _mirror(slots, 0, 1)
    assert array.has_open_slots
    line = state_line(array)
    assert (line.badge, line.tone) == (f"{slots - 2} of {slots} slots are empty", "info")
    assert "slot for each bay" in line.sentence
    told = member_lines(array, {})
    assert [one.state for one in told] == ["in sync", "in sync", "empty"]
    assert told[-1].place == f"slots 2 to {slots - 1}"
    assert not buttons_of(array).is_due
    assert ArrayAction.REPLACE in buttons_of(array).shown


def test_a_mirror_of_three_that_lacks_one_is_warned_of() -> None:
    array = _mirror(3, 0, 2)
    assert (state_line(array).badge, state_line(array).tone) == ("1 of 3 slots is empty", "warn")
    said = note(array, lambda: None)
    assert (said.severity, said.tag) == (Severity.WARN, "Empty slots")


@pytest.mark.parametrize(
    "more",
    [
        {"lacks": (Lack(2, LastSeen(disk(2).as_member(), "ata3", 1000)), Lack(3))},  # it was seen working
        {"level": "raid10"},
        {"places": (place(0, 0),)},  # the last copy
        {"places": (place(0, 0), place(1, 1), ArrayDevice(None, "/dev/sdx", ("faulty",), None))},
        {"places": (place(0, 0), place(1, 1), place(3, 2, "spare"))},  # being rebuilt
    ],
)
def test_whatever_is_known_to_be_lost_is_an_alarm(more: dict[str, object]) -> None:
    assert not _mirror(4, 0, 1, **more).has_open_slots


def test_slots_without_a_history_are_told_in_one_sentence() -> None:
    array = _mirror(9, 0, 1)
    assert lacks_words(array).startswith("Slots 2 to 8 are empty; no disk was ever seen in them from here. Makers")
    lost = replace(array, level="raid6")
    assert lacks_words(lost) == "Slots 2 to 8 are empty; which disks were in them has not been seen from here."
    assert spans([7, 2, 4, 5, 6]) == "2, 4 to 7"
    assert lacks_words(_mirror(3, 0, 2)).startswith("Slot 1 is empty; no disk was ever seen in it from here.")


def test_progress_speaks_against_an_older_word_of_a_delay() -> None:
    told = replace(LOST, sync_action="recover", facts=ArrayFacts(delayed=True))
    assert told.is_delayed
    assert not replace(told, sync_fraction=0.01).is_delayed
    assert not replace(told, sync_action="idle").is_delayed
