"""Frozen values for a machine's state, made where the bus's data are read."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from raidwright.core.md.assembly import Assembly, AssemblyState, linux_version
from raidwright.core.md.histories import Branch, History
from raidwright.core.md.layouts import Level
from raidwright.core.md.needs import lacks_linear
from raidwright.core.md.running_state import WAITING, Hold
from raidwright.core.md.sync import IDLE
from raidwright.core.model.disk import Disk, UseKind
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import ArrayFacts, CameBack, HostFacts
from raidwright.core.system.layers import Layer, layer_of_line

from .running import hold_in


@dataclass(frozen=True, slots=True)
class ArrayDevice:
    """A device in an array. ``slot`` is None for a spare, a journal, and a failed device; ``states`` are md's words.

    ``member`` is the disk as a plan names it (None for anything else, such as an inner array), ``link`` its port and
    ``path`` its place ("" if unknown).
    """

    slot: int | None
    device: str
    states: tuple[str, ...]
    member: Member | None = None
    link: str = ""
    path: str = ""

    @property
    def works(self) -> bool:
        """True if the device is in_sync in its slot and not faulty."""
        return self.slot is not None and "in_sync" in self.states and not self.has_failed

    @property
    def has_failed(self) -> bool:
        """True if md has marked the device faulty."""
        return "faulty" in self.states

    @property
    def is_coming(self) -> bool:
        """True while md rebuilds onto the device."""
        return self.slot is not None and not self.works and not self.has_failed and "journal" not in self.states

    @property
    def is_spare(self) -> bool:
        """True for a spare."""
        return self.slot is None and not self.has_failed and "journal" not in self.states


@dataclass(frozen=True, slots=True)
class LastSeen:
    """A member as last seen working in its slot: the disk, its link and place, and the time (Unix time)."""

    member: Member
    link: str
    seen_s: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class Lack:
    """A slot without a working member, and the member last seen in it, if any (``roll``).

    ``is_here``: that disk is plugged in.
    """

    slot: int
    last: LastSeen | None = None
    is_here: bool = False


@dataclass(frozen=True, slots=True)
class Former:
    """A disk that carries the array's superblock and isn't in it.

    The superblock's data (``slot``, ``updated_s`` in Unix time, ``way`` how md would re-add it: caught up, or rebuilt;
    ``history`` beside the array's) are None if unknown.
    """

    member: Member
    device: str
    slot: int | None = None
    updated_s: int | None = None
    way: CameBack | None = None
    history: History | None = None

    @property
    def has_own_data(self) -> bool:
        """True if it was written to without the array, so that it may hold what the array lacks."""
        return self.history is not None and self.history.has_own_data


@dataclass(frozen=True, slots=True)
class JoinedVolume:
    """LVM's volume over the arrays of a joined volume, as UDisks2 shows it. ``mounted_at`` as an array's.

    ``device`` is "" while it isn't active; whether it is one volume over several arrays isn't known then.
    """

    name: str
    device: str
    size_bytes: int
    mounted_at: str = ""


class Named(NamedTuple):
    """An array as the target of a request: its UUID and its name, which must belong together."""

    uuid: str
    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """An md array as reported by UDisks2. ``sync_fraction`` is 0 … 1, ``sync_bytes_per_s`` 0 if unknown.

    ``mounted_at`` is where its file system is mounted, "" while it isn't.

    ``members``: those of ``member_devices`` that are disks or slices of them, as a plan would name them.
    ``facts`` are the helper's, None where there is none to ask; ``assembly`` is what its members' superblocks make of
    it, None where they weren't read. ``link`` is the link below /dev/md, "" where there is none. ``make`` is mdadm's
    word for metadata that isn't md's own, ``imsm`` or ``ddf``; "" for md's. ``homehost`` is the computer in the
    superblock's name, "" where it has none. ``host`` is the machine that it is on, None where the helper didn't tell.
    ``volume`` is the joined volume that it is an array of, None if it is of none.
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
    places: tuple[ArrayDevice, ...] = ()
    lacks: tuple[Lack, ...] = ()
    former: tuple[Former, ...] = ()
    facts: ArrayFacts | None = None
    assembly: Assembly | None = None
    make: str = ""
    homehost: str = ""
    host: HostFacts | None = None
    volume: JoinedVolume | None = None
    link: str = ""

    @property
    def node(self) -> str:
        """The path for a command: its link below /dev/md, or its device, as of one whose superblock has no name."""
        return self.link or self.device

    @property
    def named(self) -> Named:
        """UUID and name."""
        return Named(self.uuid, self.name)

    @property
    def word(self) -> str:
        """What it is, in a word: md's level."""
        return self.level

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The arrays that keep its data: itself."""
        return (self,)

    @property
    def state(self) -> str:
        """The state in a word, which is part of ``raidwright array list --json``.

        ``running``, ``degraded`` or ``failed``; of a stopped array ``inactive`` if md has it half assembled,
        ``unreadable`` if it needs a later kernel or mdadm than the machine's, else an AssemblyState. If no superblocks
        were read, the number of members decides between ``stopped`` and ``short``.
        """
        if self.running:
            has_failed = self.facts is not None and self.facts.has_failed
            return "failed" if has_failed else "degraded" if self.degraded or self.lacks else "running"
        if self.device:
            return "inactive"
        if self.is_container:
            return str(AssemblyState.UNKNOWN)
        if self.is_unreadable:
            return "unreadable"
        if self.assembly is not None:
            return str(self.assembly.state)
        return str(AssemblyState.STOPPED if 0 < self.slots <= self.members_here else AssemblyState.SHORT)

    @property
    def made_by(self) -> tuple[int, int] | None:
        """The least Linux that its superblocks show to have made it; None where they weren't read."""
        return linux_version(self.assembly.starts_on.linux) if self.assembly is not None else None

    @property
    def is_foreign(self) -> bool:
        """True if its superblocks name another computer than this as its home."""
        return self.host is not None and not self.make and not self.host.is_home(self.homehost)

    @property
    def is_delayed(self) -> bool:
        """True while md's work on it waits for that on another array of the same disks; progress speaks against it."""
        is_told = self.facts is not None and self.facts.delayed
        return is_told and self.sync_action not in IDLE and not self.sync_fraction

    @property
    def has_open_slots(self) -> bool:
        """True for a mirror of two disks or more that only lacks slots in which no disk was ever seen from here.

        Makers of NAS create the arrays of their system so, with a slot for each bay: [4/2] or [32/4] is whole there.
        """
        is_lost = any(lack.last is not None for lack in self.lacks) or bool(self.former)
        is_moving = any(place.has_failed or place.is_coming or place.is_spare for place in self.places)
        is_seen_lost = is_lost or is_moving or bool(self.facts and self.facts.vanished)
        return self.level == Level.RAID1 and len(self.working) >= 2 and bool(self.lacks) and not is_seen_lost

    @property
    def hold(self) -> Hold | None:
        """The running array's hold."""
        return hold_in(self.facts) if self.running and self.facts is not None else None

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The devices on the running array: LVM's volumes, unlocked LUKS devices, partitions."""
        return tuple(map(layer_of_line, self.facts.layers)) if self.facts is not None else ()

    @property
    def waits(self) -> bool:
        """True if md goes on with a reshape, a rebuild or a resync only once the array may be written to."""
        return self.hold in WAITING

    @property
    def would_stay_stopped(self) -> bool:
        """True if md, after a stop or a restart, would start it only by force."""
        return self.running and self.facts is not None and self.facts.stays_stopped

    @property
    def is_misread(self) -> bool:
        """True if md shows wrong content until it goes on with a reshape (``core.md.member_superblock.is_misread``).

        udev's rule of the helper lets it go on at once (``60-raidwright-reshape.rules``).
        """
        return self.level == Level.RAID10 and bool(self.facts and self.facts.reshapes and self.facts.starts_at_write)

    @property
    def is_unreadable(self) -> bool:
        """True if the machine's kernel or mdadm doesn't start arrays of its level, or with its superblocks."""
        if self.running or self.host is None or self.assembly is None:
            return False
        if self.assembly.level == Level.LINEAR and lacks_linear(self.host.kernel):
            return True
        return not self.assembly.starts_on.is_met_by(self.host.kernel, self.host.mdadm)

    @property
    def can_start(self) -> bool:
        """True if the array is stopped, and all of its data are here."""
        return self.state in (AssemblyState.STOPPED, AssemblyState.DIRTY)

    @property
    def halves(self) -> tuple[Branch, ...]:
        """The halves of a stopped array whose members parted, the one written to last first."""
        return self.assembly.halves if self.assembly is not None and not self.running else ()

    @property
    def members_here(self) -> int:
        """The number of slots whose member is here.

        Of a running array md counts what is missing; UDisks2's list of members may be older, where disks were plugged
        in one after the other.
        """
        if self.running:
            return max(len(self.working), self.slots - self.degraded)
        return self.assembly.here if self.assembly else len(self.member_devices)

    @property
    def members_missing(self) -> int:
        """The number of slots whose member is missing."""
        return max(0, self.slots - self.members_here)

    @property
    def is_container(self) -> bool:
        """True for a container of external metadata, which holds volumes rather than data and has no slots."""
        return self.level == "container"

    def former_in(self, slot: int) -> Former | None:
        """Return the former member that says that it was in that slot; of several, as copies are, the latest."""
        found = [one for one in self.former if one.slot == slot]
        return max(found, key=lambda one: one.updated_s or 0, default=None)

    def takes_back(self, lack: Lack) -> bool:
        """Return whether the slot's former member is here and only needs what it missed."""
        former = self.former_in(lack.slot)
        return former is not None and former.way is CameBack.CAUGHT_UP and not former.has_own_data

    @property
    def working(self) -> frozenset[int]:
        """The slots with a working member.

        In a reshape to more slots md counts a device that isn't in_sync yet as well: the reshape itself fills it
        (kernel ``raid5_calc_degraded``). So it is the whole time that a RAID 0 grows.
        """
        fills = self.facts is not None and self.facts.reshapes and 0 < self.facts.slots_before < self.facts.slots
        works = (place for place in self.places if place.works or (fills and place.is_coming))
        return frozenset(place.slot for place in works if place.slot is not None)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A machine's state at one moment. ``problem`` is a sentence while it can't be read ("" if it can).

    The disks and arrays are as last seen then. ``helper_problem`` says why the helper can't be asked, "" if it can.
    ``host`` are its kernel and its mdadm, None where the helper didn't tell. ``is_reading`` until the helper has said
    what UDisks2 doesn't know, or can't. ``slices`` are the partitions of ``disks``, as a plan names them.
    """

    disks: tuple[Disk, ...] = ()
    arrays: tuple[Array, ...] = ()
    problem: str = ""
    host: HostFacts | None = None
    is_reading: bool = False
    helper_problem: str = ""
    slices: tuple[Member, ...] = ()


def members_of_arrays(snapshot: Snapshot) -> tuple[str, ...]:
    """The ids of all disks and partitions that carry md's superblock, each once."""
    inside = [member.id for array in snapshot.arrays for member in array.members]
    former = [one.member.id for array in snapshot.arrays for one in array.former]
    stale = [
        f"{disk.id}-part{use.partition}" if use.partition else disk.id
        for disk in snapshot.disks
        for use in disk.uses
        if use.kind in (UseKind.STOPPED_ARRAY_MEMBER, UseKind.STALE_ARRAY_MEMBER) and disk.by_id
    ]
    return tuple(dict.fromkeys((*inside, *former, *stale)))


def with_inner(snapshot: Snapshot, uuid: str) -> frozenset[str]:
    """Return the UUIDs of that array and of its inner arrays."""
    inner = (
        one.uuid
        for array in snapshot.arrays
        if array.uuid == uuid
        for one in inner_arrays(array.member_devices, snapshot)
    )
    return frozenset((uuid, *inner))


def inner_arrays(devices: Container[str], snapshot: Snapshot) -> Iterator[Array]:
    """Yield the arrays among ``devices``, each before those in it."""
    for one in snapshot.arrays:
        if one.device and one.device in devices:
            yield from (one, *inner_arrays(one.member_devices, snapshot))
