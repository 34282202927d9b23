"""Checks of the array verbs before they act: on md's attributes made of files, and over the bus."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Variant
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.md.array_survival import array_survives
from raidwright.core.md.layouts import Level, layout_number
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.protocol.facts import CheckState
from raidwright.core.protocol.names import INTERFACE
from raidwright_helper.host import md, members
from raidwright_helper.host.arrays import PinnedArray, verify_shape_stays
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.members import HeldMember
from raidwright_helper.records import checks
from raidwright_helper.records.checks import Checks, KeptCheck

from .fake_polkit import Answer
from .helper_house import PATIENCE_S, House, put_array, put_disk, variants

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
MD0 = os.makedev(9, 0)
ARRAY = PinnedArray(md.RunningArray(MD0, "/dev/md0", UUID, 8, 4, "tank", "1.2"), Pinned(MD0, "/dev/md0", -1))
DISK = variants({"id": "wwn-0x5001", "model": "WD80EFZX", "serial": "ZHZ1", "size_bytes": 8 * 10**12})


def _disk(slot: int) -> int:
    return os.makedev(8, 16 * slot)


def _write(host: Host, name: str, text: str) -> None:
    path = host.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _device(host: Host, name: str, number: int) -> None:
    _write(host, f"sys/devices/{name}/dev", f"{os.major(number)}:{os.minor(number)}\n")
    link = host.root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(host.root / "sys/devices" / name)


def an_array(root: Path, plan: Plan, states: Sequence[str], **attributes: str) -> Host:
    """Return a host with one array, md0, whose members sd0, sd1 … have these states; spares follow the slots."""
    host, slots = Host(root), len(plan.array.members)
    _device(host, "md0", MD0)
    (host.root / "sys/block").mkdir(parents=True)
    (host.root / "sys/block/md0").symlink_to(host.root / "sys/devices/md0")
    (host.root / "sys/devices/md0/slaves").mkdir()
    known = {
        "level": str(plan.array.level),
        "raid_disks": str(slots),
        "layout": str(layout_number(plan.array.level, plan.array.layout)),
        "degraded": str(sum("in_sync" not in state for state in states[:slots])),
        "sync_action": "idle",
        "sync_min": "0",
        "mismatch_cnt": "0",
    }
    for name, text in (known | attributes).items():
        _write(host, f"sys/devices/md0/md/{name}", f"{text}\n")
    for slot, state in enumerate(states):
        _device(host, f"sd{slot}", _disk(slot))
        (host.root / f"sys/devices/md0/slaves/sd{slot}").symlink_to(host.root / f"sys/devices/sd{slot}")
        _write(host, f"sys/devices/md0/md/dev-sd{slot}/state", f"{state}\n")
        _write(host, f"sys/devices/md0/md/dev-sd{slot}/slot", f"{slot if slot < slots else 'none'}\n")
    return host


SHAPES: list[tuple[str, str | None, int]] = [
    *[("raid0", None, 2), ("linear", None, 2), ("raid1", None, 3), ("raid5", None, 3), ("raid6", None, 4)],
    *[("raid10", "n2", 4), ("raid10", "f2", 4), ("raid10", "o2", 5), ("raid10", "n3", 5)],
    ("raid10", "n2f2", 4),
]


def _plan(level: str, layout: str | None, slots: int) -> Plan:
    return Plan(MdArray(Level(level), (None,) * slots, layout=layout))


def held(slot: int) -> HeldMember:
    """Return the disk of this slot and its array."""
    member = Member("wwn-0x5001", 8 * 10**12, model="WD80EFZX", serial="ZHZ1")
    return HeldMember(ARRAY, member, Pinned(_disk(slot), f"/dev/sd{slot}", -1))


@pytest.mark.parametrize(("level", "layout", "slots"), SHAPES)
def test_a_member_may_fail_if_and_only_if_the_core_says_that_nothing_is_lost(
    tmp_path: Path, level: str, layout: str | None, slots: int
) -> None:
    plan = _plan(level, layout, slots)
    sets = [gone for count in range(slots - 1) for gone in itertools.combinations(range(slots), count)]
    for number, gone in enumerate(gone for gone in sets if array_survives(plan.array, gone)):
        host = an_array(
            tmp_path / str(number), plan, ["faulty" if slot in gone else "in_sync" for slot in range(slots)]
        )
        for slot in set(range(slots)) - set(gone):
            if array_survives(plan.array, {*gone, slot}):
                asyncio.run(members.verify_may_fail(host, held(slot)))
            else:
                with pytest.raises(DiskRefused, match=r"WD80EFZX ZHZ1 .* would lose data") as caught:
                    asyncio.run(members.verify_may_fail(host, held(slot)))
                assert caught.value.code == "disk-needed"


def test_a_member_that_is_being_rebuilt_does_not_count_as_one(tmp_path: Path) -> None:
    host = an_array(tmp_path, _plan("raid5", None, 3), ["spare", "in_sync", "in_sync"])
    assert members.missing(host, MD0) == 1
    asyncio.run(members.verify_may_fail(host, held(0)))  # no slot depends on it yet
    with pytest.raises(DiskRefused, match="would lose data"):
        asyncio.run(members.verify_may_fail(host, held(1)))
    with pytest.raises(InputError, match="failed first"):
        asyncio.run(members.verify_may_leave(host, held(0)))


def test_who_is_no_member_and_who_still_works(tmp_path: Path) -> None:
    host = an_array(tmp_path, _plan("raid1", None, 3), ["in_sync", "faulty", "in_sync", "spare", "journal"])
    verdicts = [
        (members.verify_may_fail, 1, "member-failed"),
        (members.verify_may_fail, 4, "disk-journal"),
        (members.verify_may_fail, 7, "disk-no-member"),
        (members.verify_may_leave, 0, "member-active"),
        (members.verify_may_leave, 7, "disk-no-member"),
        (members.verify_may_return, 1, "member-present"),
    ]
    for verify, slot, code in verdicts:
        with pytest.raises((DiskRefused, InputError)) as caught:
            asyncio.run(verify(host, held(slot)))
        assert caught.value.code == code
    for slot in (1, 3):
        asyncio.run(members.verify_may_leave(host, held(slot)))


@pytest.mark.parametrize(("attribute", "text"), [("level", "multipath"), ("level", ""), ("raid_disks", "4 (3)")])
def test_what_is_not_known_is_needed(tmp_path: Path, attribute: str, text: str) -> None:
    host = an_array(tmp_path, _plan("raid1", None, 3), ["in_sync"] * 3)
    _write(host, f"sys/devices/md0/md/{attribute}", text)
    with pytest.raises(DiskRefused):
        asyncio.run(members.verify_may_fail(host, held(0)))


@pytest.fixture
def checkable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checks:
    """Return the checks of a host with a complete mirror."""
    host = an_array(tmp_path / "host", _plan("raid1", None, 2), ["in_sync"] * 2)
    _write(host, "proc/sys/kernel/random/boot_id", "first\n")

    async def read_array(*_: object) -> md.RunningArray:
        return ARRAY.array

    monkeypatch.setattr(md, "read_array", read_array)
    monkeypatch.setattr(checks, "_PAUSE_PATIENCE_S", (0.0,))
    return Checks(host, tmp_path / "checks")


def _md(of: Checks, **attributes: str) -> None:
    for name, text in attributes.items():
        _write(of._host, f"sys/devices/md0/md/{name}", text)


def _latest(of: Checks) -> KeptCheck:
    asyncio.run(of.reconcile())
    return of.all()[0]


def test_a_check_and_what_it_found_are_kept(checkable: Checks) -> None:
    asyncio.run(checkable.start(ARRAY))
    assert checkable._host.attribute(MD0, "md/sync_action") == "check"
    assert _latest(checkable).state is CheckState.RUNNING
    assert checkable.are_running
    _md(checkable, sync_action="idle", mismatch_cnt="128")
    done = _latest(checkable)
    assert (done.state, done.mismatch_sectors) == (CheckState.DONE, 128)
    assert done.ended_s is not None
    assert not checkable.are_running
    [kept] = checkable._store._folder.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_of_two_checks_in_one_second_the_second_is_the_latest(
    checkable: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 1_790_000_000.0)
    for mismatches in ("0", "8"):
        asyncio.run(checkable.start(ARRAY))
        _md(checkable, sync_action="idle", mismatch_cnt=mismatches)
        assert _latest(checkable).mismatch_sectors == int(mismatches)
    assert len(checkable.all()) == 2


def test_a_paused_check_goes_on_and_adds_up(checkable: Checks) -> None:
    asyncio.run(checkable.start(ARRAY))
    _md(checkable, mismatch_cnt="8", sync_min="4096")
    assert asyncio.run(checkable.pause(ARRAY)).state is CheckState.PAUSED
    assert checkable._host.attribute(MD0, "md/sync_action") == "idle"
    asyncio.run(checkable.start(ARRAY))
    assert checkable._host.attribute(MD0, "md/sync_min") == "4096"
    _md(checkable, sync_action="idle", mismatch_cnt="16", sync_min="0")
    assert (_latest(checkable).mismatch_sectors, len(checkable.all())) == (24, 1)


def test_after_a_change_a_check_begins_anew(checkable: Checks) -> None:
    asyncio.run(checkable.start(ARRAY))
    _md(checkable, mismatch_cnt="8", sync_min="4096")
    asyncio.run(checkable.pause(ARRAY))
    asyncio.run(checkable.start(ARRAY, anew=True))
    assert checkable._host.attribute(MD0, "md/sync_min") == "0"
    assert [check.state for check in checkable.all()] == [CheckState.RUNNING, CheckState.PAUSED]


def test_a_check_that_somebody_else_paused_says_how_far_it_came(checkable: Checks) -> None:
    asyncio.run(checkable.start(ARRAY))
    _md(checkable, sync_action="idle", mismatch_cnt="8", sync_min="4096")
    assert _latest(checkable).state is CheckState.PAUSED
    asyncio.run(checkable.start(ARRAY))
    _md(checkable, sync_action="idle", mismatch_cnt="0", sync_min="0")
    assert (_latest(checkable).state, _latest(checkable).mismatch_sectors) == (CheckState.DONE, 8)


@pytest.mark.parametrize("end", ["restart", "stopped", "a disk was lost"])
def test_a_check_that_did_not_end_well_says_so(checkable: Checks, end: str) -> None:
    asyncio.run(checkable.start(ARRAY))
    match end:
        case "restart":
            _write(checkable._host, "proc/sys/kernel/random/boot_id", "second\n")
        case "stopped":
            (checkable._host.root / "sys/block/md0").unlink()
        case _:
            _md(checkable, sync_action="idle", sync_min="4096", degraded="1")
    assert _latest(checkable).state is CheckState.INTERRUPTED
    assert not checkable.are_running


def test_a_check_is_refused_while_there_is_nothing_to_compare(checkable: Checks) -> None:
    for attributes, code in (
        ({"degraded": "1"}, "array-degraded"),
        ({"sync_action": "recover"}, "array-busy"),
        ({"sync_action": "check"}, "array-busy"),
        ({"sync_action": ""}, "check-pointless"),
    ):
        _md(checkable, **attributes)
        with pytest.raises((DiskRefused, InputError)) as caught:
            checkable.verify_may_start(ARRAY)
        assert caught.value.code == code
    assert not checkable.all()


def test_only_a_check_is_ever_paused(checkable: Checks) -> None:
    for action in ("idle", "resync", "recover", "reshape"):
        _md(checkable, sync_action=action)
        with pytest.raises(InputError, match="No check"):
            checkable.verify_may_pause(ARRAY)


def test_the_record_follows_no_link_and_a_damaged_one_makes_room_for_the_next(
    checkable: Checks, tmp_path: Path
) -> None:
    victim, folder = tmp_path / "victim", checkable._store._folder
    victim.write_text("mine", encoding="utf-8")
    record = folder / f"{UUID.replace(':', '-')}.json"
    folder.mkdir()
    (folder / f".{record.name}.raidwright-new").symlink_to(victim)
    asyncio.run(checkable.start(ARRAY))
    assert victim.read_text(encoding="utf-8") == "mine"
    assert not record.is_symlink()
    record.unlink()
    record.symlink_to(victim)
    assert checkable.all() == ()
    record.write_text('[{"uuid": 1}]', encoding="utf-8")
    assert checkable.all() == ()
    _md(checkable, sync_action="idle")
    asyncio.run(checkable.start(ARRAY))
    assert _latest(checkable).uuid == UUID
    assert {path.name for path in folder.iterdir()} == {record.name, *(f"{record.name}.damaged-{n}" for n in (1, 2))}
    assert victim.read_text(encoding="utf-8") == "mine"


def test_no_more_than_the_last_checks_are_kept(checkable: Checks) -> None:
    for _ in range(40):
        asyncio.run(checkable.start(ARRAY))
        _md(checkable, sync_action="idle")
    assert len(checkable.all()) == 32
    assert len(json.loads(next(checkable._store._folder.glob("*.json")).read_text(encoding="utf-8"))["checks"]) == 32


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))


def _attempt(**changes: Any) -> dict[str, Variant]:
    disk = {"id": "wwn-0x5001", "size_bytes": 8 * 10**12}
    return variants({"way": "force", "uuid": UUID, "name": "tank", "members": [disk]} | changes)


_CHANGE = "ssa{sv}aa{sv}"


def _goal(**more: Any) -> dict[str, Variant]:
    return variants({"level": "raid6", "slots": 5, **more})


BAD: list[tuple[str, str, list[Any], str]] = [
    ("FailMember", "ssa{sv}b", [UUID, "tank", {**DISK, "id": Variant("s", "/dev/sda")}, False], "plan-id"),
    ("FailMember", "ssa{sv}b", [UUID, "tank", {**DISK, "id": Variant("s", "../sda")}, False], "plan-id"),
    ("FailMember", "ssa{sv}b", [UUID, "tank", {**DISK, "force": Variant("b", True)}, False], "plan-unknown-key"),
    ("FailMember", "ssa{sv}b", ["/dev/md0", "tank", DISK, False], "uuid"),
    ("RemoveMember", "ssa{sv}b", [UUID, "tank", {}, False], "plan-missing"),
    ("ReAddMember", "ssa{sv}b", [UUID, "tank", DISK, True], "not-scratch"),
    ("StopArray", "ss", ["../md0", "tank"], "uuid"),
    ("StopArray", "ss", [UUID, "tank"], "disk-missing"),
    ("StartArray", "ssa{sv}", ["../md0", "tank", {}], "uuid"),
    ("StartArray", "ssa{sv}", [UUID, "tank", {}], "disk-missing"),
    ("StartArray", "ssa{sv}", [UUID, "tank", variants({"force": True})], "plan-unknown-key"),
    ("ContinueArray", "ssa{sv}", ["../md0", "tank", {}], "uuid"),
    ("ContinueArray", "ssa{sv}", [UUID, "tank", {}], "disk-missing"),
    ("ContinueArray", "ssa{sv}", [UUID, "tank", variants({"force": True})], "plan-unknown-key"),
    ("TakeOverArray", "sss", ["../md0", "tank", "tank"], "uuid"),
    ("TakeOverArray", "sss", [UUID, "tank", "--force"], "array-name"),
    ("TakeOverArray", "sss", [UUID, "tank", "raidwright-scratch-1"], "array-name"),
    ("TryRescue", "a{sv}", [{}], "plan-missing"),
    ("TryRescue", "a{sv}", [_attempt(way="zap")], "plan-choice"),
    ("TryRescue", "a{sv}", [_attempt(uuid="../md0")], "uuid"),
    ("TryRescue", "a{sv}", [_attempt(command="mdadm --zero-superblock")], "plan-unknown-key"),
    ("TryRescue", "a{sv}", [_attempt(members=[{"id": "/dev/sda", "size_bytes": 1}])], "plan-id"),
    ("TryRescue", "a{sv}", [_attempt(members=[{"id": "../sda", "size_bytes": 1}])], "plan-id"),
    ("TryRescue", "a{sv}", [_attempt(members=[{"id": "md-name-tank", "size_bytes": 1}])], "disk-kind"),
    ("TryRescue", "a{sv}", [_attempt()], "disk-missing"),
    ("RescueArray", "a{sv}s", [_attempt(), "tnak"], "name-mismatch"),
    ("RescueArray", "a{sv}s", [_attempt(), "tank"], "disk-missing"),
    ("DismantleArray", "ssaa{sv}asa{sv}", [UUID, "tank", [], [], {}], "members"),
    ("DismantleArray", "ssaa{sv}asa{sv}", [UUID, "tank", [DISK] * 65, [], {}], "members"),
    ("DismantleArray", "ssaa{sv}asa{sv}", [UUID, "tank", [{"id": Variant("s", "/dev/sda")}], [], {}], "plan-id"),
    ("DismantleArray", "ssaa{sv}asa{sv}", [UUID, "tank", [DISK], ["ext4; reboot"], {}], "signatures"),
    ("DismantleArray", "ssaa{sv}asa{sv}", [UUID, "tank", [DISK], [], {"no": Variant("b", True)}], "plan-unknown-key"),
    ("DismantleArray", "ssaa{sv}asa{sv}", [UUID, "tank", [DISK], [], {"with_lines": Variant("s", "x")}], "plan-type"),
    ("AddMember", "ssa{sv}as", [UUID, "tank", {**DISK, "id": Variant("s", "/dev/sda")}, []], "plan-id"),
    ("AddMember", "ssa{sv}as", [UUID, "tank", DISK, ["ext4; reboot"]], "signatures"),
    ("AddMember", "ssa{sv}as", ["/dev/md0", "tank", DISK, []], "uuid"),
    ("AddMember", "ssa{sv}as", [UUID, "tank", DISK, []], "disk-missing"),
    ("ReplaceMember", "ssa{sv}a{sv}as", [UUID, "tank", DISK, {}, []], "plan-missing"),
    ("ReplaceMember", "ssa{sv}a{sv}as", [UUID, "tank", {}, DISK, []], "plan-missing"),
    ("ReplaceMember", "ssa{sv}a{sv}as", [UUID, "tank", DISK, DISK, ["x" * 65]], "signatures"),
    ("ChangeArray", _CHANGE, [UUID, "tank", {}, []], "plan-missing"),
    ("ChangeArray", _CHANGE, [UUID, "tank", variants({"level": "raid7", "slots": 4}), []], "plan-choice"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(slots=0), []], "plan-range"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(slots=2**40), []], "slots"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(chunk_kib=3), []], "chunk"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(layout="n2"), []], "layout"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(layout="--backup-file=/etc/passwd"), []], "layout"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(backup_file="/etc/passwd"), []], "plan-unknown-key"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(force=True), []], "plan-unknown-key"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(larger="yes"), []], "plan-type"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(exchange="yes"), []], "plan-type"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(level="joined", exchange=True), []], "change-refused"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(level="joined", chunk_kib=64), []], "change-refused"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(), [DISK, DISK]], "disk-twice"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(), [{}]], "plan-missing"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(), [{**DISK, "id": Variant("s", "/dev/sda")}]], "plan-id"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(), [{**DISK, "wipe": Variant("as", ["x; reboot"])}]], "signatures"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(), [{**DISK, "wipe": Variant("s", "ext4")}]], "signatures"),
    ("ChangeArray", _CHANGE, ["../md0", "tank", _goal(), []], "uuid"),
    ("ChangeArray", _CHANGE, [UUID, "tank", _goal(), [DISK]], "disk-missing"),
    ("PaceChange", "ssu", ["../md0", "tank", 0], "uuid"),
    ("PaceChange", "ssu", [UUID, "tank", 0], "disk-missing"),
    ("ExamineChange", "ssb", ["../md0", "tank", False], "uuid"),
    ("ExamineChange", "ssb", [UUID, "tank", False], "disk-missing"),
    ("RemoveVanished", "ss", ["../md0", "tank"], "uuid"),
    ("RemoveVanished", "ss", [UUID, "tank"], "disk-missing"),
    ("ExamineMemberships", "asb", [["../sda"], False], "target"),
    ("ExamineMemberships", "asb", [["wwn-0x5001"], False], "disk-missing"),
    ("ExamineSuperblocks", "asb", [["../sda"], False], "target"),
    ("ExamineSuperblocks", "asb", [["wwn-0x5001"], False], "disk-missing"),
    ("StartCheck", "ss", ["", "tank"], "uuid"),
    ("PauseCheck", "ss", [UUID, "tank"], "disk-missing"),
]


def test_what_is_no_array_and_no_disk_is_refused_by_a_sentence(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            for member, signature, body, code in BAD:
                reply = await client.call(member, signature, *body)
                assert reply.error_name in (f"{INTERFACE}.Error.BadInput", f"{INTERFACE}.Error.DiskRefused"), member
                assert (reply.body[1], reply.body[0][-1]) == (code, "."), member

    run(test())


def test_the_prompts_name_the_array_and_the_disks(house: House) -> None:
    put_disk(house.root / "host", "sda", DISK["id"].value, "WD80EFZX", "ZHZ1", 8 * 10**12)
    put_array(house.root / "host", "md0", UUID, "tank")

    async def test() -> None:
        async with house.open(Answer.NO) as client:
            for member, signature, body, _ in BAD:
                await client.call(member, signature, *body)
            await client.call("FailMember", "ssa{sv}b", UUID, "tank", DISK, False)
            await client.call(
                "DismantleArray",
                "ssaa{sv}asa{sv}",
                UUID,
                "tank\n",
                [DISK],
                ["ext4"],
                {"with_lines": Variant("b", True)},
            )
            failing, dismantling = (question.details for question in house.polkit.questions[-2:])
            array, disk = f'"tank" ({UUID})', "WD80EFZX ZHZ1 (8.00 TB)"
            assert failing == {"array": array, "disk": disk}
            lines = "; its lines in fstab and mdadm.conf go, too"
            assert dismantling == {"array": array, "disks": disk, "removed": "ext4", "lines": lines}
            away = {**DISK, "id": Variant("s", "wwn-0x5000c500a0000009")}
            await client.call("ReplaceMember", "ssa{sv}a{sv}as", UUID, "tank", away, DISK, ["ext4"])
            asked = house.polkit.questions[-1].details
            # An absent array isn't named by the caller's words.
            assert asked == {"array": array, "old": "a disk that is not here", "disk": disk, "removed": "ext4"}

    run(test())


def test_an_array_that_changes_its_shape_is_left_alone(tmp_path: Path) -> None:
    host = an_array(tmp_path, _plan("raid5", None, 3), ["in_sync"] * 3, sync_action="reshape")
    with pytest.raises(DiskRefused, match="changing its shape"):
        verify_shape_stays(host, ARRAY)
    _write(host, "sys/devices/md0/md/sync_action", "idle\n")
    verify_shape_stays(host, ARRAY)
