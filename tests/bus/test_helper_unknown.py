"""Unrecognised bytes: the places read, their names, and the places zeroed."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raidwright.core.errors import DiskRefused
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import UNKNOWN
from raidwright_helper.host import holding
from raidwright_helper.host.guards import Pinned, verify_confirmed
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import Signature, wipe
from raidwright_helper.host.unknown import PLACE_BYTES, clear, find_unknown, places

MIB, TB = 2**20, 10**12
SIZE = 8 * TB
MEMBER = Member("wwn-0x5001", SIZE, model="WD80EFZX", serial="ZHZ1")


@contextlib.contextmanager
def device(path: Path, size_bytes: int, *written: tuple[int, bytes]) -> Iterator[int]:
    """Open a sparse file in place of a disk, for reading and writing."""
    path.write_bytes(b"")
    os.truncate(path, size_bytes)
    number = os.open(path, os.O_RDWR)
    try:
        for offset, content in written:
            os.pwrite(number, content, offset)
        yield number
    finally:
        os.close(number)


@given(st.integers(0, 2**55))
def test_places_lie_on_the_device_in_order_and_cover_both_ends(size_bytes: int) -> None:
    found = places(size_bytes)
    assert list(found) == sorted(set(found))
    assert len(found) <= 40
    assert all(0 <= one <= size_bytes - PLACE_BYTES for one in found)
    if size_bytes >= PLACE_BYTES:
        assert found[0] == 0
        assert size_bytes - found[-1] < 2 * PLACE_BYTES


def test_a_disk_never_written_to_or_erased_by_any_byte_holds_nothing(tmp_path: Path) -> None:
    with device(tmp_path / "disk", SIZE) as disk:
        assert find_unknown(disk, SIZE) is None
    ones = (b"\xff" * (16 * MIB),)
    with device(tmp_path / "disk", 16 * MIB, (0, *ones)) as disk:
        assert find_unknown(disk, 16 * MIB) is None
    with device(tmp_path / "disk", SIZE, *((one, b"\xff" * PLACE_BYTES) for one in places(SIZE)[::2])) as disk:
        assert find_unknown(disk, SIZE) is None  # partially erased: each place is still one repeated byte


@pytest.mark.parametrize(
    "offset",
    [0, SIZE - 512, 64 * MIB + 64, 128 * MIB + 0x438, 8193 * 1024 + 0x38, 256 * 2**30 + 64, 2**40 - 4096, SIZE // 2],
)
def test_a_damaged_file_systems_backup_superblock_is_found(tmp_path: Path, offset: int) -> None:
    """The places of btrfs, ext4 and XFS (mke2fs(8), mkfs.xfs(8), btrfs(5)); libblkid doesn't read them."""
    with device(tmp_path / "disk", SIZE, (offset, b"_BHRfS_M")) as disk:
        found = find_unknown(disk, SIZE)
        assert found is not None
        assert (found.name, found.length_bytes) == (UNKNOWN, PLACE_BYTES)
        assert found.offset_bytes <= offset < found.offset_bytes + PLACE_BYTES


@pytest.mark.parametrize("size_bytes", [3 * TB + 512 * 7, 64 * MIB, 10**9])
@settings(max_examples=10)
@given(start_share=st.floats(0, 0.9))
def test_an_eighth_of_random_bytes_is_found_wherever_it_lies(size_bytes: int, start_share: float) -> None:
    start = int(start_share * (size_bytes - size_bytes // 8))
    inside = [one for one in places(size_bytes) if start <= one < start + size_bytes // 8 - PLACE_BYTES]
    assert inside


def test_what_cannot_be_read_is_not_called_empty(tmp_path: Path) -> None:
    with device(tmp_path / "disk", 16 * MIB) as disk:
        assert find_unknown(disk, 32 * MIB) is not None  # it ends too early, like a failing disk's answer


@pytest.mark.parametrize("kept_bytes", [0, 16 * MIB])
def test_what_was_written_is_cleared_there_and_nowhere_else(tmp_path: Path, kept_bytes: int) -> None:
    size = 1024 * MIB
    noise = os.urandom(PLACE_BYTES)
    beside = 100 * MIB + PLACE_BYTES
    inner = [one for one in places(size) if kept_bytes <= one <= size - kept_bytes - PLACE_BYTES]
    with device(tmp_path / "disk", size, *((one, noise) for one in inner), (beside, noise)) as disk:
        assert find_unknown(disk, size) is not None
        clear(disk, size, kept_bytes=kept_bytes)
        assert find_unknown(disk, size) is None
        assert os.pread(disk, PLACE_BYTES, beside) == noise
    with device(tmp_path / "disk", size, (0, noise)) as disk:
        clear(disk, size, kept_bytes=16 * MIB)
        assert find_unknown(disk, size) is not None  # other bytes at an end stay


def test_it_is_refused_with_a_sentence_unless_it_was_let_go() -> None:
    found = (Signature(UNKNOWN, 0, PLACE_BYTES),)
    with pytest.raises(DiskRefused, match="holds bytes that nothing here recognises") as refused:
        verify_confirmed(found, (), MEMBER)
    assert refused.value.fields["signatures"] == [UNKNOWN]
    with pytest.raises(DiskRefused, match="what may be removed was ext4"):
        verify_confirmed(found, ("ext4",), MEMBER)
    verify_confirmed(found, (UNKNOWN,), MEMBER)
    verify_confirmed((), (UNKNOWN,), MEMBER)  # zeroed since
    with pytest.raises(DiskRefused):
        verify_confirmed((Signature("ext4", 1080, 2),), (UNKNOWN,), MEMBER)


def test_it_is_looked_for_only_where_there_is_no_signature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signatures: list[Signature] = []

    async def found_within(*_: object) -> tuple[Signature, ...]:
        return tuple(signatures)

    monkeypatch.setattr(holding, "found_within", found_within)
    monkeypatch.setattr(Host, "size_bytes", lambda *_: 64 * MIB)
    with device(tmp_path / "disk", 64 * MIB, (0, os.urandom(4096))) as disk:
        pinned = Pinned(1, "/dev/x", disk)
        [found] = asyncio.run(holding.found_anywhere(Host(), pinned))
        assert found.name == UNKNOWN
        signatures.append(Signature("crypto_LUKS", 0, 6))
        assert asyncio.run(holding.found_anywhere(Host(), pinned)) == tuple(signatures)


def test_nothing_is_erased_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Host, "partitions", lambda *_: ())
    log: list[str] = []
    asyncio.run(wipe(Host(), 1, (Signature(UNKNOWN, 0, PLACE_BYTES),), log))
    assert log == []
