"""The table of examined disks: who agrees with whom, and in what the others differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.md.assembly import assemblies
from raidwright.core.md.histories import History, history
from raidwright.core.md.member_superblock import MemberSuperblock, newest_superblock


class Standing(StrEnum):
    """A disk's place among the examined ones. The values are part of ``raidwright array rescue --json``."""

    AGREES = "agrees"
    BEHIND = "behind"
    PARTED = "parted"  # written to on its own, apart from those that agree
    COPY = "copy"  # it says that it is a member that runs: a copy of that, or replaced by it
    REBUILDING = "rebuilding"
    SPARE = "spare"
    JOURNAL = "journal"
    OTHER_ARRAY = "other-array"
    NO_SUPERBLOCK = "no-superblock"


_OUTSIDE = {
    History.PARTED: Standing.PARTED,
    History.AHEAD: Standing.PARTED,
    History.BEHIND: Standing.BEHIND,
    History.REBUILDING: Standing.REBUILDING,
    History.NO_DATA: Standing.SPARE,
}


@dataclass(frozen=True, slots=True)
class ExaminedDisk:
    """An examined disk's row in the table. ``behind`` is the number of events that it lacks of the newest member.

    Of members that have parted the newest is that of the half written to last, and nobody lacks anything of it.

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
    running: Collection[str] = (),
) -> Iterator[ExaminedDisk]:
    """Yield the rows of the disks ``found``, in their order; ``uuid`` is the array that is meant.

    ``own``, ``zero`` and ``running`` as in ``Case``.
    """
    kept = {disk: one for disk, one in found.items() if one and one.uuid == uuid}
    standings = _beside_running(kept, running) if running else _apart(kept)
    deciding = {disk: kept[disk] for disk in running if disk in kept}
    deciding = deciding or {disk: kept[disk] for disk in kept if standings[disk] is not Standing.PARTED}
    newest = newest_of(deciding) if deciding else None
    for disk, one in found.items():
        if one is None:
            yield ExaminedDisk(disk, Standing.NO_SUPERBLOCK, None, own=own.get(disk, ()), is_zero=disk in zero)
        elif newest is None or one.uuid != uuid:
            yield ExaminedDisk(disk, Standing.OTHER_ARRAY, one)
        else:
            twins = tuple(
                other for other, its in kept.items() if other != disk and its.slot == one.slot and one.slot is not None
            )
            behind = 0 if standings[disk] is Standing.PARTED else newest.events - one.events
            yield ExaminedDisk(disk, standings[disk], one, behind, tuple(_differences(one, newest)), twins)


def _apart(kept: Mapping[str, MemberSuperblock]) -> Mapping[str, Standing]:
    """Return the standings of a stopped array's members."""
    states = assemblies(kept)[0].members if kept else ()
    return {disk: Standing(state) for disk, state in states}


def _beside_running(kept: Mapping[str, MemberSuperblock], running: Collection[str]) -> Mapping[str, Standing]:
    """Return the standings of a running array's members, and those of others beside them."""
    inside = {disk: one for disk, one in kept.items() if disk in running}
    taken = {one.slot for one in inside.values()} - {None}
    standings = dict(_apart(inside))
    for disk, one in kept.items():
        found = history(one, inside.values())
        if disk not in inside:
            standings[disk] = _OUTSIDE.get(found, Standing.COPY if one.slot in taken else Standing.AGREES)
    return standings


def newest_of(kept: Mapping[str, MemberSuperblock]) -> MemberSuperblock:
    """Return the superblock that decides: the one with the most events."""
    return newest_superblock(kept.values())


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
