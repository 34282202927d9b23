"""md's superblock on a member, parsed from its bytes: the array, the slot, and the last update.

Sources: kernel ``include/uapi/linux/raid/md_p.h`` (``mdp_superblock_1``, ``mdp_super_t``), ``md.c`` (``super_1_load``,
``super_90_load``: what the kernel refuses), ``md-bitmap.h`` (``bitmap_super_t``); mdadm ``super0.c``, ``super1.c``.
Numbers are little-endian, but in 0.90 the host's; only little-endian hosts are supported.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from raidwright.core.json_fields import printable
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Metadata

from .layouts import Level
from .superblock import superblock_at

SUPERBLOCK_BYTES = 4096  # the whole of 0.90; 256 bytes and 2 a device of 1.x, which Linux limits to one page
BITMAP_HEAD_BYTES = 8
_MAGIC = 0xA92B4EFC
_BITMAP_MAGIC = 0x6D746962
_LOCKLESS_BITMAP = 6  # version of its superblock (BITMAP_MAJOR_LOCKLESS)
_SPARE, _JOURNAL = 0xFFFF, 0xFFFD  # roles; from the journal's on they have no slot (0xFFFE: faulty)
_ROLES_AT = 256
_CHECKSUM_1_AT = 216
_MAX_ROLES = (SUPERBLOCK_BYTES - _ROLES_AT) // 2
_SECONDS = 2**40 - 1  # of a 1.x time; microseconds are above
_CLEAN = 2**64 - 1
_LEVELS = {-1: Level.LINEAR, 0: Level.RAID0, 1: Level.RAID1, 4: Level.RAID4, 5: Level.RAID5, 6: Level.RAID6}
_LEVELS[10] = Level.RAID10

# Words of 0.90, and bits of a device's state in it
_WORDS = struct.Struct("<1024I")
_DISK_AT, _DISK_WORDS, _DISKS_0, _THIS_AT = 128, 32, 27, 992
_CHECKSUM_0_AT = 38
_DISK_FAULTY, _DISK_ACTIVE, _DISK_SYNC = 1, 2, 4
_RESHAPES_0 = 91  # the minor version within a reshape

# Bits of a 1.x superblock's feature map
HAS_BITMAP = 1
RECOVERING = 2  # the member's recovery is incomplete
RESHAPES = 4
HAS_BAD_BLOCKS = 8
REPLACES = 16  # the member is the replacement of another
MOVES_DATA = 64  # a reshape moves the data offset
RECOVERS_BY_BITMAP = 128  # the member's recovery is of what the bitmap says that it missed
CLUSTERED = 256
HAS_JOURNAL = 512
HAS_PPL = 1024
HAS_MANY_PPLS = 2048
RAID0_LAYOUT = 4096


@dataclass(frozen=True, slots=True)
class MemberSuperblock:
    """One member's superblock. ``slot`` is None for a spare, a journal and a failed member.

    ``slots`` is their number; within a reshape to fewer it is the old one, since all of them still hold data. ``name``
    and ``homehost`` are "" where the superblock has none (0.90 has neither). ``level`` is a Level, or md's number as
    text for any other. ``working`` are the slots with a working member according to this superblock; the one with the
    highest ``events`` is authoritative. ``updated_s`` is Unix time, ``feature_map`` the bits of 1.x (0 in 0.90), and
    ``logical_block_bytes`` 0 in arrays made before Linux 6.19. ``component_sectors`` is the part of each member that
    the array uses (0 in raid0 and linear of 1.x), ``data_sectors`` what the member has for data; 0.90 has neither that
    nor ``device_uuid``, the member's own. ``log_room_sectors`` is where mdadm may put a partial parity log
    (``super1.c``, update "ppl"); 0.90 can't have one. ``bad_blocks_byte`` is where a list of bad blocks with entries
    begins (0 without entries), ``bad_blocks_bytes`` its room, ``bad_blocks_shift`` the shift of its sectors.

    ``number`` is the member's own number in the array and ``roles`` the slot of each number according to this
    superblock, -1 for none: of a slot that changed hands, they tell which disk is meant. Both are unknown (-1, empty)
    from an older helper.
    """

    uuid: str
    metadata: str
    level: str
    slots: int
    events: int
    updated_s: int
    created_s: int = 0
    name: str = ""
    homehost: str = ""
    slot: int | None = None
    working: tuple[int, ...] = ()
    layout: int = 0
    is_clean: bool = True
    is_journal: bool = False
    feature_map: int = 0
    logical_block_bytes: int = 0
    bitmap_byte: int = 0
    is_lockless: bool = False
    device_uuid: str = ""
    data_offset_sectors: int = 0
    component_sectors: int = 0
    data_sectors: int = 0
    chunk_sectors: int = 0
    log_room_sectors: int = 0
    number: int = -1
    roles: tuple[int, ...] = ()
    bad_blocks_byte: int = 0
    bad_blocks_bytes: int = 0
    bad_blocks_shift: int = 0

    @property
    def label(self) -> str:
        """The array's name, or its UUID if it has none."""
        return self.name or self.uuid


