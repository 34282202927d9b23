"""The table of examined disks: who agrees with whom, and in what the others differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.md.assembly import assemblies
from raidwright.core.md.member_superblock import MemberSuperblock


class Standing(StrEnum):
    """A disk's place among the examined ones. The values are part of ``raidwright array rescue --json``."""

    AGREES = "agrees"
    BEHIND = "behind"
    REBUILDING = "rebuilding"
    SPARE = "spare"
    JOURNAL = "journal"
    OTHER_ARRAY = "other-array"
    NO_SUPERBLOCK = "no-superblock"


@dataclass(frozen=True, slots=True)
class ExaminedDisk:
    """An examined disk's row in the table. ``behind`` is the number of events that it lacks of the newest member.

    ``differs`` names the fields in which it differs from the newest member of its array: ``data-offset``, ``size``,
    ``chunk``, ``level``, ``layout``, ``slots``. ``same_slot`` are the other disks that say that they are its slot.
    ``own`` are the names of what a disk without a superblock holds; ``is_zero``: it is zero where members hold data.
    """

    disk: str
    standing: Standing
    superblock: MemberSuperblock | None
    behind: int = 0
    differs: tuple[str, ...] = ()
    same_slot: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    is_zero: bool = False


def main_array(found: Mapping[str, MemberSuperblock | None]) -> str:
    """Return the UUID of the array with the most members; of several the one written to last."""
    superblocks = [one for one in found.values() if one]
    counts: dict[str, tuple[int, int]] = {}
    for one in superblocks:
        count, updated_s = counts.get(one.uuid, (0, 0))
        counts[one.uuid] = count + 1, max(updated_s, one.updated_s)
    return max(counts, key=lambda uuid: (*counts[uuid], uuid), default="")


def table_of(
    found: Mapping[str, MemberSuperblock | None],
    uuid: str,
    own: Mapping[str, tuple[str, ...]],
    zero: Collection[str],
) -> Iterator[ExaminedDisk]:
    """Yield the rows of the disks ``found``, in their order; ``uuid`` is the array that is meant.

    ``own`` and ``zero`` as in ``Case``.
    """
    kept = {disk: one for disk, one in found.items() if one and one.uuid == uuid}
    states = dict(assemblies(kept)[0].members) if kept else {}
    newest = newest_of(kept) if kept else None
    for disk, one in found.items():
        if one is None:
            yield ExaminedDisk(disk, Standing.NO_SUPERBLOCK, None, own=own.get(disk, ()), is_zero=disk in zero)
        elif newest is None or one.uuid != uuid:
            yield ExaminedDisk(disk, Standing.OTHER_ARRAY, one)
        else:
            twins = tuple(
                other for other, its in kept.items() if other != disk and its.slot == one.slot and one.slot is not None
            )
            behind = newest.events - one.events
            yield ExaminedDisk(disk, Standing(states[disk]), one, behind, tuple(_differences(one, newest)), twins)


def newest_of(kept: Mapping[str, MemberSuperblock]) -> MemberSuperblock:
    """Return the superblock that decides: the one with the most events."""
    return max(kept.values(), key=lambda one: (one.events, one.updated_s))


def _differences(one: MemberSuperblock, newest: MemberSuperblock) -> Iterator[str]:
    fields = {
        "level": "level",
        "layout": "layout",
        "slots": "slots",
        "chunk": "chunk_sectors",
        "size": "component_sectors",
        "data-offset": "data_offset_sectors",
    }
    for name, field in fields.items():
        if getattr(one, field) != getattr(newest, field):
            yield name
