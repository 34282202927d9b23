"""Superblocks written by mdadm 4.2, parsed; and arrays assembled from them."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.md.assembly import AssemblyState, MemberState, StartsOn, assemblies, starts_on
from raidwright.core.md.member_superblock import (
    HAS_BAD_BLOCKS,
    HAS_BITMAP,
    HAS_JOURNAL,
    HAS_PPL,
    MOVES_DATA,
    RECOVERING,
    RESHAPES,
    SUPERBLOCK_BYTES,
    MemberSuperblock,
    parse_superblock,
    with_bitmap,
)
from raidwright.core.model.plan import Metadata
from raidwright.core.protocol.facts import HostFacts

# raid5 of three, 2 GB each, homehost oldnas, with an internal bitmap: format, disk, size in bytes, the superblock
_WRITTEN = Path(__file__).with_name("member_superblocks.txt").read_text(encoding="ascii").splitlines()
BLOCKS = {
    (Metadata(version), letter): (int(size), zlib.decompress(base64.b64decode(block)))
    for version, letter, size, block in (line.split() for line in _WRITTEN)
}
_UUIDS = {"0.90": "e1d6ff24:f0f4e5ba:97430fcc:76032cc9", "1.0": "7a8c3679:b2084b3d:deeb49c0:fda70985"}


def _read(metadata: Metadata, letter: str) -> MemberSuperblock:
    size, block = BLOCKS[metadata, letter]
    found = parse_superblock(metadata, block, size)
    assert found is not None
    return found


def _tank(**changes: object) -> dict[str, MemberSuperblock]:
    """Return the three members of the 1.2 array; ``changes`` by letter, as ``events_b=3``."""
    found = {letter: _read(Metadata.V1_2, letter) for letter in "abc"}
    for key, value in changes.items():
        name, _, letter = key.rpartition("_")
        found[letter] = replace(found[letter], **{name: value})  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("metadata", list(Metadata))
def test_what_mdadm_wrote_is_read(metadata: Metadata) -> None:
    for slot, letter in enumerate("abc"):
        found = _read(metadata, letter)
        assert (found.level, found.slots, found.slot, found.working) == ("raid5", 3, slot, (0, 1, 2))
        assert (found.number, found.roles[found.number]) == (found.roles.index(slot), slot)
        assert found.metadata == metadata
        assert found.is_clean
        assert 1795622000 < found.updated_s < 1795630000
        assert found.uuid == _UUIDS.get(str(metadata), found.uuid)
        named = ("", "") if metadata is Metadata.V0_90 else ("tank", "oldnas")
        assert (found.name, found.homehost) == named
        assert found.label == (found.uuid if metadata is Metadata.V0_90 else "tank")


@pytest.mark.parametrize("metadata", list(Metadata))
def test_bytes_that_the_kernel_refuses_are_no_superblock(metadata: Metadata) -> None:
    size, block = BLOCKS[metadata, "a"]
    for at in (0, 4, 20, 92, 200, 216, 257, 320):
        changed = bytearray(block)
        changed[at] ^= 0x10
        changes_what_counts = metadata is Metadata.V0_90 or at < 256 + 2 * block[220]
        assert (parse_superblock(metadata, bytes(changed), size) is None) == changes_what_counts, at
    assert parse_superblock(metadata, block[:-1], size) is None
    if metadata is not Metadata.V0_90:  # moved: a copy of another device's beginning
        assert parse_superblock(Metadata.V1_0, block, size + 2**20) is None


@given(st.binary(max_size=SUPERBLOCK_BYTES + 8), st.sampled_from(list(Metadata)), st.integers(0, 2**50))
def test_any_bytes_are_read_without_a_traceback(block: bytes, metadata: Metadata, size: int) -> None:
    parse_superblock(metadata, block, size)
    parse_superblock(metadata, (struct.pack("<II", 0xA92B4EFC, 1) + block).ljust(SUPERBLOCK_BYTES, b"\xff"), size)


def test_the_bitmap_is_found_and_a_lockless_one_known() -> None:
    found = _read(Metadata.V1_2, "a")
    assert found.feature_map & HAS_BITMAP
    assert found.bitmap_byte == 8192
    assert not with_bitmap(found, struct.pack("<II", 0x6D746962, 4)).is_lockless
    assert with_bitmap(found, struct.pack("<II", 0x6D746962, 6)).is_lockless
    assert with_bitmap(found, b"") == found


def _state(found: Mapping[str, MemberSuperblock]) -> tuple[AssemblyState, int, int]:
    [array] = assemblies(found)
    return array.state, array.here, array.missing


def test_a_whole_array_can_be_started() -> None:
    [array] = assemblies(_tank())
    assert (array.name, array.homehost, array.state) == ("tank", "oldnas", AssemblyState.STOPPED)
    assert (array.here, array.slots, array.missing, array.is_sound) == (3, 3, 0, True)
    assert all(array.holds(letter) for letter in "abc")
    assert array.starts_on == StartsOn("2.6", mdadm="2.0")


def test_one_of_a_raid5_may_be_missing_while_parity_fits() -> None:
    found = _tank()
    del found["c"]
    assert _state(found) == (AssemblyState.STOPPED, 2, 1)
    dirty = {letter: replace(one, is_clean=False) for letter, one in found.items()}
    assert _state(dirty) == (AssemblyState.DIRTY, 2, 1)
    assert assemblies(dirty)[0].is_sound  # it has its data, but needs --force
    del found["b"]
    assert _state(found) == (AssemblyState.SHORT, 1, 2)


def test_who_fell_behind_counts_no_more() -> None:
    newest = {"events_a": 10, "events_c": 10}
    assert _state(_tank(**newest, events_b=9)) == (AssemblyState.STOPPED, 3, 0)  # md tolerates one
    behind = _tank(**newest, events_b=8)
    assert _state(behind) == (AssemblyState.STOPPED, 2, 1)
    assert not assemblies(behind)[0].holds("b")
    del behind["c"]
    assert _state(behind) == (AssemblyState.BEHIND, 1, 2)
    assert not assemblies(behind)[0].is_sound


def test_who_the_newest_knows_as_failed_counts_no_more() -> None:
    found = _tank(working_a=(0, 2), working_c=(0, 2), events_a=5, events_c=5, events_b=5)
    assert _state(found) == (AssemblyState.STOPPED, 2, 1)


@pytest.mark.parametrize("metadata", list(Metadata))
def test_within_a_reshape_to_fewer_the_slots_of_before_count(metadata: Metadata) -> None:
    """As ``mdadm --grow --raid-devices=2`` writes it: the new number, and by how many it is less."""
    found = {}
    for letter in "abc":
        size, block = BLOCKS[metadata, letter]
        words = list(struct.unpack("<1024I", block))
        if metadata is Metadata.V0_90:
            words[2], words[10], words[47], words[38] = 91, 2, 2**32 - 1, 0
            words[38] = sum(words) % 2**32 + sum(words) // 2**32
        else:
            words[2], words[23], words[28], words[54] = words[2] | RESHAPES, 2, 2**32 - 1, 0
            counted = struct.pack("<1024I", *words)[: 256 + 2 * words[55]]
            total = sum(struct.unpack(f"<{len(counted) // 4}I", counted[: len(counted) // 4 * 4]))
            total += int.from_bytes(counted[len(counted) // 4 * 4 :], "little")
            words[54] = total % 2**32 + total // 2**32
        read = parse_superblock(metadata, struct.pack("<1024I", *words), size)
        assert read is not None
        found[letter] = read
    [array] = assemblies(found)
    assert (array.state, array.slots, array.present, array.dropped) == (AssemblyState.STOPPED, 3, (0, 1, 2), ())


def test_spares_and_whoever_is_rebuilt_hold_nothing() -> None:
    found = _tank(feature_map_b=RECOVERING)
    found["d"] = replace(found["a"], slot=None)
    [array] = assemblies(found)
    states = (MemberState.AGREES, MemberState.REBUILDING, MemberState.AGREES, MemberState.SPARE)
    assert array.members == tuple(zip("abcd", states, strict=True))
    assert (array.here, array.is_sound) == (2, True)
    assert [letter for letter in "abcd" if array.holds(letter)] == ["a", "c"]


def test_a_raid10_that_moves_its_data_is_misread_until_it_goes_on() -> None:
    cases = {
        ("raid10", RESHAPES | MOVES_DATA): True,
        ("raid10", RESHAPES): False,
        ("raid5", RESHAPES | MOVES_DATA): False,
    }
    for (level, bits), misread in cases.items():
        found = {letter: replace(one, level=level, feature_map=bits) for letter, one in _tank().items()}
        assert assemblies(found)[0].is_misread is misread


def test_a_journal_must_be_here() -> None:
    found = {letter: replace(one, feature_map=HAS_JOURNAL) for letter, one in _tank().items()}
    assert _state(found)[0] is AssemblyState.SHORT
    found["j"] = replace(found["a"], slot=None, is_journal=True)
    assert _state(found)[0] is AssemblyState.STOPPED
    assert not assemblies(found)[0].lacks_journal
    found["j"] = replace(found["j"], events=found["a"].events - 2)  # plugged in again after another took its place
    [array] = assemblies(found)
    assert (array.state, array.lacks_only_journal) == (AssemblyState.SHORT, True)
    del found["c"], found["b"]
    assert not assemblies(found)[0].lacks_only_journal
    assert assemblies(found)[0].starts_on == StartsOn("4.4", ("journal",), "3.4")


def test_what_newer_kernels_wrote_is_told() -> None:
    [array] = assemblies(_tank(logical_block_bytes_b=512))
    assert array.starts_on == StartsOn("6.19", ("logical-block-size",))
    [array] = assemblies(_tank(is_lockless_a=True))
    assert array.starts_on == StartsOn("6.18", ("lockless-bitmap",), "4.6")


def test_the_least_mdadm_is_told_by_format_and_features() -> None:
    old = {letter: _read(Metadata.V0_90, letter) for letter in "abc"}
    levels = {"raid5": "1.0", "raid6": "1.5", "raid10": "1.7", "-4": "1.0"}
    found = {level: starts_on(replace(one, level=level) for one in old.values()).mdadm for level in levels}
    assert found == levels
    for bits, mdadm in ((HAS_BITMAP, "2.0"), (HAS_BAD_BLOCKS, "3.3"), (HAS_PPL | HAS_BAD_BLOCKS, "4.1")):
        assert assemblies(_tank(feature_map_b=bits))[0].starts_on.mdadm == mdadm
    assert starts_on(()) == StartsOn()


def test_copies_of_a_member_and_a_twin_of_the_array_are_told() -> None:
    found = _tank()
    found["d"] = found["a"]
    [array] = assemblies(found)
    assert (array.state, array.is_sound, array.has_twin) == (AssemblyState.COPIED, True, False)
    assert [[one.id for one in members] for members in array.twice] == [["a", "d"]]
    assert array.holds("d")
    found["d"] = replace(found["a"], device_uuid="0:0:0:1")
    assert assemblies(found)[0].has_twin
    found["d"] = replace(found["a"], events=found["a"].events - 5)  # an old copy is left out, as any member behind
    assert assemblies(found)[0].state is AssemblyState.STOPPED


def test_an_mdadm_starts_what_it_knows() -> None:
    needed = StartsOn("6.18", ("lockless-bitmap",), "4.6")
    assert [needed.is_met_by("6.18.0", mdadm) for mdadm in ("4.4", "4.6", "")] == [False, True, True]


def test_levels_that_are_not_known_are_only_told() -> None:
    found = {letter: replace(one, level="-4") for letter, one in _tank().items()}
    assert _state(found)[0] is AssemblyState.UNKNOWN


def test_two_arrays_are_two() -> None:
    found = _tank() | {f"{letter}0": _read(Metadata.V1_0, letter) for letter in "abc"}
    assert [array.here for array in assemblies(found)] == [3, 3]


@pytest.mark.parametrize(("level", "least"), [("raid0", 3), ("raid1", 1), ("raid6", 1), ("linear", 3)])
def test_how_many_are_enough_follows_the_level(level: str, least: int) -> None:
    found = {letter: replace(one, level=level) for letter, one in _tank().items()}
    sound = [n for n in range(1, 4) if assemblies(dict(list(found.items())[:n]))[0].is_sound]
    assert sound == list(range(least, 4))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**64 - 1), st.integers(-5, 11)), min_size=1, max_size=6))
def test_any_superblocks_make_arrays(members: list[tuple[int, int, int]]) -> None:
    base = _read(Metadata.V1_2, "a")
    found = {
        str(n): replace(base, slot=slot or None, events=events, level=str(level), slots=abs(level))
        for n, (slot, events, level) in enumerate(members)
    }
    for array in assemblies(found):
        assert 0 <= array.here <= max(array.slots, 0)
        assert set(dict(array.members)) <= set(found)


@pytest.mark.parametrize(
    ("linux", "release", "met"),
    [
        ("6.19", "6.12.9-amd64", False),
        ("6.19", "7.0.14-5-pve", True),
        ("6.19", "6.19.0", True),
        ("6.19", "", True),  # unknown
        ("5.4", "4.18.0-el8", True),  # backported
    ],
)
def test_a_kernel_starts_what_it_knows(linux: str, release: str, met: bool) -> None:
    assert StartsOn(linux).is_met_by(release) is met


def test_a_homehost_is_this_machines_by_its_name_or_by_mdadm_conf() -> None:
    here = HostFacts("nas", "6.1.0", "4.2", ("house",))
    assert [here.is_home(name) for name in ("nas", "house", "any", "", "oldnas")] == [True, True, True, True, False]
    assert HostFacts().is_home("oldnas")  # unknown
