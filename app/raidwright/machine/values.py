"""What the window knows of a machine: frozen values, made at the door of the bus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import ArrayFacts, CameBack


@dataclass(frozen=True, slots=True)
class Place:
    """A device in an array. ``slot`` is None for a spare, a journal, and a failed one; ``states`` are md's words.

    ``member`` is the disk as a plan would name it (None for what is none, as an array inside of another), ``link``
    the port that it hangs on ("" where nobody could be asked).
    """

    slot: int | None
    device: str
    states: tuple[str, ...]
    member: Member | None = None
    link: str = ""

    @property
    def works(self) -> bool:
        """Whether all that the array needs of its slot is there."""
        return self.slot is not None and "in_sync" in self.states and not self.has_failed

    @property
    def has_failed(self) -> bool:
        """Whether md uses it no more."""
        return "faulty" in self.states

    @property
    def is_coming(self) -> bool:
        """Whether md writes onto it what its slot held."""
        return self.slot is not None and not self.works and not self.has_failed and "journal" not in self.states

    @property
    def is_spare(self) -> bool:
        """Whether it stands by."""
        return self.slot is None and not self.has_failed and "journal" not in self.states


@dataclass(frozen=True, slots=True)
class LastSeen:
    """A member as it was last seen working in its slot: which disk, on which link, and when (Unix time)."""

    member: Member
    link: str
    seen_s: int


@dataclass(frozen=True, slots=True)
class Lack:
    """A slot without a working member, and who was last seen in it, if anybody was (``roll``).

    ``is_here``: that disk is plugged in.
    """

    slot: int
    last: LastSeen | None = None
    is_here: bool = False


@dataclass(frozen=True, slots=True)
class Former:
    """A disk that carries the array's superblock and isn't in it.

    What the superblock says (``slot``, ``updated_s`` in Unix time, ``way`` how md would take it back) is None where
    nobody could be asked. ``way``: caught up, or rebuilt.
    """

    member: Member
    device: str
    slot: int | None = None
    updated_s: int | None = None
    way: CameBack | None = None


class Named(NamedTuple):
    """An array as whoever wants something of it means it: by its UUID and its name, which must belong together."""

    uuid: str
    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """An md array as UDisks2 tells it. ``sync_fraction`` is 0 … 1, ``sync_bytes_per_s`` 0 where unknown.

    ``mounted_at`` is where its file system is mounted, "" while it isn't.

    ``members``: those of ``member_devices`` that are disks or slices of them, as a plan would name them.
    ``facts`` are the helper's, None where there is none to ask.
    """

    uuid: str
    name: str
    level: str
    device: str
    size_bytes: int
    chunk_kib: int
    running: bool
    degraded: int
    member_devices: tuple[str, ...] = ()
    sync_action: str = "idle"
    sync_fraction: float = 0.0
    sync_bytes_per_s: int = 0
    sync_seconds_left: int = 0
    members: tuple[Member, ...] = ()
    mounted_at: str = ""
    slots: int = 0
    places: tuple[Place, ...] = ()
    lacks: tuple[Lack, ...] = ()
    former: tuple[Former, ...] = ()
    facts: ArrayFacts | None = None

    @property
    def named(self) -> Named:
        """By UUID and name."""
        return Named(self.uuid, self.name)

    @property
    def working(self) -> frozenset[int]:
        """The slots that have a working member."""
        return frozenset(place.slot for place in self.places if place.works and place.slot is not None)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A machine at one moment. ``problem`` is a sentence while it can't be seen ("" when all is well)."""

    disks: tuple[Disk, ...] = ()
    arrays: tuple[Array, ...] = ()
    problem: str = ""


def with_inner(snapshot: Snapshot, uuid: str) -> frozenset[str]:
    """The UUIDs of that array, and of those that it is made of."""
    inner = (one.uuid for array in snapshot.arrays if array.uuid == uuid for one in _inner(array, snapshot))
    return frozenset((uuid, *inner))


def leaves(array: Array, snapshot: Snapshot) -> tuple[Member, ...]:
    """The disks of ``array``, and those of the arrays that it is made of."""
    return tuple(member for one in (array, *_inner(array, snapshot)) for member in one.members)


def _inner(array: Array, snapshot: Snapshot) -> Iterator[Array]:
    for one in snapshot.arrays:
        if one.device and one.device in array.member_devices:
            yield from (one, *_inner(one, snapshot))
