"""Landmarks: places in an array of which its content says what lies there, where parity and copies can't tell.

A file system keeps its superblock's UUID in copies all over itself, and ext4 in one table where its groups' inodes lie.
Read through an order of disks, they are there if that order is right, and elsewhere if not. So they tell of raid0, and
of raid5 and raid6 that lack as many members as there is parity. Sources: kernel ``fs/ext4/ext4.h`` (``struct
ext4_super_block``, ``ext4_group_desc``; sparse_super: 1 and powers of 3, 5, 7), ``fs/xfs/libxfs/xfs_format.h``
(``struct xfs_dsb``: a copy in each allocation group), ``fs/btrfs/disk-io.h`` (``btrfs_sb_offset``).
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from raidwright.core.md.layouts import Level
from raidwright.core.md.parity import parity_layout

from .stripes import BLOCK_BYTES, Compared, StripeShape

HEADS = (0, 65536)  # bytes of the two blocks that say what begins there
_MAX_LANDMARKS = 64
_MAX_BYTE = 2**60  # more has no disk, and no offset of a file
_EXT_SIZES = frozenset(2**power for power in range(6, 11))  # of a group's descriptor, where its size is told
_MAX_XFS_GROUPS = 2**16
_EXT, _EXT_MAGIC, _EXT_SPARSE, _EXT_64BIT, _EXT_META_BG = 1024, 0xEF53, 0x1, 0x80, 0x10
_EXT_GROUP = _EXT + 90  # the group that a copy is of
_UUIDS = {"ext4": _EXT + 104, "xfs": 32, "LUKS": 168}
_BTRFS_COPIES = (64 * 2**20, 256 * 2**30)
_KINDS = (  # by their place in a block: byte, and what is there
    ("ext4", _EXT + 56, b"\x53\xef"),
    ("xfs", 0, b"XFSB"),
    ("LUKS", 0, b"LUKS\xba\xbe"),
    ("LVM", 0, b"LABELONE"),
    ("LVM", 512, b"LABELONE"),
    ("GPT", 512, b"EFI PART"),
    ("swap", 4086, b"SWAPSPACE2"),
)
_BTRFS_AT, _BTRFS_MAGIC = 64, b"_BHRfS_M"  # in the second block
Block = Callable[[int, int], bytes | None]  # of a slot, by its byte from where the data begin; None without a disk


@dataclass(frozen=True, slots=True)
class Landmark:
    """A byte of the array, and what its block must have there: ``expected``, or a block's number within ``within``."""

    byte: int
    expected: bytes = b""
    within: tuple[int, int] | None = None

    def holds(self, block: bytes) -> bool:
        """Return whether the block with that byte has it."""
        at = self.byte % BLOCK_BYTES
        if self.within is None:
            return block[at : at + len(self.expected)] == self.expected
        (number,) = struct.unpack_from("<I", block, at)
        return bool(self.within[0] <= number < self.within[1])


def kind_of(first: bytes, second: bytes) -> str:
    """Return what begins with the blocks of ``HEADS``; "" if nothing that is known here, or a copy of ext4's head."""
    if second[_BTRFS_AT : _BTRFS_AT + len(_BTRFS_MAGIC)] == _BTRFS_MAGIC:
        return "btrfs"
    kind = next((kind for kind, at, magic in _KINDS if first[at : at + len(magic)] == magic), "")
    return "" if kind == "ext4" and any(first[_EXT_GROUP : _EXT_GROUP + 2]) else kind


def head_of(kib: int, first: bytes, second: bytes) -> str:
    """Return the place and what begins there as "KIB KIND UUID"; "" if nothing that is known does."""
    kind = kind_of(first, second)
    uuid = (second[32:48] if kind == "btrfs" else first[_UUIDS[kind] :][:16] if kind in _UUIDS else b"").hex()
    return f"{kib} {kind} {uuid}" if kind else ""


