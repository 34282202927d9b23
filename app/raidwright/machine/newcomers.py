"""Candidates among a machine's disks for joining an array, and the reasons against the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidwright.core.messages import say
from raidwright.core.model.disk import Disk, UseKind
from raidwright.core.protocol.facts import CameBack

from .values import Array, Former, Snapshot

_IN_USE = {
    UseKind.SYSTEM: say("the system runs from it"),
    UseKind.MOUNTED: say("it is mounted at {detail}"),
    UseKind.SWAP: say("it is swap space"),
    UseKind.HELD: say("{detail} uses it"),
    UseKind.ARRAY_MEMBER: say("it is in the array “{detail}”"),
    UseKind.READ_ONLY: say("it is read-only"),
    UseKind.NAMELESS: say("no name is its alone, so it could be confused with another"),
}


@dataclass(frozen=True, slots=True)
class JoiningDisk:
    """A disk that can join (``why_not`` is "") or can't. ``former``: it was a member of this very array."""

    disk: Disk
    why_not: str = ""
    former: Former | None = None

    @property
    def catches_up(self) -> bool:
        """True if md knows from its bitmap which regions the disk missed, so that only those are resynced."""
        return self.former is not None and self.former.way is CameBack.CAUGHT_UP


def newcomers(snapshot: Snapshot, array: Array) -> tuple[JoiningDisk, ...]:
    """Return every disk that isn't in ``array``: members that catch up, empty disks, others, those that can't join."""
    return tuple(sorted(_all(snapshot, array), key=_order))


def _all(snapshot: Snapshot, array: Array) -> Iterator[JoiningDisk]:
    inside = {member.disk or member.id for member in array.members}
    former = {one.member.id: one for one in array.former}
    for disk in snapshot.disks:
        if disk.id not in inside:
            yield JoiningDisk(disk, _why_not(disk, array), former.get(disk.id))


def _order(one: JoiningDisk) -> tuple[bool, bool, bool, bool]:
    return bool(one.why_not), not one.catches_up, one.former is not None, not one.disk.is_free


def _why_not(disk: Disk, array: Array) -> str:
    for use in disk.uses:
        if use.kind in _IN_USE:
            return say(_IN_USE[use.kind], detail=use.detail)
    facts = array.facts
    if facts is None:
        return ""  # the helper checks before anything is written
    if disk.size_bytes < facts.least_member_bytes:
        return say("too small by {size_bytes:size}", size_bytes=facts.least_member_bytes - disk.size_bytes)
    if (disk.logical_sector_bytes or 0) > facts.logical_sector_bytes:
        return say(
            "its sectors of {sector_bytes} bytes are larger than the array's", sector_bytes=disk.logical_sector_bytes
        )
    return ""
