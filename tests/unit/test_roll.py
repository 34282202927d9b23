"""The members' roll: each slot's last disk, disks that may join, and the sentences on both."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.protocol.facts import ArrayFacts, CameBack
from raidwright.machine.array_plan import plan_of
from raidwright.machine.joining_disks import newcomers
from raidwright.machine.seen_members import Roll
from raidwright.machine.values import Array, ArrayDevice, Former, Lack, LastSeen, Snapshot
from raidwright.text.array import condition as words

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
GB = 10**9
FACTS = ArrayFacts("left-symmetric", "1.2", "internal", "bitmap", 1_950_720, 512, 3_905_536 * 512)


def disk(number: int, size_bytes: int = 3_905_536 * 512, **more: object) -> Disk:
    known = {"id": f"wwn-{number}", "device": f"/dev/sd{'abcdefgh'[number]}", "model": "WD", "wwn": ""}
    return Disk(**(known | {"serial": f"S{number}", "size_bytes": size_bytes, "link": f"ata{number}"} | more))  # type: ignore[arg-type]


def place(number: int, slot: int | None, *states: str) -> ArrayDevice:
    one = disk(number)
    return ArrayDevice(slot, one.device, states or ("in_sync",), one.as_member(), one.link)


def array(*places: ArrayDevice, **more: object) -> Array:
    working = {one.slot for one in places if one.works}
    known: dict[str, object] = {"lacks": tuple(Lack(slot) for slot in range(3) if slot not in working)}
    known |= {"places": places, "members": tuple(one.member for one in places), "facts": FACTS, "slots": 3}
    made = Array(UUID, "tank", "raid5", "/dev/md0", 2 * 1_950_720 * 1024, 64, True, 0)
    return replace(made, **(known | more))  # type: ignore[arg-type]


WHOLE = array(place(0, 0), place(1, 1), place(2, 2))
LOST = array(place(0, 0), place(2, 2))


def seen(roll: Roll, one: Array) -> Array:
    return roll.call(Snapshot((), (one,))).arrays[0]


def test_who_is_gone_is_known_and_when_he_was_last_seen(tmp_path: Path) -> None:
    now = [1000.0]
    path = tmp_path / "deep" / "arrays.json"
    roll = Roll(path, lambda: now[0])
    assert not seen(roll, WHOLE).lacks
    now[0] = 5000.0
    [lack] = seen(roll, LOST).lacks
    assert lack.last == LastSeen(disk(1).as_member(), "ata1", 5000)
    assert seen(Roll(path), LOST).lacks == (lack,)  # and the next program knows it, too
    now[0] = 9000.0
    [lack] = seen(roll, LOST).lacks
    assert lack.last is not None
    assert lack.last.seen_s == 5000  # it did not come back meanwhile


def test_who_came_in_the_place_is_who_is_missed_next() -> None:
    roll = Roll()
    seen(roll, WHOLE)
    seen(roll, array(place(0, 0), place(3, 1), place(2, 2)))
    [lack] = seen(roll, LOST).lacks
    assert lack.last is not None
    assert lack.last.member.serial == "S3"


def test_a_slot_in_which_nobody_was_seen_is_empty() -> None:
    assert seen(Roll(), LOST).lacks == (Lack(1),)


def test_an_array_that_does_not_run_lacks_who_is_not_there_any_more() -> None:
    roll = Roll()
    seen(roll, WHOLE)
    stopped = replace(LOST, running=False, places=(), lacks=(), slots=0)
    [lack] = seen(roll, stopped).lacks
    assert lack.slot == 1
    assert words.is_degraded(seen(roll, stopped))
    everybody = replace(WHOLE, running=False, places=(), lacks=())
    assert not words.is_degraded(seen(roll, everybody))  # it was stopped


def test_a_disk_that_is_plugged_in_is_not_gone() -> None:
    roll = Roll()
    seen(roll, WHOLE)
    [lack] = roll.call(Snapshot((disk(1),), (LOST,))).arrays[0].lacks
    assert lack.is_here
    assert "is here, but no member any more" in words.lack_words(LOST, lack)
    stopped = replace(LOST, running=False, places=(), lacks=(lack,))
    assert "Plug back" not in words.margin_words(stopped)
    [lack] = seen(roll, LOST).lacks
    assert not lack.is_here
    assert "is gone" in words.lack_words(LOST, lack)
    assert "Plug back" in words.margin_words(replace(stopped, lacks=(lack,)))


@pytest.mark.parametrize("content", ["{", "[]", '{"x": {"0": {"seen_s": 1}}}', '{"x": 7}'])
def test_a_damaged_roll_is_an_empty_one(tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "arrays.json"
    path.write_text(content, encoding="utf-8")
    assert seen(Roll(path), LOST).lacks == (Lack(1),)
    assert content == '{"x": {"0": {"seen_s": 1}}}' or "can't be read" in caplog.text


def test_a_roll_that_can_not_be_kept_is_no_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert not seen(Roll(tmp_path / "file" / "arrays.json"), WHOLE).lacks
    assert "can't be remembered" in caplog.text


def test_the_best_newcomer_stands_first_and_every_refusal_has_its_reason() -> None:
    back = disk(1, uses=(Use(UseKind.STALE_ARRAY_MEMBER, "tank"),))
    others = (
        disk(3, 3_905_535 * 512),
        disk(4, uses=(Use(UseKind.MOUNTED, "/srv"),)),
        disk(5, logical_sector_bytes=4096),
        disk(6, uses=(Use(UseKind.FILESYSTEM, "ext4"),)),
        disk(7),
    )
    one = replace(LOST, former=(Former(back.as_member(), back.device, 1, 1000, CameBack.CAUGHT_UP),))
    found = newcomers(Snapshot((disk(0), disk(2), back, *others), (one,)), one)
    assert [each.disk.serial for each in found] == ["S1", "S7", "S6", "S3", "S5", "S4"]
    assert found[0].catches_up
    reasons = [each.why_not for each in found]
    assert reasons == [
        *[""] * 3,
        "too small by 512 B",
        "its sectors of 4096 bytes are larger than the array's",
        "it is mounted at /srv",
    ]


def test_an_array_is_the_plan_that_it_is() -> None:
    exact = replace(FACTS, data_offset_sectors=(("sda", 4096), ("sdc", 4096)))
    plan = plan_of(replace(LOST, facts=exact))
    assert [member and getattr(member, "serial", "") for member in plan.array.members] == ["S0", None, "S2"]
    assert (plan.array.data_offset_kib, plan.array.component_size_kib, plan.array.effective_layout) == (
        2048,
        1_950_720,
        "left-symmetric",
    )
    assert capacity_of(plan.top).array_sectors * 512 == LOST.size_bytes


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"facts": None}, "without the helper"),
        ({"level": "multipath"}, "doesn't know"),
        ({"facts": replace(FACTS, consistency="journal")}, "journal"),
        ({"facts": replace(FACTS, data_offset_sectors=(("sda", 4096), ("sdb", 8192)))}, "different places"),
        ({"size_bytes": 512}, "another"),
        ({"facts": replace(FACTS, reshapes=True)}, "being reshaped"),
        ({"facts": replace(FACTS, bitmap="clustered")}, "clustered"),
    ],
)
def test_what_a_card_could_not_say_exactly_is_refused(changed: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        plan_of(replace(WHOLE, **changed))  # type: ignore[arg-type]


def test_its_bitmap_chunk_is_kept_where_it_is_not_mdadms_own() -> None:
    for chunk_kib, kept in ((64 * 1024, None), (1024, 1024)):
        plan = plan_of(replace(WHOLE, facts=replace(FACTS, bitmap_chunk_kib=chunk_kib)))
        assert (plan.array.bitmap, plan.array.bitmap_chunk_kib) == ("internal", kept)


def test_an_array_without_a_name_is_called_by_its_node() -> None:
    assert plan_of(replace(WHOLE, name=WHOLE.uuid, device="/dev/md127")).name == "md127"


def test_what_is_said_of_a_loss() -> None:
    gone = replace(LOST, lacks=(Lack(1, LastSeen(disk(1).as_member(), "ata1", 1000)),))
    said = words.lack_words(gone, gone.lacks[0])
    assert said.startswith("Slot 1: WD S1 (2.00 GB, on ata1) is gone; last seen working ")
    assert words.margin_words(gone) == "No further disk may fail."
    assert words.keep_words(gone) == "Do not pull WD S0 (slot 0) or WD S2 (slot 2)."
    six = replace(gone, level="raid6", slots=4)
    assert words.margin_words(replace(six, places=(*six.places, place(3, 3)))) == (
        "It survives the failure of any one more disk."
    )
    assert words.keep_words(replace(six, places=(*six.places, place(3, 3)))) == ""
    computing = replace(six, places=(*six.places, place(3, 3)), facts=replace(FACTS, stays_stopped=True))
    assert words.margin_words(computing).startswith(
        "It survives the failure of any one more disk. Leave the computer on"
    )
    assert "Leave the computer on" not in words.margin_words(replace(computing, facts=FACTS))
    coming = array(place(0, 0), place(3, 1, "spare"), place(2, 2))
    assert words.lack_words(coming, coming.lacks[0]) == "Slot 1 is being rebuilt onto WD S3."
    waiting = replace(gone, places=(*gone.places, place(3, None, "spare")), facts=replace(FACTS, starts_at_write=True))
    assert words.lack_words(waiting, waiting.lacks[0]).endswith(
        "takes slot 1 as soon as anything is written to the array."
    )
    assert "takes over" not in words.lack_words(replace(waiting, places=gone.places), gone.lacks[0])


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, ""),
        (59, "less than a minute left"),
        (61, "about 2 min left"),
        (7500, "about 2 h 05 min left"),
        (7700, "about 2 h 05 min left"),
        (45_000, "about 12 h left"),
        (46 * 3600 + 120, "about 46 h left"),
        (894 * 3600, "about 37 days left"),
    ],
)
def test_the_time_that_is_left(seconds: int, said: str) -> None:
    assert words.time_left(seconds) == said


def test_two_programs_keep_what_each_of_them_saw(tmp_path: Path) -> None:
    """Both have read the file before either writes it; then each knows what the other noted."""
    path = tmp_path / "arrays.json"
    one, other = Roll(path, lambda: 1000.0), Roll(path, lambda: 2000.0)
    seen(one, WHOLE)
    seen(other, replace(WHOLE, uuid="another"))
    assert {lack.last.seen_s for lack in seen(Roll(path), LOST).lacks if lack.last} == {1000}
    [lack] = seen(other, LOST).lacks
    assert lack.last is not None
    [lack] = seen(one, replace(LOST, uuid="another")).lacks
    assert lack.last is not None


def test_programs_at_once_lose_nothing(tmp_path: Path) -> None:
    """Two processes note twenty arrays each, at the same time."""
    path = tmp_path / "arrays.json"
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(2)
    processes = [context.Process(target=_note_arrays, args=(path, name, start)) for name in ("a", "b")]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert sorted(json.loads(path.read_text())) == sorted(f"{name}{number}" for name in "ab" for number in range(20))


def _note_arrays(path: Path, name: str, start: Barrier) -> None:
    roll = Roll(path)
    start.wait()
    for number in range(20):
        seen(roll, replace(WHOLE, uuid=f"{name}{number}"))