def landmarks(first: bytes, second: bytes) -> tuple[Landmark, ...]:
    """Return the landmarks of the file system that begins with the blocks of ``HEADS``, spread over it."""
    reader = _READERS.get(kind_of(first, second))
    found = [mark for mark in reader(first, second) if mark.byte < _MAX_BYTE] if reader else []
    step = max(1, len(found) // _MAX_LANDMARKS)
    return tuple(found[::step][:_MAX_LANDMARKS])


def place_of(shape: StripeShape, byte: int) -> tuple[int, int]:
    """Return the slot with a byte of the array, and its byte there; of copies the first."""
    if shape.level in (Level.RAID1, Level.LINEAR):
        return 0, byte
    chunk, within = divmod(byte, shape.chunk_bytes)
    if shape.level is Level.RAID10:
        return shape.places(byte // BLOCK_BYTES)[0][0], shape.places(byte // BLOCK_BYTES)[0][1] + byte % BLOCK_BYTES
    stripe, index = divmod(chunk, shape.slots - shape.level.parity_disks)
    slot = index
    if shape.level.parity_disks:
        slot = int(parity_layout(shape.level, shape.layout).data_member(shape.slots, stripe, index))
    return slot, stripe * shape.chunk_bytes + within


def compare_content(shape: StripeShape, read: Block) -> Compared:
    """Return the landmarks that were looked at as stripes: ``told`` of members that are here, ``agreed`` as expected.

    Without a head that is known and has landmarks nothing is told. An unreadable block isn't counted.
    """
    if shape.level in (Level.RAID1, Level.LINEAR) or not shape.chunk_bytes:  # all is everywhere, or nowhere fixed
        return Compared()
    heads = [_block(shape, read, byte) or b"" for byte in HEADS]
    marks, parts, agreed = landmarks(heads[0], heads[1]), Counter[int](), 0
    if not marks:
        return Compared(by_content=kind_of(heads[0], heads[1]))
    parts[place_of(shape, HEADS[0])[0]] += 1
    for mark in marks:
        if (block := _block(shape, read, mark.byte)) is not None:
            slot = place_of(shape, mark.byte)[0]
            holds = mark.holds(block)
            agreed += holds
            parts[slot] += 1
    told = sum(parts.values())
    of_slot = tuple(parts[slot] for slot in range(shape.slots))
    return Compared(told, told, agreed + 1, of_slot, by_content=kind_of(heads[0], heads[1]))


def _block(shape: StripeShape, read: Block, byte: int) -> bytes | None:
    slot, at = place_of(shape, byte // BLOCK_BYTES * BLOCK_BYTES)
    try:
        block = read(slot, at)
    except OSError:
        return None
    return block if block is not None and len(block) == BLOCK_BYTES else None


def _of_ext(first: bytes, _second: bytes) -> Iterator[Landmark]:
    low, first_block, log = struct.unpack_from("<I12xI", first, _EXT + 4) + struct.unpack_from("<I", first, _EXT + 24)
    (per_group,) = struct.unpack_from("<I", first, _EXT + 32)
    incompatible, compatible_ro = struct.unpack_from("<II", first, _EXT + 96)
    uuid, block_bytes = first[_EXT + 104 : _EXT + 120], 1024 << log
    if log > 6 or not per_group or not low:
        return
    groups = -(-(low - first_block) // per_group)
    for group in _with_copies(groups, is_sparse=bool(compatible_ro & _EXT_SPARSE)):
        yield Landmark((group * per_group + first_block) * block_bytes + 104, uuid)
    if incompatible & _EXT_META_BG:
        return
    size = struct.unpack_from("<H", first, _EXT + 254)[0] if incompatible & _EXT_64BIT else 32
    if size != 32 and size not in _EXT_SIZES:
        return
    flex = 1 << min(first[_EXT + 372], 16)
    table, a_block = (first_block + 1) * block_bytes, BLOCK_BYTES // size
    for group in range(1, groups, a_block * max(1, groups // a_block // _MAX_LANDMARKS)):
        begins = group // flex * flex * per_group
        yield Landmark(table + group * size + 8, within=(max(1, begins), begins + flex * per_group))


def _with_copies(groups: int, *, is_sparse: bool) -> Iterator[int]:
    """Yield groups with a copy: all of the sparse ones, else some; the count is what a disk says, so any number."""
    if is_sparse:
        powers = {base**power for base in (3, 5, 7) for power in range(groups.bit_length())}
        yield from sorted(group for group in powers if group < groups)
    else:
        yield from range(1, groups, max(1, groups // _MAX_LANDMARKS))


def _of_xfs(first: bytes, _second: bytes) -> Iterator[Landmark]:
    (block_bytes,), (per_group, groups) = struct.unpack_from(">I", first, 4), struct.unpack_from(">II", first, 84)
    if 512 <= block_bytes <= 65536:
        for group in range(1, min(groups, _MAX_XFS_GROUPS)):
            yield Landmark(group * per_group * block_bytes + 32, first[32:48])


def _of_btrfs(_first: bytes, second: bytes) -> Iterator[Landmark]:
    (total_bytes,) = struct.unpack_from("<Q", second, 112)
    for byte in _BTRFS_COPIES:
        if byte + BLOCK_BYTES <= total_bytes:
            yield Landmark(byte + 32, second[32:48])


_READERS = {"ext4": _of_ext, "xfs": _of_xfs, "btrfs": _of_btrfs}
