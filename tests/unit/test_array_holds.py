"""Arrays that are held back: their badge, their sentence, and the step that is offered."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.core.protocol.facts import ArrayFacts, HostFacts
from raidwright.core.protocol.results import Continued
from raidwright.machine.array_json import array_as_json
from raidwright.machine.values import Array, ArrayDevice, Lack
from raidwright.text.array.cards import next_words
from raidwright.text.array.condition import has_failed
from raidwright.text.array.holds import gone_on_words
from raidwright.text.array.states import state_line
from raidwright.ui.stations.arrays.actions import ArrayAction, buttons_of
from raidwright.ui.stations.arrays.said import running_words

_LINES = ("sda 0 in_sync none", "sdb 1 in_sync none", "sdc 2 in_sync none")
_WAITS = ArrayFacts(array_state="read-auto", sync_action="idle", starts_at_write=True, members=_LINES)
_CONTINUED = Continued("0a:0b", "/dev/md127", 0, ())
_WRITES = replace(_WAITS, array_state="clean", starts_at_write=False)


def _array(facts: ArrayFacts, **more: object) -> Array:
    places = tuple(ArrayDevice(slot, f"/dev/sd{'abc'[slot]}", ("in_sync",)) for slot in range(3))
    told = Array("0a:0b", "tank", "raid5", "/dev/md127", 8 * 10**9, 512, True, 0, slots=3, places=places, facts=facts)
    return replace(told, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "badge", "sentence"),
    [
        (
            replace(_WAITS, reshapes=True, slots=4, slots_before=3),
            "reshape waits",
            "Its reshape to 4 disks is unfinished",
        ),
        (replace(_WAITS, reshapes=True, slots=3), "reshape waits", "Its reshape is unfinished and waits."),
        (replace(_WAITS, resync_pending=True), "resync waits", "Its resync is unfinished"),
        (replace(_WRITES, sync_action="frozen"), "md's work is frozen", "/sys/block/md127/md/sync_action"),
        (replace(_WRITES, sync_action="frozen", reshapes=True), "✕ reshape is frozen", "stands still"),
        (replace(_WRITES, consistency="journal"), "✕ journal failed", "md refuses every write"),
        (replace(_WRITES, suspended=True), "reads and writes are held back", "suspend_lo"),
        (replace(_WRITES, array_state="readonly", read_only=True), "✓ healthy, read-only", "array go-on tank"),
        (replace(_WRITES, shortened=True), "made smaller for now", "8.00 GB, until it is stopped"),
        (_WRITES, "✓ healthy", ""),
        (_WAITS, "✓ healthy", ""),
    ],
)
def test_the_state_is_told_as_it_is(facts: ArrayFacts, badge: str, sentence: str) -> None:
    line = state_line(_array(facts))
    assert line.badge == badge
    assert sentence in line.sentence


def test_going_on_is_offered_where_md_waits() -> None:
    waiting = _array(replace(_WAITS, reshapes=True))
    assert buttons_of(waiting).shown == (ArrayAction.GO_ON,)
    assert "raidwright array go-on tank" in state_line(waiting).sentence
    assert next_words(waiting) == ""
    assert array_as_json(waiting)["hold"] == "reshape-waits"
    assert ArrayAction.GO_ON not in buttons_of(_array(_WRITES)).shown


def test_one_that_is_only_read_is_written_to_again_by_going_on() -> None:
    """Also without a member, and of another computer: mdadm may leave its members out after a stop (see the lab)."""
    read = replace(_WRITES, array_state="readonly", read_only=True, degraded=1)
    away = _array(read, homehost="oldnas", host=HostFacts("nas"), degraded=1, mounted_at="/mnt/tank")
    assert buttons_of(away).shown == (ArrayAction.GO_ON,)
    line = state_line(away)
    assert line.badge == "✕ 1 disk lost"
    assert "unmount it, and choose “Go on” (raidwright array go-on tank)" in line.sentence
    assert "stop" not in line.sentence
    assert running_words("tank", _CONTINUED, away) == "“tank” can be written to again."
    waits = _array(replace(_WAITS, reshapes=True))
    assert running_words("tank", _CONTINUED, waits).startswith("md goes on with “tank”; ")
    assert "without 1 of its members" in running_words("tank", replace(_CONTINUED, missing=1), waits)


def test_a_growing_raid0_has_not_failed() -> None:
    """As md has it: a RAID 4 without its parity disk, and a device that the reshape fills, cut off by power."""
    facts = replace(_WAITS, reshapes=True, slots=4, slots_before=3, degraded=1, level="raid4", layout="parity-last")
    places = (
        *(ArrayDevice(slot, f"/dev/md{slot}", ("in_sync",)) for slot in (0, 1)),
        ArrayDevice(2, "/dev/md2", ("spare",)),
    )
    array = _array(facts, level="raid4", slots=4, degraded=1, places=places)
    assert not has_failed(array)
    assert state_line(array).badge == "reshape waits"
    assert "then nothing is missing" in state_line(array).sentence
    assert "Members are missing" not in state_line(array).sentence
    assert "without" not in gone_on_words(array, 1)
    assert has_failed(replace(array, facts=replace(facts, reshapes=False)))
    places = tuple(ArrayDevice(slot, f"/dev/md{slot}", ("in_sync",)) for slot in range(3))
    grown = replace(array, facts=replace(facts, reshapes=False, array_state="clean"), places=places, lacks=(Lack(3),))
    assert "mdadm --grow /dev/md127 --level=0" in state_line(grown).sentence
    assert not state_line(replace(grown, lacks=(Lack(2),))).sentence


def test_another_computers_is_taken_over_first() -> None:
    array = _array(replace(_WAITS, resync_pending=True), homehost="oldnas", host=HostFacts("nas"))
    assert buttons_of(array).shown[0] is ArrayAction.TAKE_OVER
    assert ArrayAction.GO_ON not in buttons_of(array).shown
    assert "take it over first" in state_line(array).sentence
