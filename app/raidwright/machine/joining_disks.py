"""Candidates among a machine's disks for joining an array, and the reasons against the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidwright.core.lvm.joined import MIB, disk_bytes_for
from raidwright.core.messages import say
from raidwright.core.model.disk import Disk, UseKind
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import CameBack

from .states.volume import State, Volume
from .values import Array, Former, Snapshot

_IN_USE = {
    UseKind.SYSTEM: say("the system runs from it"),
    UseKind.MOUNTED: say("it is mounted at {detail}"),
    UseKind.SWAP: say("it is swap space"),
    UseKind.HELD: say("{detail} uses it"),
    UseKind.LOOP: say("the loop device {detail} uses it"),
    UseKind.LOG: say("the file system at {detail} has its log on it"),
    UseKind.EXPORT: say("{detail} exports it to other machines"),
    UseKind.PROCESS: say("{detail} has it open for writing"),
    UseKind.ARRAY_MEMBER: say("it is in the array “{detail}”"),
    UseKind.READ_ONLY: say("it is read-only"),
    UseKind.NAMELESS: say("no name is its alone, so it could be confused with another"),
}


@dataclass(frozen=True, slots=True)
class JoiningDisk:
    """A disk that can join (``why_not`` is "") or can't. ``former``: it was a member of this very array.

    ``goes_on``: it is in some arrays of a joined volume, as after an interruption.
    """

    disk: Disk
    why_not: str = ""
    former: Former | None = None
    goes_on: bool = False

    @property
    def catches_up(self) -> bool:
        """True if md knows from its bitmap which regions the disk missed, so that only those are resynced."""
        return self.former is not None and self.former.way is CameBack.CAUGHT_UP


def newcomers(snapshot: Snapshot, array: State, leaver: Member | None = None) -> tuple[JoiningDisk, ...]:
    """Return every disk that isn't in ``array``: members that catch up, empty disks, others, those that can't join.

    ``leaver`` is the member that will be replaced, if one is chosen.
    """
    return tuple(sorted(_all(snapshot, array, leaver), key=_order))


def least_disk_bytes(array: State, leaver: Member | None = None) -> int:
    """Return the size of the smallest disk that can take the lost one's place, or that of ``leaver``; 0 if unknown."""
    if isinstance(array, Volume):
        return disk_bytes_for(sum(map(_slice_bytes, _lacking(array, leaver))))
    return array.facts.least_member_bytes if array.facts else 0


def _lacking(volume: Volume, leaver: Member | None = None) -> tuple[Array, ...]:
    """Return the arrays of a joined volume that lack a slice, or are to lose that of ``leaver``."""
    return tuple(
        band
        for band in volume.bands
        if any(not _is_coming_to(band, lack.slot) for lack in band.lacks)
        or (leaver and any(one.failure_unit == leaver.id for one in band.members))
    )


def _is_coming_to(array: Array, slot: int) -> bool:
    """Return whether md rebuilds the slot onto a disk."""
    return any(place.is_coming and place.slot == slot for place in array.places)


def _slice_bytes(band: Array) -> int:
    sizes = [place.member.size_bytes for place in band.places if place.works and place.member]
    return -(-min(sizes, default=0) // MIB) * MIB


def _all(snapshot: Snapshot, array: State, leaver: Member | None) -> Iterator[JoiningDisk]:
    inside = {member.failure_unit for one in array.arrays for member in one.members}
    former = {one.member.id: one for one in array.former}
    for disk in snapshot.disks:
        if disk.id not in inside:
            yield JoiningDisk(disk, _why_not(disk, array, leaver), former.get(disk.id))
        elif isinstance(array, Volume) and _goes_on(disk, array):
            yield JoiningDisk(disk, goes_on=True)


def _goes_on(disk: Disk, volume: Volume) -> bool:
    """Return whether a disk is in some arrays of a joined volume, and has the space for the rest that it lacks."""
    lacking = _lacking(volume)
    own = [member for band in volume.bands for member in band.members if member.failure_unit == disk.id]
    has_part = any(one.failure_unit == disk.id for band in lacking for one in band.members)
    needed = sum(member.size_bytes for member in own) + sum(map(_slice_bytes, lacking))
    return bool(lacking) and not has_part and disk.size_bytes >= disk_bytes_for(needed)


def _order(one: JoiningDisk) -> tuple[bool, bool, bool, bool]:
    return bool(one.why_not), not (one.catches_up or one.goes_on), one.former is not None, not one.disk.is_free


def _why_not(disk: Disk, array: State, leaver: Member | None) -> str:
    for use in disk.uses:
        if use.kind in _IN_USE:
            return say(_IN_USE[use.kind], detail=use.detail)
    least_bytes = least_disk_bytes(array, leaver)  # 0: the helper checks before anything is written
    if disk.size_bytes < least_bytes:
        return say("too small by {size_bytes:size}", size_bytes=least_bytes - disk.size_bytes)
    sectors = [one.facts.logical_sector_bytes for one in array.arrays if one.facts]
    if sectors and (disk.logical_sector_bytes or 0) > min(sectors):
        return say(
            "its sectors of {sector_bytes} bytes are larger than the array's", sector_bytes=disk.logical_sector_bytes
        )
    return ""
