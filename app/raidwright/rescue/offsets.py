"""Data offsets that mdadm may have chosen, where nothing tells which: by version, and those that a person may name.

mdadm chooses by the size of the first disk. Sources: mdadm ``super1.c`` (``validate_geometry1``, since 3.3; rounded up
since 4.1, down before), 3.2.5 (128 MiB), 3.1.2 (1 MiB), and before that the bitmap's room after the superblock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raidwright.core.md.superblock import LOCKLESS_BYTES, PPL_SECTORS, bitmap_reserve, default_data_offset
from raidwright.core.model.plan import MdArray, Member, Metadata

_MIB = 2048  # sectors
_BEFORE_3_3 = (128 * _MIB, 4 * _MIB, _MIB, 272, 144, 24, 16)
_NAMED_MIB = 256  # whole MiB up to here may have been named by --data-offset


@dataclass(frozen=True, slots=True)
class Offsets:
    """Data offsets in KiB: those of mdadm's versions, the newest first, and all at which a beginning is looked for."""

    known: tuple[int, ...]
    searched: tuple[int, ...]

    def ranked(self, heads: Iterable[str]) -> dict[int, str]:
        """Return what begins at these places, by KiB, those of mdadm's versions first; ``heads`` are "KIB KIND UUID".

        Of one file system only the first place counts: XFS has copies of its head all over itself.
        """
        first: dict[str, int] = {}
        for kib, _, kind in sorted((head.partition(" ") for head in heads), key=lambda one: int(one[0])):
            first.setdefault(kind, int(kib))
        found = {kib: kind.partition(" ")[0] for kind, kib in first.items()}
        return {kib: found[kib] for kib in self.searched if kib in found}


def offsets_of(array: MdArray, disks: Sequence[Member]) -> Offsets:
    """Return the offsets of an array of these disks with metadata 1.1 or 1.2; none where they are told, or fixed."""
    is_told = array.data_offset_kib and "data_offset_kib" not in array.unknown
    if is_told or array.metadata not in (Metadata.V1_1, Metadata.V1_2):
        return Offsets((), ())
    sizes = dict.fromkeys(disk.sectors for disk in disks)
    chunk_kib = array.effective_chunk_kib
    rounded_up = [
        default_data_offset(array.metadata, size, chunk_kib, reserve)
        for size in sizes
        for reserve in (bitmap_reserve(size), LOCKLESS_BYTES // 512, PPL_SECTORS)
    ]
    rounded_down = [max(_MIB, one - _MIB) for one in rounded_up]
    of_others = [2 * array.data_offset_kib] if array.data_offset_kib else []
    known = tuple(dict.fromkeys(one // 2 for one in (*of_others, *rounded_up, *rounded_down, *_BEFORE_3_3)))
    named = (mib * 1024 for mib in range(1, _NAMED_MIB + 1))
    return Offsets(known, tuple(dict.fromkeys((*known, *named))))
