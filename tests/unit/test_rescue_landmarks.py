"""Orders of disks told by the file system on them where parity can't, and the places where the data may begin."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.core.md.parity import parity_layout
from raidwright.core.md.rescue.landmarks import compare_content, head_of, kind_of, landmarks
from raidwright.core.md.rescue.question import read_question
from raidwright.core.md.rescue.stripes import BLOCK_BYTES, Compared, Proof, StripeShape
from raidwright.core.model.plan import MdArray, Member, Metadata
from raidwright.rescue.offsets import offsets_of

CHUNK = 64 * 1024
UUID = bytes(range(16))
GROUPS, PER_GROUP, FLEX = 200, 272, 16  # blocks: copies of the superblock come on each slot
SIZE = GROUPS * PER_GROUP * BLOCK_BYTES


def _ext4() -> bytes:
    image = bytearray(SIZE)
    head = bytearray(1024)
    struct.pack_into("<I12x", head, 4, GROUPS * PER_GROUP)
    struct.pack_into("<II", head, 20, 0, 2)  # the first block, and 4 KiB
    struct.pack_into("<I", head, 32, PER_GROUP)
    struct.pack_into("<H", head, 56, 0xEF53)
    struct.pack_into("<III", head, 92, 0, 0x80, 0x1)  # 64bit, sparse_super
    head[104:120] = UUID
    struct.pack_into("<H", head, 254, 64)
    head[372] = 4  # 16 groups together
    image[1024:2048] = head
    for group in range(GROUPS):
        table = BLOCK_BYTES + group * 64
        struct.pack_into("<I", image, table + 8, group // FLEX * FLEX * PER_GROUP + 40 + group % FLEX)
        if group in (1, 3, 5, 7, 9, 25, 27, 49, 81, 125):
            at = group * PER_GROUP * BLOCK_BYTES
            image[at : at + 1024] = head
    return bytes(image)


def _xfs() -> bytes:
    image, per_group = bytearray(SIZE), 1111
    for group in range(SIZE // BLOCK_BYTES // per_group):
        at = group * per_group * BLOCK_BYTES
        struct.pack_into(">4sI", image, at, b"XFSB", BLOCK_BYTES)
        image[at + 32 : at + 48] = UUID
        struct.pack_into(">II", image, at + 84, per_group, SIZE // BLOCK_BYTES // per_group)
    return bytes(image)


def _striped(content: bytes, slots: int) -> list[bytes]:
    chunks = [content[at : at + CHUNK] for at in range(0, len(content), CHUNK)]
    return [b"".join(chunks[slot::slots]) for slot in range(slots)]


def _with_parity(content: bytes, slots: int) -> list[bytes]:
    """Return raid6's members; nobody looks at what is in place of parity here."""
    rule, members = parity_layout(Level.RAID6, None), [bytearray() for _ in range(slots)]
    width = slots - 2
    for stripe in range(len(content) // CHUNK // width):
        row = [b"\xaa" * CHUNK] * slots
        for index in range(width):
            at = (stripe * width + index) * CHUNK
            row[int(rule.data_member(slots, stripe, index))] = content[at : at + CHUNK]
        for slot, chunk in enumerate(row):
            members[slot] += chunk
    return [bytes(one) for one in members]


def _told(shape: StripeShape, members: Sequence[bytes | None]) -> Compared:
    def read(slot: int, byte: int) -> bytes | None:
        member = members[slot]
        return None if member is None else member[byte : byte + BLOCK_BYTES]

    return compare_content(shape, read)


@pytest.mark.parametrize("content", [_ext4(), _xfs()], ids=["ext4", "xfs"])
def test_only_the_right_order_of_stripes_reads_as_its_file_system(content: bytes) -> None:
    members, shape = _striped(content, 3), StripeShape(Level.RAID0, 3, 0, CHUNK)
    proofs = {
        order: _told(shape, [members[slot] for slot in order]).proof(range(3)) for order in permutations(range(3))
    }
    assert [order for order, proof in proofs.items() if proof is Proof.AGREES] == [(0, 1, 2)]
    right = _told(shape, members)
    assert right.told == right.agreed
    assert right.tells_order({0, 1, 2})


@pytest.mark.parametrize("content", [_ext4(), _xfs()], ids=["ext4", "xfs"])
def test_a_raid6_that_lacks_two_is_told_by_its_file_system(content: bytes) -> None:
    members, shape = _with_parity(content, 5), StripeShape(Level.RAID6, 5, len(content) // 3, CHUNK)
    here: list[bytes | None] = [members[0], members[1], None, members[3], None]
    right = _told(shape, here)
    assert right.told == right.agreed > 3
    exchanged = _told(shape, [members[3], members[1], None, members[0], None])
    assert exchanged.agreed < exchanged.told


def test_what_has_no_known_beginning_or_no_fixed_places_isnt_told() -> None:
    assert not _told(StripeShape(Level.RAID0, 2, 0, CHUNK), [bytes(SIZE), bytes(SIZE)]).told
    assert not _told(StripeShape(Level.RAID1, 2, SIZE), [_xfs(), _xfs()]).told
    luks = b"LUKS\xba\xbe".ljust(SIZE, b"\0")
    told = _told(StripeShape(Level.RAID0, 2, 0, CHUNK), _striped(luks, 2))
    assert (told.told, told.by_content) == (0, "LUKS")
    assert kind_of(b"\0" * BLOCK_BYTES, (b"\0" * 64 + b"_BHRfS_M").ljust(BLOCK_BYTES, b"\0")) == "btrfs"


def test_data_offsets_are_those_of_each_version_of_mdadm() -> None:
    """Of a disk of 12 TB: 4.1 and later, 3.3 to 4.0, 3.1.2, and before; the last two posted to linux-raid."""
    large, small = Member("a", 512 * 23_437_766_656), Member("b", 1024**3)
    found = offsets_of(MdArray(Level.RAID6, (large,) * 7, chunk_kib=512), [large])
    assert found.known[0] == 264192 // 2
    assert {262144 // 2, 2048 // 2, 8192 // 2, 272 // 2, 16 // 2} <= set(found.known)
    assert len(found.searched) == len(set(found.searched)) <= 512
    assert offsets_of(MdArray(Level.RAID5, (small,) * 4, chunk_kib=512), [small]).known[:1] == (4096 // 2,)
    assert offsets_of(MdArray(Level.RAID5, (small,) * 4, data_offset_kib=8), [small]).known == ()
    assert offsets_of(MdArray(Level.RAID5, (small,) * 4, metadata=Metadata.V1_0), [small]).searched == ()
    heads = ("1024 xfs 0a", "132096 ext4 0b", "7 xfs 0c", "2048 xfs 0a", "4096 ext4 0d")
    assert found.ranked(heads) == {132096: "ext4", 1024: "xfs", 4096: "ext4"}


def test_a_copy_of_ext4s_head_is_no_beginning() -> None:
    head = bytearray(_ext4()[:BLOCK_BYTES])
    assert head_of(1024, bytes(head), b"") == f"1024 ext4 {UUID.hex()}"
    struct.pack_into("<H", head, 1024 + 90, 1)
    assert head_of(1024, bytes(head), b"") == ""


_EDGES = st.sampled_from([b"\0", b"\1", b"\xff", b"\x20"]).flatmap(lambda byte: st.integers(1, 40).map(byte.__mul__))
_HEADS = {"ext4": (1080, b"\x53\xef"), "xfs": (0, b"XFSB"), "btrfs": (64, b"_BHRfS_M")}


@given(kind=st.sampled_from(sorted(_HEADS)), parts=st.lists(st.tuples(st.integers(0, 1500), _EDGES | st.binary())))
def test_whatever_a_head_says_few_places_are_looked_at(kind: str, parts: list[tuple[int, bytes]]) -> None:
    """Root reads them of disks that anybody may have written."""
    head = bytearray(BLOCK_BYTES)
    for at, some in parts:
        head[at : at + len(some)] = some
    at, magic = _HEADS[kind]
    head[at : at + len(magic)] = magic
    marks = landmarks(b"" if kind == "btrfs" else bytes(head), bytes(head))
    assert len(marks) <= 64
    for mark in marks:
        assert mark.byte < 2**60
        mark.holds(bytes(BLOCK_BYTES))


@pytest.mark.parametrize("per_group", [1, 8, 2**32 - 1])
@pytest.mark.parametrize(("features", "size"), [(0, 0), (0x80, 64), (0x80, 63), (0x80, 65535)])
def test_an_ext4_of_any_number_of_groups_is_read_at_once(per_group: int, features: int, size: int) -> None:
    head = bytearray(BLOCK_BYTES)
    struct.pack_into("<I12xI", head, 1028, 2**32 - 1, 0)
    struct.pack_into("<I", head, 1056, per_group)
    head[1080:1082] = b"\x53\xef"
    struct.pack_into("<I", head, 1120, features)
    struct.pack_into("<H", head, 1278, size)
    for is_sparse in (0, 1):
        struct.pack_into("<I", head, 1124, is_sparse)
        marks = landmarks(bytes(head), bytes(BLOCK_BYTES))
        assert len(marks) <= 64
        for mark in marks:
            mark.holds(bytes(BLOCK_BYTES))


@pytest.mark.parametrize(("level", "slots"), [("raid5", 1), ("raid6", 2), ("raid4", 1), ("raid0", 0)])
def test_an_array_without_room_for_data_is_none(level: str, slots: int) -> None:
    shape = {"level": level, "slots": slots, "component_kib": 1024, "chunk_kib": 64, "begins_kib": 1024}
    with pytest.raises(InputError, match="can't be compared"):
        read_question(["a"], shape, ())


def test_where_nothing_was_compared_no_order_is_told() -> None:
    assert not Compared().tells_order({0, 1})
