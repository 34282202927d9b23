"""Plan of a running array from sysfs alone, and the running state that a change must heed.

Sources: kernel ``Documentation/admin-guide/md.rst``. The array's name and its disks' by-id names aren't needed for the
search of a way: members have their kernel names, except those of ``known``.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from raidwright.core.errors import DiskRefused, RaidwrightError
from raidwright.core.md.changes.commands import BACKUP_FOLDER
from raidwright.core.md.changes.values import FormerMember
from raidwright.core.md.layouts import Level, layout_name
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Metadata
from raidwright.core.protocol.facts import ChangeGround
from raidwright.core.system.array_lines import shape_words

from . import md, members
from .array_entries import entries_of
from .arrays import PinnedArray
from .content import content_of
from .host import Host
from .mdadm_files import conf_paths
from .superblocks import formers_of, history_beside, superblock_of
from .system_files import lenient_text

_BY_ID = "disk/by-id/"
_BUSY = {"idle", "frozen", ""}


def plan_now(host: Host, found: PinnedArray, known: Mapping[int, Member]) -> MdArray:
    """Return the plan of the array as it is; ``known`` are disks by device number that keep their own names.

    Raises DiskRefused for an array that no plan describes.
    """
    return plan_of_number(host, found.array.number, found.label, known)


def plan_of_number(host: Host, number: int, label: str, known: Mapping[int, Member]) -> MdArray:
    """Return ``plan_now`` of the array with this number, which is called ``label``, without opening it."""
    level, metadata = host.attribute(number, "md/level"), host.attribute(number, "md/metadata_version")
    slots = _number(host, number, "raid_disks")
    if level not in set(Level) or metadata not in set(Metadata) or not slots:
        raise DiskRefused("{array} is no array that Raidwright can change.", code="array-kind", array=label)
    places = list(members.places(host, number))
    by_slot = {
        place.slot: place
        for place in places
        if place.slot is not None and not place.flags & {"faulty", "replacement"}  # a copy isn't the member yet
    }
    spares = [place for place in places if place.slot is None and not place.flags & {"faulty", "journal"}]
    offsets = {_number(host, number, f"dev-{host.kernel_name(place.number)}/offset") for place in by_slot.values()}
    journal = next((place for place in places if "journal" in place.flags), None)
    policy = host.attribute(number, "md/consistency_policy")
    return MdArray(
        level=Level(level),
        members=tuple(_member(host, by_slot[slot].number, known) if slot in by_slot else None for slot in range(slots)),
        layout=layout_name(level, _number(host, number, "layout")) or None,
        chunk_kib=_number(host, number, "chunk_size") // 1024 or None,
        metadata=Metadata(metadata),
        bitmap=Bitmap.INTERNAL if policy == Consistency.BITMAP else Bitmap.NONE,
        component_size_kib=_number(host, number, "component_size") or None,
        data_offset_kib=max(offsets, default=0) // 2 or None if metadata in (Metadata.V1_1, Metadata.V1_2) else None,
        consistency=Consistency.PPL if policy == Consistency.PPL else None,
        journal=_member(host, journal.number, known) if journal else None,
        spares=tuple(_member(host, place.number, known) for place in spares),
    )


def _member(host: Host, number: int, known: Mapping[int, Member]) -> Member:
    return known.get(number) or Member(host.kernel_name(number), host.size_bytes(number))


def _number(host: Host, array: int, attribute: str) -> int:
    text = host.attribute(array, f"md/{attribute}").partition(" ")[0]  # "4 (3)" during a reshape
    return int(text) if text.isdecimal() else 0


async def ground_of(host: Host, found: PinnedArray, *, claims: bool = False) -> ChangeGround:
    """Return the array's running state; its content is read, so disks in standby wake. Raises JobFailed.

    ``claims`` as for ``content_of``: before a deed.
    """
    number = found.array.number
    content = await content_of(host, found.device, claims=claims)
    action = host.attribute(number, "md/sync_action")
    position = host.attribute(number, "md/reshape_position")
    return ChangeGround(
        kind=content.kind,
        mounted_at=content.mounted_at,
        mdadm=str(await md.mdadm_version()),
        missing=members.missing(host, number) if host.attribute(number, "md/level") in _WITH_SLOTS else 0,
        used_sectors=content.used_sectors,
        size_sectors=host.size_bytes(number) // 512,
        busy="" if action in _BUSY else action,
        reshapes=position not in ("", "none"),
        shares_backup=shares_backup(host, number),
        start_sectors=content.start_sectors,
        log_room_sectors=_log_room_sectors(host, number),
        conf_words=tuple(dict.fromkeys([word async for word in _conf_words(host, number)])),
        former=tuple([one.line() async for one in formers(host, found)]),
    )


async def formers(host: Host, found: PinnedArray) -> AsyncIterator[FormerMember]:
    """Yield each device that carries the array's superblock and isn't in it."""
    number, uuid = found.array.number, found.array.uuid
    for former in formers_of(host, uuid, number):
        with contextlib.suppress(DiskRefused):  # it was unplugged a moment ago
            superblock = superblock_of(host, former)
            if superblock is not None and superblock.uuid == uuid:
                history = await history_beside(host, number, superblock)
                is_freed = history is not None and not history.has_own_data
                yield FormerMember(host.node(former), superblock.slot if is_freed else None, _ids(host, former))


def _ids(host: Host, number: int) -> tuple[str, ...]:
    links = host.udev(number).links
    return tuple(sorted(link.removeprefix(_BY_ID) for link in links if link.startswith(_BY_ID)))


async def _conf_words(host: Host, array: int) -> AsyncIterator[str]:
    """Yield the words of mdadm's files that name the array's shape."""
    if (host.block_dir(array) / "md").exists():
        entry = [one async for one in entries_of(host, array)][-1]
        for path in conf_paths(host.root):
            for word in shape_words(lenient_text(host.root / path.lstrip("/")), entry):
                yield word


def _log_room_sectors(host: Host, array: int) -> int | None:
    """Return the least room on a member for a partial parity log."""
    with contextlib.suppress(DiskRefused):  # it was unplugged a moment ago
        found = [superblock_of(host, place.number) for place in members.places(host, array) if place.slot is not None]
        return min((one.log_room_sectors for one in found if one), default=None)
    return None


_WITH_SLOTS = {level for level in Level if level.is_redundant}


def shares_backup(host: Host, number: int) -> bool:
    """Return whether the folder of backup files lies on the array, or on one of its disks."""
    folder = host.root / BACKUP_FOLDER.lstrip("/")
    for place in (folder, *folder.parents):
        try:
            device = place.stat().st_dev
        except OSError:
            continue
        try:
            return not host.leaves(number).isdisjoint(host.leaves(device)) if _is_block(host, device) else False
        except (OSError, RaidwrightError):
            return False
    return False


def _is_block(host: Host, device: int) -> bool:
    return Path(host.block_dir(device)).exists()
