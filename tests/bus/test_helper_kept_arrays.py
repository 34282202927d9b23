"""Stopped arrays that need a disk: detection, and release of a disk by the array's name only."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import DiskRefused
from raidwright.core.md.member_superblock import HAS_BITMAP, SUPERBLOCK_BYTES, MemberSuperblock, superblock_bytes_at
from raidwright.core.model.plan import Member, Metadata
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.signature_names import array_of, array_word, for_prompt, is_signature_name, split_name
from raidwright_helper.host import superblocks
from raidwright_helper.host.guards import verify_confirmed
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import Signature, wipe
from raidwright_helper.host.superblocks import arrays_kept_on, read_superblock

from tests.unit.test_member_superblock import BLOCKS

from .helper_house import put_array, put_disk, put_text

UUID = "0a1b2c3d:00000001:00000002:00000003"
GB = 10**9
MEMBER = Member("wwn-0x5001", 8 * GB, model="WD80EFZX", serial="ZHZ1")
MD3 = 9 << 8 | 3
MD, TANK = Signature("linux_raid_member", 4096, 4), Signature("array:tank", 4096, SUPERBLOCK_BYTES)
UNKNOWN = Signature("unknown", 2**20, 4096)
SUPERBLOCK = MemberSuperblock(UUID, "1.2", "raid5", 3, 7, 0, name="tank", working=(0, 1, 2))


@pytest.fixture
def members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[int, MemberSuperblock]:
    """sda, sdb and sdc of the array tank by their numbers, on a host below ``tmp_path``."""
    found: dict[int, MemberSuperblock] = {}
    for slot, letter in enumerate("abc"):
        put_disk(tmp_path, f"sd{letter}", f"wwn-0x500{slot}", "WD80EFZX", f"ZHZ{slot}", 8 * GB)
        record = tmp_path / f"run/udev/data/b8:{16 * slot}"
        uuid = UUID.replace(":", "")
        marks = f"E:ID_FS_TYPE=linux_raid_member\nE:ID_FS_UUID={uuid[:8]}-{uuid[8:12]}-{uuid[12:16]}-{uuid[16:20]}-"
        put_text(record, record.read_text() + f"{marks}{uuid[20:]}\n")
        found[0x800 + 16 * slot] = replace(SUPERBLOCK, slot=slot)
    monkeypatch.setattr(superblocks, "superblock_of", lambda _host, number: found.get(number))
    return found


def _kept(root: Path, *found: Signature) -> list[str]:
    return [one.name for one in asyncio.run(arrays_kept_on(Host(root), 0x800, found))]


def test_a_member_of_a_whole_array_that_is_stopped_is_the_arrays(
    tmp_path: Path, members: dict[int, MemberSuperblock]
) -> None:
    assert _kept(tmp_path, MD) == ["array:tank"]
    assert asyncio.run(arrays_kept_on(Host(tmp_path), 0x800, [MD])) == (TANK,)
    assert _kept(tmp_path, Signature("ext4", 1080, 2)) == []
    members[0x810] = replace(members[0x810], uuid="another")
    assert _kept(tmp_path, MD) == ["array:tank"]  # it runs without one
    del members[0x820]
    assert _kept(tmp_path, MD) == []  # not without two


def test_who_fell_behind_and_what_runs_are_not_needed(tmp_path: Path, members: dict[int, MemberSuperblock]) -> None:
    newer = {number: replace(one, events=20) for number, one in members.items() if number != 0x800}
    members |= newer
    assert _kept(tmp_path, MD) == []
    members[0x800] = replace(members[0x800], events=20)
    assert _kept(tmp_path, MD) == ["array:tank"]
    put_array(tmp_path, "md3", UUID, "tank")
    assert _kept(tmp_path, MD) == []
    put_text(tmp_path / "sys/block/md3/md/array_state", "inactive\n")  # half assembled by udev
    assert _kept(tmp_path, MD) == ["array:tank"]


def test_an_array_without_a_name_that_can_be_typed_goes_by_its_uuid(
    tmp_path: Path, members: dict[int, MemberSuperblock]
) -> None:
    for name in ("", "a,b", "a=b"):
        members |= {number: replace(one, name=name) for number, one in members.items()}
        assert _kept(tmp_path, MD) == [f"array:{UUID}"]
    members |= {number: replace(one, name="Médiathèque 2") for number, one in members.items()}
    assert _kept(tmp_path, MD) == ["array:Médiathèque 2"]


def test_the_array_must_be_let_go_by_name_beside_its_signature() -> None:
    for confirmed in ((), ("linux_raid_member",), ("linux_raid_member", "array:tnak"), ("array:UUID", "unknown")):
        with pytest.raises(
            DiskRefused, match=r"stopped array that can be started again, .*tank.*by the array's name"
        ) as e:
            verify_confirmed([MD, TANK], confirmed, MEMBER)
        assert e.value.code == Code.SIGNATURE
        assert e.value.fields["signatures"] == ["array:tank", "linux_raid_member"]
    with pytest.raises(DiskRefused, match="Look at it once more"):
        verify_confirmed([MD, TANK], ("array:tank",), MEMBER)
    with pytest.raises(DiskRefused, match="Look at it once more"):
        verify_confirmed([MD], ("linux_raid_member", "array:tank"), MEMBER)  # it was started meanwhile
    verify_confirmed([MD, TANK], ("array:tank", "linux_raid_member"), MEMBER)


def test_unknown_bytes_and_an_array_can_be_let_go_at_once() -> None:
    verify_confirmed([MD, TANK], ("array:tank", "linux_raid_member", "unknown"), MEMBER)
    verify_confirmed([MD, TANK, UNKNOWN], ("array:tank", "linux_raid_member", "unknown"), MEMBER)
    verify_confirmed([UNKNOWN], ("unknown",), MEMBER)


def test_only_magic_strings_are_erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    argvs: list[tuple[str, ...]] = []

    async def run(argv: tuple[str, ...], **_: object) -> object:
        argvs.append(argv)
        return type("Finished", (), {"command": ""})

    monkeypatch.setattr("raidwright_helper.host.signatures.run", run)
    put_disk(tmp_path, "sda", "wwn-0x5001", "WD80EFZX", "ZHZ1", 8 * GB)
    asyncio.run(wipe(Host(tmp_path), 0x800, [MD, TANK, UNKNOWN], []))
    assert [argv[3] for argv in argvs] == ["--types=linux_raid_member"]


@pytest.mark.parametrize("key", BLOCKS)
def test_a_superblock_is_read_where_its_format_keeps_it(tmp_path: Path, key: tuple[Metadata, str]) -> None:
    size, block = BLOCKS[key]
    at = superblock_bytes_at(key[0], size)
    with (tmp_path / "disk").open("w+b") as disk:
        disk.truncate(size)
        assert read_superblock(disk.fileno(), size) is None
        disk.seek(at)
        disk.write(block)
        disk.flush()
        found = read_superblock(disk.fileno(), size)
        assert found is not None
        assert found.metadata == key[0]
        assert not found.is_lockless
        if found.feature_map & HAS_BITMAP:
            disk.seek(found.bitmap_byte)
            disk.write(b"bitm\x06\0\0\0")
            disk.flush()
            lockless = read_superblock(disk.fileno(), size)
            assert lockless is not None
            assert lockless.is_lockless


@given(st.text(max_size=40))
def test_a_word_for_an_array_is_one_and_says_its_name(name: str) -> None:
    word = array_word(name, UUID)
    assert is_signature_name(word)
    assert array_of(word) in (name, UUID)
    assert split_name(f"3:{word}") == (3, word)
    assert array_of(f"3:{word}") == array_of(word)
    shown = for_prompt(word)
    assert shown in (word, "array:?")
    assert not set(shown) & set("\n ")


def test_names_of_signatures_are_none_of_arrays() -> None:
    assert [array_of(name) for name in ("ext4", "1:ext4", "unknown", "linux_raid_member")] == [""] * 4
    assert split_name("1:ext4") == (1, "ext4")
    assert split_name("gpt") == (0, "gpt")
    assert for_prompt("1:ext4") == "1:ext4"
    assert for_prompt("array:tank. Press OK") == "array:?"
    assert not is_signature_name("array:")
    assert not is_signature_name("array:a\nb")


def test_a_former_member_is_one_that_failed_or_that_nobody_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = {0x800: (MD3,), 0x810: (MD3,), 0x820: (), 0x830: (MD3 + 1,)}
    monkeypatch.setattr(superblocks, "carriers_of", lambda *_: iter(held))
    monkeypatch.setattr(Host, "holders", lambda _host, number: held[number])
    for place, name in enumerate(("sda", "sdb", "sdc", "sdd")):
        put_disk(tmp_path, name, f"wwn-0x500{place}", "WD80EFZX", f"ZHZ{place}", 8 * GB)
    put_array(tmp_path, "md3", UUID, "tank")
    put_text(tmp_path / "sys/block/md3/md/dev-sda/state", "in_sync\n")
    put_text(tmp_path / "sys/block/md3/md/dev-sdb/state", "faulty,want_replacement\n")
    assert list(superblocks.formers_of(Host(tmp_path), UUID, MD3)) == [0x810, 0x820]
