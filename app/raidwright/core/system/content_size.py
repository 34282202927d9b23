"""Size that an array's content claims, from the content's own superblock.

Sources: kernel ``fs/ext4/ext4.h`` (``struct ext4_super_block``), ``fs/xfs/libxfs/xfs_format.h`` (``struct xfs_dsb``),
``include/uapi/linux/btrfs_tree.h`` (``struct btrfs_super_block``), LVM2 ``lib/format_text/layout.h`` (``struct
label_header``, ``struct pv_header``).
"""

from __future__ import annotations

import struct

from raidwright.core.units import SECTOR_BYTES

HEAD_BYTES = 65536 + 4096  # as far as btrfs's superblock
_EXT, _EXT_MAGIC, _EXT_64BIT, _EXT_RECOVER = 1024, 0xEF53, 0x80, 0x4
_BTRFS, _BTRFS_MAGIC = 65536, b"_BHRfS_M"
_LABEL_SECTORS = 4
_MAX_BLOCK_LOG = 6  # 64 KiB blocks


def used_sectors(kind: str, head: bytes) -> int | None:
    """Return the sectors that content of ``kind`` (libblkid's) claims; None if its superblock isn't understood.

    ``head`` are the first HEAD_BYTES of the array.
    """
    if len(head) < HEAD_BYTES:
        return None
    if kind in ("ext4", "ext3", "ext2"):
        return _of_ext(head)
    reader = {"xfs": _of_xfs, "btrfs": _of_btrfs, "LVM2_member": _of_lvm}.get(kind)
    return reader(head) if reader else None


def has_open_journal(kind: str, head: bytes) -> bool:
    """Return whether the journal of an ext4 that isn't mounted may know of a size that its superblock doesn't."""
    if kind not in ("ext4", "ext3") or len(head) < HEAD_BYTES:
        return False
    return bool(struct.unpack_from("<I", head, _EXT + 96)[0] & _EXT_RECOVER)


def _of_ext(head: bytes) -> int | None:
    (magic,) = struct.unpack_from("<H", head, _EXT + 56)
    low, log = struct.unpack_from("<I", head, _EXT + 4)[0], struct.unpack_from("<I", head, _EXT + 24)[0]
    if magic != _EXT_MAGIC or log > _MAX_BLOCK_LOG:
        return None
    (features,) = struct.unpack_from("<I", head, _EXT + 96)
    high = struct.unpack_from("<I", head, _EXT + 336)[0] if features & _EXT_64BIT else 0
    return int((high << 32 | low) * (1024 << log) // SECTOR_BYTES)


def _of_xfs(head: bytes) -> int | None:
    magic, block_bytes, blocks = struct.unpack_from(">4sIQ", head)
    if magic != b"XFSB" or not 512 <= block_bytes <= 65536:
        return None
    return int(blocks * block_bytes // SECTOR_BYTES)


def _of_btrfs(head: bytes) -> int | None:
    """Return the sectors; None if it lies on several devices, whose bytes are added up there."""
    if head[_BTRFS + 64 : _BTRFS + 72] != _BTRFS_MAGIC:
        return None
    total_bytes, _, _, devices = struct.unpack_from("<QQQQ", head, _BTRFS + 112)
    return int(-(-total_bytes // SECTOR_BYTES)) if devices == 1 else None


def _of_lvm(head: bytes) -> int | None:
    header = _pv_header(head)
    return None if header is None else int(struct.unpack_from("<Q", header, 32)[0] // SECTOR_BYTES)


def lvm_start_sectors(head: bytes) -> int | None:
    """Return the sector of the first extent on LVM's physical volume with this ``head``; None if it is none."""
    header = _pv_header(head)
    return None if header is None else int(struct.unpack_from("<Q", header, 40)[0] // SECTOR_BYTES) or None


def lvm_uuid(head: bytes) -> str:
    """Return the UUID of LVM's physical volume with this ``head``, without dashes; "" if it is none."""
    header = _pv_header(head)
    return "" if header is None else header[:32].decode("ascii", "replace")


def lvm_areas(head: bytes) -> tuple[tuple[int, int], ...]:
    """Return the metadata areas of LVM's physical volume with this ``head``: first byte and bytes of each.

    The header has two lists of such pairs, each ended by zeros: of the data, then of the metadata.
    """
    header = _pv_header(head)
    if header is None:
        return ()
    pairs = list(struct.iter_unpack("<QQ", header[40 : 40 + (len(header) - 40) // 16 * 16]))
    ends = [place for place, pair in enumerate(pairs) if pair == (0, 0)]
    return tuple((start, size) for start, size in pairs[ends[0] + 1 : ends[1]]) if len(ends) > 1 else ()


def _pv_header(head: bytes) -> bytes | None:
    """Return the header of a physical volume: its UUID, its size, and the places of its data."""
    for sector in range(_LABEL_SECTORS):
        label = head[sector * SECTOR_BYTES : (sector + 1) * SECTOR_BYTES]
        if label.startswith(b"LABELONE") and label[24:32].startswith(b"LVM2"):
            (header,) = struct.unpack_from("<I", label, 20)
            if header + 56 <= SECTOR_BYTES:
                return label[header:]
    return None
