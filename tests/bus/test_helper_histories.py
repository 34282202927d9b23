"""Members that went their own way: judged beside an array on a fake sysfs, refused, and named by a word."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.md.histories import History
from raidwright.core.md.member_superblock import RECOVERING, MemberSuperblock
from raidwright.core.model.plan import Member
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import CameBack
from raidwright.core.protocol.signature_names import array_of, for_prompt, half_of, half_word, is_signature_name
from raidwright_helper.host import md, members, superblocks
from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.guards import Pinned, verify_confirmed
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import Signature
from raidwright_helper.host.superblocks import arrays_kept_on, history_beside

from .helper_house import put_array, put_disk, put_text

UUID = "0a1b2c3d:00000001:00000002:00000003"
GB = 10**9
SDA, SDB, MD3 = 0x800, 0x810, 9 << 8 | 3
WHEN = 1_795_800_000
WORD = half_word("brain", UUID, WHEN)
RUNNING = MemberSuperblock(
    UUID, "1.2", "raid1", 2, 8, WHEN + 60, name="brain", slot=0, working=(0,), number=0, roles=(0,), device_uuid="a"
)
PARTED = replace(RUNNING, updated_s=WHEN, slot=1, working=(1,), number=1, roles=(-1, 1), device_uuid="b")
BEHIND = replace(PARTED, events=5, working=(0, 1), roles=(0, 1))
MARK = Signature(md.MEMBER_SIGNATURE, 4096, 4)
MEMBER = Member("wwn-0x5001", 8 * GB, model="WD80EFZX", serial="ZHZ1")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """The mirror brain, which runs of sda; sdb was a member."""
    for slot, letter in enumerate("ab"):
        put_disk(tmp_path, f"sd{letter}", f"wwn-0x500{slot}", "WD80EFZX", f"ZHZ{slot}", 8 * GB)
    put_array(tmp_path, "md3", UUID, "brain")
    for name, text in {"slot": "0", "state": "in_sync"}.items():
        put_text(tmp_path / f"sys/block/md3/md/dev-sda/{name}", f"{text}\n")
    for name, text in {"raid_disks": "2", "level": "raid1"}.items():
        put_text(tmp_path / f"sys/block/md3/md/{name}", f"{text}\n")
    monkeypatch.setattr(Host, "slaves", lambda _host, number: (SDA,) if number == MD3 else ())
    return Host(tmp_path)


def _read(monkeypatch: pytest.MonkeyPatch, found: Mapping[int, MemberSuperblock]) -> None:
    monkeypatch.setattr(superblocks, "superblock_of", lambda _host, number: found.get(number))


@pytest.mark.parametrize(
    ("former", "history"),
    [
        (PARTED, History.PARTED),  # the same event count
        (replace(PARTED, events=20), History.PARTED),
        (replace(PARTED, events=2), History.PARTED),
        (BEHIND, History.BEHIND),
        (replace(BEHIND, events=8), History.PARTED),  # the array lost it at an earlier count
        (replace(BEHIND, updated_s=WHEN + 90), History.PARTED),  # it was written to after the array's own last event
        (replace(BEHIND, feature_map=RECOVERING), History.REBUILDING),
        (replace(BEHIND, slot=None), History.NO_DATA),
        (replace(RUNNING, device_uuid="a"), History.COPY),
        (replace(PARTED, number=-1, roles=()), History.PARTED),  # as an older helper tells it
    ],
)
def test_a_former_member_is_judged_by_both_superblocks(
    host: Host, monkeypatch: pytest.MonkeyPatch, former: MemberSuperblock, history: History
) -> None:
    _read(monkeypatch, {SDA: RUNNING})
    assert asyncio.run(history_beside(host, MD3, former)) is history


def test_the_newer_half_is_told_from_an_array_that_runs_of_the_older(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    _read(monkeypatch, {SDA: replace(RUNNING, events=5, updated_s=WHEN - 60, working=(0, 1), roles=(0, 1))})
    assert asyncio.run(history_beside(host, MD3, PARTED)) is History.AHEAD


@pytest.mark.parametrize(("former", "kept"), [(PARTED, [WORD]), (BEHIND, [])])
def test_what_only_a_former_member_holds_is_released_by_a_word_with_its_date(
    host: Host, monkeypatch: pytest.MonkeyPatch, former: MemberSuperblock, kept: list[str]
) -> None:
    _read(monkeypatch, {SDA: RUNNING, SDB: former})
    found = asyncio.run(arrays_kept_on(host, SDB, [MARK]))
    assert [one.name for one in found] == kept
    assert not any(one.is_magic for one in found)
    if kept:
        with pytest.raises(DiskRefused, match=r"written to on its own until .* what only it holds is lost") as refused:
            verify_confirmed([MARK, *found], (md.MEMBER_SIGNATURE,), MEMBER)
        assert refused.value.code == Code.SIGNATURE
        assert WORD in refused.value.fields["signatures"]  # type: ignore[operator]
        verify_confirmed([MARK, *found], (WORD, md.MEMBER_SIGNATURE), MEMBER)


def test_the_word_and_the_prompt_name_the_array_and_the_date() -> None:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(WHEN))
    assert is_signature_name(WORD)
    assert half_of(WORD) == ("brain", when)
    assert half_of(f"2:{WORD}") == ("brain", when)
    assert array_of(WORD) == "brain"
    assert for_prompt(WORD) == f"the half of brain that was written to on its own until {when}"
    assert for_prompt(half_word("<b>", UUID, WHEN)).startswith("the half of ? that")
    assert half_of("array:tank") is None
    assert half_of(half_word("a,b", UUID, WHEN)) == (UUID, when)


@pytest.mark.parametrize(
    ("former", "came_back", "acts"),
    [
        (BEHIND, CameBack.CAUGHT_UP, ["--re-add"]),
        (replace(BEHIND, feature_map=RECOVERING), CameBack.REBUILDS, ["--zero-superblock", "--add"]),
        (PARTED, None, []),
        (replace(BEHIND, events=9), None, []),
    ],
)
def test_only_what_holds_nothing_of_its_own_is_taken_back(
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
    former: MemberSuperblock,
    came_back: CameBack | None,
    acts: list[str],
) -> None:
    ran: list[str] = []

    async def manage(_held: object, act: str, _log: object, **_: object) -> bool:
        ran.append(act)
        return True

    async def zero_superblock(_node: str, _log: list[str]) -> None:
        ran.append("--zero-superblock")

    _read(monkeypatch, {SDA: RUNNING})
    monkeypatch.setattr(members, "_manage", manage)
    monkeypatch.setattr(members, "missed_reshape", lambda *_: False)
    monkeypatch.setattr(md, "zero_superblock", zero_superblock)
    monkeypatch.setattr(members, "read_superblock", lambda *_: former)
    array = PinnedArray(md.RunningArray(MD3, "/dev/md3", UUID, 0, 0, "brain"), Pinned(MD3, "/dev/md3", -1))
    held = members.HeldMember(array, MEMBER, Pinned(SDB, "/dev/sdb", -1))
    if came_back is None:
        with pytest.raises(DiskRefused, match="comes back only as a new disk") as refused:
            asyncio.run(members.re_add(host, held, []))
        assert refused.value.code == "disk-parted"
        assert refused.value.fields["history"] == "parted"
    else:
        assert asyncio.run(members.re_add(host, held, [])) is came_back
    assert ran == acts