def is_misread(level: str, feature_map: int) -> bool:
    """True if md reads the array wrongly while it is read-only: a raid10 within a reshape that moves its data.

    What has been moved is looked for at its old place as long as the reshape doesn't run (kernel ``raid10.c
    choose_data_offset``; Linux 6.1).
    """
    return level == Level.RAID10 and bool(feature_map & RESHAPES) and bool(feature_map & MOVES_DATA)


def goes_on_at_start(level: str, feature_map: int) -> bool:
    """True if mdadm goes on with a reshape as soon as it starts the array, also read-only: one of stripes in place.

    What was being moved is in a backup then, which mdadm itself puts back and goes on with (mdadm ``super1.c``,
    RESHAPE_NO_BACKUP; ``Assemble.c start_array``; ``Grow.c Grow_continue``). Tried with mdadm 4.2.
    """
    has_stripes = level in (Level.RAID4, Level.RAID5, Level.RAID6)
    return has_stripes and bool(feature_map & RESHAPES) and not feature_map & MOVES_DATA


def waits_at_start(level: str, feature_map: int) -> bool:
    """True unless md, or the helper, goes on with the array's unfinished reshape as soon as it is started."""
    return not (is_misread(level, feature_map) or goes_on_at_start(level, feature_map))


def has_moved_in_part(level: str, feature_map: int) -> bool:
    """True if an array of stripes is within a reshape: until md goes on with that, not all of it can be read.

    A read at the place where the reshape stopped never ends, or crashes the kernel (``known.RESHAPE_READS_HANG``).
    """
    return level in (Level.RAID4, Level.RAID5, Level.RAID6) and bool(feature_map & RESHAPES)


def newest_superblock(found: Iterable[MemberSuperblock]) -> MemberSuperblock:
    """Return the superblock that decides: the one with the most events, and of equal ones that which misses most slots.

    A start by force raises a stale member's events to the newest's (mdadm ``Assemble.c``), and the seconds of both may
    be the same: only what they say of each other tells then which of them had failed.
    """
    return max(found, key=lambda one: (one.events, one.updated_s, -len(one.working)))


def lacks_raid0_layout(members: Collection[MemberSuperblock]) -> bool:
    """True for a raid0 of unlike members whose superblocks don't say how its zones after the first are laid out.

    Linux 3.14 has laid them out otherwise than those before; since 5.4 it starts none without being told (``raid0.c``,
    ``create_strip_zones``). A zone of a single member is the same in both. 0.90 has no place for it.
    """
    if not members or any(one.level != Level.RAID0 or one.feature_map & RAID0_LAYOUT for one in members):
        return False
    sizes = sorted(_raid0_sectors(one) for one in members)
    return sum(size > sizes[0] for size in sizes) > 1


