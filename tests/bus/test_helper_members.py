"""A former member comes back by the bitmap only if the array still has the shape that its superblock says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from raidwright.core.errors import RaidwrightError
from raidwright.core.md.member_superblock import RESHAPES, MemberSuperblock
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import CameBack
from raidwright_helper.acts import replace as replace_member
from raidwright_helper.host import md, members
from raidwright_helper.host.array_facts import examine_arrays
from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult

from .helper_house import put_array, put_device, put_text

UUID = "0a1b2c3d:00000001:00000002:00000003"
MD3 = 9 << 8 | 3
FORMER = MemberSuperblock(UUID, "1.2", "raid5", 4, 7, 0, slot=1, layout=2, chunk_sectors=1024)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    put_array(tmp_path, "md3", UUID, "tank")
    shape = {"level": "raid5", "raid_disks": "4", "layout": "2", "chunk_size": "524288"}
    for name, value in shape.items():
        put_text(tmp_path / f"sys/block/md3/md/{name}", f"{value}\n")
    return Host(tmp_path)


@pytest.mark.parametrize(
    ("changes", "missed"),
    [
        ({}, False),
        ({"feature_map": RESHAPES}, True),
        ({"slots": 3}, True),
        ({"layout": 3}, True),
        ({"chunk_sectors": 128}, True),
        ({"level": "raid6"}, True),
        ({"level": "raid1", "slots": 2, "layout": 0, "chunk_sectors": 0}, False),  # another slot moves no data
        ({"data_offset_sectors": 4096}, False),  # members may begin at different places by right
    ],
)
def test_a_reshape_that_a_former_member_missed_is_told(host: Host, changes: dict[str, object], missed: bool) -> None:
    assert members.missed_reshape(host, MD3, replace(FORMER, **changes)) is missed  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("former", "came_back", "acts"),
    [
        (FORMER, CameBack.CAUGHT_UP, ["--re-add"]),
        (replace(FORMER, feature_map=RESHAPES), CameBack.REBUILDS, ["--zero-superblock", "--add"]),
    ],
)
def test_who_missed_a_reshape_comes_back_as_a_new_disk(
    host: Host, monkeypatch: pytest.MonkeyPatch, former: MemberSuperblock, came_back: CameBack, acts: list[str]
) -> None:
    ran: list[str] = []

    async def run(argv: Sequence[str], **_: object) -> ProgramResult:
        ran.extend(word for word in argv if word in ("--re-add", "--add"))
        return ProgramResult(tuple(argv), 0, "", "")

    async def zero_superblock(_node: str, _log: list[str]) -> None:
        ran.append("--zero-superblock")

    monkeypatch.setattr(members, "run", run)
    monkeypatch.setattr(md, "zero_superblock", zero_superblock)
    monkeypatch.setattr(members, "read_superblock", lambda *_: former)
    monkeypatch.setattr(Host, "size_bytes", lambda *_: 8 * 10**9)
    array = PinnedArray(md.RunningArray(MD3, "/dev/md3", UUID, 0, 0, "tank"), Pinned(MD3, "/dev/md3", -1))
    held = members.HeldMember(array, Member("wwn-0x1", 8 * 10**9), Pinned(0x800, "/dev/sda", -1))
    assert asyncio.run(members.re_add(host, held, [])) is came_back
    assert ran == acts


def _put_members(root: Path, *states: str) -> None:
    """Give md3 members by slot, in md's states; "" for none."""
    for slot, state in enumerate(states):
        if state:
            put_device(root, f"sd{slot}", 8, slot * 16, {})
            put_text(root / f"sys/block/md3/slaves/sd{slot}/dev", f"8:{slot * 16}")
            put_text(root / f"sys/block/md3/md/dev-sd{slot}/slot", "none" if "faulty" in state else str(slot))
            put_text(root / f"sys/block/md3/md/dev-sd{slot}/state", state)


def test_a_failed_array_loses_no_member_and_gets_none(host: Host) -> None:
    """Each act names the rescue; none asks for another that is refused, too."""
    _put_members(host.root, "in_sync", "in_sync", "faulty", "")
    put_text(host.root / "sys/block/md3/md/component_size", "1048576")
    put_text(host.root / "sys/block/md3/md/metadata_version", "1.2")
    array = PinnedArray(md.RunningArray(MD3, "/dev/md3", UUID, 0, 0, "tank"), Pinned(MD3, "/dev/md3", -1))
    works, failed, away = (
        members.HeldMember(array, Member("wwn-0x5002", 10**12), Pinned(8 << 8 | slot * 16, f"/dev/sd{slot}", -1))
        for slot in (1, 2, 3)
    )
    assert members.has_failed(host, MD3)
    [facts] = examine_arrays(host)
    assert (facts.has_failed, facts.uuid) == (True, UUID)
    for act in (
        *(partial(members.verify_may_fail, host, one) for one in (works, failed)),
        *(partial(members.verify_may_leave, host, one) for one in (works, failed)),
        *(partial(members.verify_may_return, host, one) for one in (failed, away)),
        partial(asyncio.to_thread, replace_member.verify_takes_members, host, array),
        partial(asyncio.to_thread, replace_member.verify_may_forget, host, array),
    ):
        with pytest.raises(RaidwrightError, match="rescue") as refused:
            asyncio.run(act())
        assert refused.value.code == "array-failed", act
    put_text(host.root / "sys/block/md3/md/array_state", "inactive\n")  # as a start that lacked members leaves it
    assert not members.has_failed(host, MD3)
    put_text(host.root / "sys/block/md3/md/array_state", "clean\n")
    put_text(host.root / "sys/block/md3/md/dev-sd2/slot", "2")
    put_text(host.root / "sys/block/md3/md/dev-sd2/state", "in_sync")
    assert not members.has_failed(host, MD3)
    replace_member.verify_takes_members(host, array)


def test_an_array_whose_reshape_waits_gets_no_member(host: Host) -> None:
    """It isn't said to have lost data: how many it survives isn't known by one number of slots."""
    _put_members(host.root, "in_sync", "in_sync", "in_sync", "")
    shape = {"raid_disks": "4 (3)", "component_size": "1048576", "metadata_version": "1.2", "reshape_position": "1024"}
    for name, value in shape.items():
        put_text(host.root / f"sys/block/md3/md/{name}", value)
    array = PinnedArray(md.RunningArray(MD3, "/dev/md3", UUID, 0, 0, "tank"), Pinned(MD3, "/dev/md3", -1))
    with pytest.raises(RaidwrightError, match="go on") as refused:
        replace_member.verify_takes_members(host, array)
    assert refused.value.code == "array-reshapes"


def test_an_array_without_redundancy_has_failed_where_md_says_so(host: Host) -> None:
    put_text(host.root / "sys/block/md3/md/level", "raid0")
    assert not members.has_failed(host, MD3)
    put_text(host.root / "sys/block/md3/md/array_state", "broken\n")
    assert members.has_failed(host, MD3)
