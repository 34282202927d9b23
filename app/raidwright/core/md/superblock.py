"""Superblock position of each metadata format, and the space for data that the format leaves on a device.

All in sectors of 512 bytes. Sources: mdadm ``super1.c`` (``choose_bm_space``, ``validate_geometry1``,
``write_init_super1``, ``avail_size1``, ``add_internal_bitmap1``), ``super0.c`` (``validate_geometry0``,
``init_super0``); the same in 4.1 to 4.6.
"""

from __future__ import annotations

from raidwright.core.model.plan import Metadata

MAX_MEMBERS = {Metadata.V0_90: 27, Metadata.V1_0: 1920, Metadata.V1_1: 1920, Metadata.V1_2: 1920}
SUPERBLOCK_AT = {Metadata.V1_1: 0, Metadata.V1_2: 8}  # from the start; the other formats have it at the end
PPL_SECTORS = 2048
BAD_BLOCK_LOG_SECTORS = 8
LOCKLESS_BYTES = 128 * 1024  # reserved by mdadm 4.6 for a lockless bitmap, whatever the size
_V0_90_RESERVED = 128
_MIB = 2048
_GIB = 2**21
_LARGEST_HEADROOM = 128 * _MIB
_OWN_BITMAP_CHUNK_KIB = 64 * 1024


def bitmap_reserve(device_sectors: int) -> int:
    """Return the sectors that mdadm reserves for a bitmap on a device of this size, with or without a bitmap."""
    if device_sectors < 128:
        return 0
    if device_sectors - 128 >= 200 * _GIB:
        return 256
    return 128 if device_sectors - 8 > 8 * _GIB else 8


def bitmap_bytes(covered_sectors: int, component_sectors: int, chunk_kib: int | None = None) -> int:
    """Return an internal bitmap's size: its superblock and a bit per chunk (mdadm's default: 64 MiB or more).

    ``covered_sectors`` is the component, for raid10 the array (``Create.c``).
    """
    chunk_kib = chunk_kib or own_bitmap_chunk_kib(covered_sectors, component_sectors)
    return (covered_sectors // (2 * chunk_kib) + 1 + 7) // 8 + 256


def own_bitmap_chunk_kib(covered_sectors: int, component_sectors: int) -> int:
    """Return mdadm's default chunk of an internal bitmap in KiB: 64 MiB, or more if the bits wouldn't fit."""
    return max(_OWN_BITMAP_CHUNK_KIB, least_bitmap_chunk_kib(covered_sectors, component_sectors))


def least_bitmap_chunk_kib(covered_sectors: int, component_sectors: int, metadata: Metadata = Metadata.V1_2) -> int:
    """Return the smallest chunk in KiB whose bits fit; into 60 KiB with 0.90 (``super0.c add_internal_bitmap0``)."""
    room_bytes = 60 * 1024 if metadata is Metadata.V0_90 else bitmap_reserve(component_sectors) * 512 - 256
    room_bits, chunk_kib = room_bytes * 8, 4
    while room_bits > 0 and covered_sectors // (2 * chunk_kib) + 1 > room_bits:
        chunk_kib *= 2
    return chunk_kib


def superblock_at(metadata: Metadata, device_sectors: int) -> int:
    """Return the superblock's first sector."""
    if metadata is Metadata.V0_90:
        return device_sectors // 128 * 128 - _V0_90_RESERVED
    return SUPERBLOCK_AT.get(metadata, (device_sectors - 16) // 8 * 8)


def default_data_offset(metadata: Metadata, device_sectors: int, chunk_kib: int, reserve: int) -> int:
    """Return the data offset that mdadm chooses from the first real device; ``chunk_kib`` 0 is no chunk.

    Headroom for a later reshape is 128 MiB, less on a small device: about a thousandth, but at least two chunks.
    """
    if metadata not in SUPERBLOCK_AT:
        return 0
    headroom = _LARGEST_HEADROOM
    while headroom * 1024 > device_sectors and (not chunk_kib or headroom // 2 >= chunk_kib * 4):
        headroom //= 2
    return -(-(24 + reserve + headroom) // _MIB) * _MIB


def least_data_offset(metadata: Metadata, slots: int) -> int:
    """Return the smallest data offset with which the kernel starts an array of ``slots`` members and spares.

    ``md.c super_1_load``: the data must not begin within the superblock.
    """
    if metadata not in SUPERBLOCK_AT:
        return 0
    return SUPERBLOCK_AT[metadata] + -(-(256 + 2 * slots) // 512)


def usable_sectors(metadata: Metadata, device_sectors: int, data_offset: int, reserve: int) -> int:
    """Return a device's sectors available for a component; negative if not even the metadata fits.

    1.0 ignores ``data_offset``, as mdadm does.
    """
    match metadata:
        case Metadata.V0_90:
            return superblock_at(metadata, device_sectors)
        case Metadata.V1_0:
            return device_sectors // 8 * 8 - (16 + BAD_BLOCK_LOG_SECTORS + reserve)
        case _:
            return device_sectors - data_offset


def unstriped_sectors(metadata: Metadata, device_sectors: int, data_offset: int, size_sectors: int) -> int:
    """Return the sectors used by raid0 and linear, which have no component size; ``size_sectors``: ``--size`` or 0."""
    if metadata is Metadata.V1_0:
        kept = bitmap_reserve(size_sectors) + BAD_BLOCK_LOG_SECTORS
        return max(superblock_at(metadata, device_sectors) - kept, size_sectors)
    return usable_sectors(metadata, device_sectors, data_offset, 0)


def least_device(metadata: Metadata, component_sectors: int, data_offset: int, bitmap: int) -> int:
    """Return the smallest device that can join an array, with ``bitmap`` sectors of bitmap or PPL (``avail_size1``)."""
    match metadata:
        case Metadata.V0_90:
            return -(-component_sectors // 128) * 128 + _V0_90_RESERVED
        case Metadata.V1_0:
            return -(-component_sectors // 8) * 8 + 16 + BAD_BLOCK_LOG_SECTORS + bitmap
        case _:
            return data_offset + component_sectors