def raid0_layouts_agree(members: Collection[MemberSuperblock]) -> bool:
    """True if both layouts of a raid0 put each chunk in the same place, by the sizes of its members.

    A zone's first chunk is on its first member in one; in the other, by its number in the array (``raid0.c``,
    ``map_sector``).
    """
    chunk_sectors = max(one.chunk_sectors for one in members)
    chunks = sorted(_raid0_sectors(one) // chunk_sectors for one in members) if chunk_sectors else [0]
    zones = {chunks.index(size): size for size in chunks}  # by how many members are smaller
    begins = below = 0
    for smaller, size in zones.items():
        if begins % (len(chunks) - smaller):
            return False
        begins += (size - below) * (len(chunks) - smaller)
        below = size
    return True


def _raid0_sectors(member: MemberSuperblock) -> int:
    sectors = member.data_sectors or member.component_sectors
    return sectors // member.chunk_sectors * member.chunk_sectors if member.chunk_sectors else sectors


def superblock_bytes_at(metadata: Metadata, device_bytes: int) -> int:
    """Return the superblock's byte offset on a device of ``device_bytes``; negative if the device is too small."""
    return 512 * superblock_at(metadata, device_bytes // 512)


def parse_superblock(metadata: Metadata, block: bytes, device_bytes: int) -> MemberSuperblock | None:
    """Parse the ``block`` at ``superblock_bytes_at``; None for what the kernel wouldn't accept as such a superblock."""
    if len(block) < SUPERBLOCK_BYTES:
        return None
    if metadata is Metadata.V0_90:
        return _parse_0(_WORDS.unpack_from(block))
    return _parse_1(metadata, block, superblock_bytes_at(metadata, device_bytes))


def with_bitmap(found: MemberSuperblock, head: bytes) -> MemberSuperblock:
    """Return ``found`` with ``is_lockless`` set from the bitmap's first bytes, at ``bitmap_byte``."""
    if len(head) < BITMAP_HEAD_BYTES:
        return found
    magic, version = struct.unpack_from("<II", head)
    return replace(found, is_lockless=(magic, version) == (_BITMAP_MAGIC, _LOCKLESS_BITMAP))


def _parse_1(metadata: Metadata, block: bytes, begins_at: int) -> MemberSuperblock | None:
    def u32(at: int) -> int:
        return int.from_bytes(block[at : at + 4], "little")

    def i32(at: int) -> int:
        return int.from_bytes(block[at : at + 4], "little", signed=True)

    def u64(at: int) -> int:
        return int.from_bytes(block[at : at + 8], "little")

    devices = u32(220)
    if (u32(0), u32(4), 512 * u64(144)) != (_MAGIC, 1, begins_at) or devices > _MAX_ROLES:
        return None
    if u32(_CHECKSUM_1_AT) != _checksum_1(block, devices):
        return None
    roles = struct.unpack_from(f"<{devices}H", block, _ROLES_AT)
    number, features = u32(160), u32(8)
    bad_blocks_shift, bad_blocks_sectors, bad_blocks_at = struct.unpack_from("<BHi", block, 185)
    role = roles[number] if number < devices else _SPARE
    homehost, _, name = block[32:64].split(b"\0", 1)[0].decode("utf-8", "replace").rpartition(":")
    return MemberSuperblock(
        uuid=array_uuid(block[16:32].hex()),
        metadata=str(metadata),
        level=_level(i32(72)),
        slots=_most_slots(u32(92), i32(112) if features & RESHAPES else 0),
        events=u64(200),
        updated_s=u64(192) & _SECONDS,
        created_s=u64(64) & _SECONDS,
        name=printable(name),
        homehost=printable(homehost),
        slot=role if role < _JOURNAL else None,
        working=tuple(sorted({one for one in roles if one < _JOURNAL})),
        layout=i32(76),
        is_clean=u64(208) == _CLEAN,
        is_journal=role == _JOURNAL,
        feature_map=features,
        logical_block_bytes=u32(224),
        bitmap_byte=max(0, begins_at + 512 * i32(96)) if features & HAS_BITMAP else 0,
        device_uuid=array_uuid(block[168:184].hex()),
        data_offset_sectors=u64(128),
        component_sectors=u64(80),
        data_sectors=u64(136),
        chunk_sectors=u32(88),
        bad_blocks_byte=begins_at + 512 * bad_blocks_at if features & HAS_BAD_BLOCKS else 0,
        bad_blocks_bytes=512 * bad_blocks_sectors,
        bad_blocks_shift=bad_blocks_shift,
        log_room_sectors=_log_room_sectors(begins_at // 512, u64(128), u64(136), bad_blocks_at),
        number=number,
        roles=_slots_by_number(role if role < _JOURNAL else -1 for role in roles),
    )


def _slots_by_number(slots: Iterable[int]) -> tuple[int, ...]:
    """Return the ``slots`` up to the last that isn't -1."""
    found = list(slots)
    while found and found[-1] < 0:
        found.pop()
    return tuple(found)


def _log_room_sectors(begins_at: int, data_at: int, data_sectors: int, bad_blocks_at: int) -> int:
    """Return the room from the superblock's own 4 KiB, or before it from the data, to the bad-block log or the end."""
    if begins_at >= data_at:
        return begins_at - data_at - data_sectors + bad_blocks_at
    return (bad_blocks_at or data_at - begins_at) - 8


def _parse_0(words: tuple[int, ...]) -> MemberSuperblock | None:
    if words[:2] != (_MAGIC, 0) or words[2] not in (90, _RESHAPES_0) or words[_CHECKSUM_0_AT] != _checksum_0(words):
        return None
    disks = [words[at : at + 5] for at in range(_DISK_AT, _DISK_AT + _DISKS_0 * _DISK_WORDS, _DISK_WORDS)]
    number, _, _, slot, state = words[_THIS_AT : _THIS_AT + 5]
    return MemberSuperblock(
        uuid=array_uuid("".join(f"{words[at]:08x}" for at in (5, 13, 14, 15))),
        metadata=Metadata.V0_90.value,
        level=_level(_signed(words[7])),
        slots=_most_slots(words[10], _signed(words[47]) if words[2] == _RESHAPES_0 else 0),
        events=words[39] | words[40] << 32,
        updated_s=words[32],
        created_s=words[6],
        slot=slot if _is_working(state) else None,
        working=tuple(sorted({one[3] for one in disks if _is_working(one[4])})),
        layout=words[64],
        is_clean=bool(words[33] & 1),
        feature_map=RESHAPES if words[2] == _RESHAPES_0 else 0,
        component_sectors=2 * words[8],
        chunk_sectors=words[65] // 512,
        number=number,
        roles=_slots_by_number(one[3] if _is_working(one[4]) else -1 for one in disks),
    )


def _most_slots(slots: int, more: int) -> int:
    """Return the number before or after a reshape by ``more`` (negative to fewer), whichever is larger."""
    return max(slots, slots - more)


def _signed(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word


def _is_working(state: int) -> bool:
    return bool(state & _DISK_ACTIVE and state & _DISK_SYNC) and not state & _DISK_FAULTY


def _level(number: int) -> str:
    return _LEVELS.get(number) or str(number)


def _checksum_1(block: bytes, devices: int) -> int:
    """``calc_sb_1_csum``: a sum of words plus its carries, with zero in place of the checksum itself."""
    size = _ROLES_AT + 2 * devices
    counted = block[:_CHECKSUM_1_AT] + bytes(4) + block[_CHECKSUM_1_AT + 4 : size]
    total: int = sum(struct.unpack_from(f"<{size // 4}I", counted))
    if size % 4:
        total += int.from_bytes(counted[-2:], "little")
    return (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF


def _checksum_0(words: tuple[int, ...]) -> int:
    """``calc_sb_csum``, likewise."""
    total = sum(words) - words[_CHECKSUM_0_AT]
    return (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF
