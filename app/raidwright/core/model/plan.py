"""The Plan: one frozen value from the first sketch to the measured array.

The window edits it, files store it, the helper receives it, runs refer to it. ``plan_json`` reads and
writes it; ``mdadm`` turns it into a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB, Copies, Level, default_layout, parse_copies
from raidwright.core.messages import say

from .assumed import ValidRange


class Metadata(StrEnum):
    """The superblock formats that mdadm creates."""

    V0_90 = "0.90"
    V1_0 = "1.0"
    V1_1 = "1.1"
    V1_2 = "1.2"


class Bitmap(StrEnum):
    """The write-intent bitmap; always explicit, since mdadm's default changed in 4.4."""

    NONE = "none"
    INTERNAL = "internal"
    LOCKLESS = "lockless"  # of Linux 6.18 and mdadm 4.6 (kernel md-llbitmap.c)


class Consistency(StrEnum):
    """Policy for consistency after an unclean shutdown (``mdadm --consistency-policy``)."""

    RESYNC = "resync"
    BITMAP = "bitmap"
    PPL = "ppl"
    JOURNAL = "journal"


FLAGS = ("write-mostly", "failfast")  # of members, in the order of ``Member.flags``
DISK_KINDS = ("hdd", "smr", "ssd", "nvme", "memory")  # values of ``Baseline.kind``
FLASH_KINDS = frozenset({"ssd", "nvme"})


@dataclass(frozen=True, slots=True)
class Baseline:
    """One disk's speed, measured or typical; None where unknown.

    Streams at its beginning; random access over all of it, at queue depth 1 and (``q32``) 32. ``flush_ms`` is the extra
    time of a flushed write. Members of one ``link`` share it (``Plan.links``). The shared bottleneck seen when several
    disks were measured at once, None if there was none: the throughput of ``link``, the throughput of the computer, and
    the computer's IOPS.
    """

    kind: str | None = None
    rpm: int | None = None
    sequential_read_mb_s: float | None = None
    sequential_write_mb_s: float | None = None
    random_read_4k_iops: float | None = None
    random_write_4k_iops: float | None = None
    random_read_4k_q32_iops: float | None = None
    random_write_4k_q32_iops: float | None = None
    random_read_64k_iops: float | None = None
    random_read_1m_iops: float | None = None
    random_write_1m_iops: float | None = None
    flush_ms: float | None = None
    link: str | None = None
    link_read_mb_s: float | None = None
    computer_read_mb_s: float | None = None
    computer_read_4k_iops: float | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A disk, or a partition of one, as the plan names it.

    ``id`` is a by-id name; ``disk`` is set for a slice, and members with the same ``disk`` fail together.
    ``afr``, an annual failure rate (0.02: 2%), and ``age_years`` are the user's figures for this disk alone.
    ``write_mostly``: md reads from it only if there is no other (raid1); ``failfast``: md fails it at the first error
    if the array survives that (raid1, raid10); md(4), "WRITE-BEHIND" and "FAILFAST".
    ``disk_size_bytes`` is the whole disk's size of a slice; ``sector_bytes`` the disk's logical sector, None for 512.
    """

    id: str
    size_bytes: int
    model: str = ""
    serial: str = ""
    disk: str | None = None
    partition: int | None = None
    baseline: Baseline | None = None
    afr: float | None = None
    age_years: float | None = None
    write_mostly: bool = False
    failfast: bool = False
    disk_size_bytes: int | None = None
    sector_bytes: int | None = None

    @property
    def label(self) -> str:
        """Model and serial, as on the disk's label; its id without either."""
        return f"{self.model} {self.serial}".strip() or self.id

    @property
    def flags(self) -> tuple[str, ...]:
        """Its flags, by mdadm's option names."""
        return tuple(name for name, is_set in zip(FLAGS, (self.write_mostly, self.failfast), strict=True) if is_set)

    def flagged(self, flags: Collection[str]) -> Member:
        """Return the member with exactly these flags of FLAGS."""
        return replace(self, write_mostly="write-mostly" in flags, failfast="failfast" in flags)

    @property
    def failure_unit(self) -> str:
        """The unit that fails as a whole: the disk."""
        return self.disk or self.id

    @property
    def sectors(self) -> int:
        """Size in whole sectors of 512 bytes."""
        return self.size_bytes // 512

    @property
    def kind(self) -> str | None:
        """One of ``DISK_KINDS``: from the baseline, else from the name of the disk or its model; else None."""
        if self.baseline is not None and self.baseline.kind is not None:
            return self.baseline.kind
        words = set(re.split(r"[^a-z0-9]+", f"{self.disk or self.id} {self.model}".lower()))
        return "nvme" if "nvme" in words else "ssd" if "ssd" in words else None

    @property
    def is_flash(self) -> bool:
        """True if it is known to be flash."""
        return self.kind in FLASH_KINDS


SPEEDS = {  # user-settable speeds of a disk, by their names' suffix
    "mb_s": ValidRange(0.1, 1_000_000, say("MB/s"), "180"),
    "iops": ValidRange(0.1, 1_000_000_000, say("IOPS"), "120"),
    "ms": ValidRange(0, 10_000, say("ms"), "2.5"),
}
RPM = ValidRange(1000, 100_000, say("rpm"), "7200")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a joined volume: ``sectors`` of the array at place ``member``, from its sector ``start_sector`` on."""

    member: int
    start_sector: int
    sectors: int


UNKNOWABLE = ("bitmap", "chunk_kib", "consistency", "data_offset_kib", "layout", "members")  # members: their order


@dataclass(frozen=True, slots=True)
class Plan:
    """An array. ``members`` in slot order: disks, None for mdadm's ``missing``, or plans (a nested array).

    Of level ``joined``, a logical volume over the members' arrays, each on slices of disks (``core.md.joined``).

    ``layout`` is canonical (``layouts.canonical_layout``) or None for mdadm's default, as is ``chunk_kib``.
    """

    level: Level
    members: tuple[Member | Plan | None, ...]
    name: str = "md0"
    layout: str | None = None
    chunk_kib: int | None = None
    metadata: Metadata = Metadata.V1_2
    bitmap: Bitmap = Bitmap.NONE
    component_size_kib: int | None = None
    data_offset_kib: int | None = None
    consistency: Consistency | None = None
    journal: Member | None = None
    assume_clean: bool = False
    spares: tuple[Member, ...] = ()
    links: tuple[tuple[str, float], ...] = ()  # link name and its ceiling in MB/s
    bitmap_chunk_kib: int | None = None  # KiB per bit of the bitmap; None is mdadm's default
    assumptions: tuple[tuple[str, float], ...] = ()  # the user's figures for the loss model, by the names in ASSUMED
    homehost: str = ""  # the array's home host, or any; "" for the computer that makes it
    unknown: tuple[str, ...] = ()  # of an existing array: fields of UNKNOWABLE missing from its report
    pieces: tuple[Piece, ...] = ()  # of a joined volume that has grown, in its order; () as a new one has them

    @property
    def is_nested(self) -> bool:
        """True if arrays are among the members."""
        return any(isinstance(member, Plan) for member in self.members)

    @property
    def is_joined(self) -> bool:
        """True if the arrays are joined by LVM, so that the plan itself is no md array."""
        return self.level is Level.JOINED

    @property
    def is_guessed(self) -> bool:
        """True if a field of an existing array is unknown, here or in its inner arrays."""
        return bool(self.unknown) or any(array.is_guessed for array in self.inner)

    def as_built(self) -> Plan:
        """Return the plan of an array just created from this one: no field is unknown, and no volume in pieces."""
        members = tuple(member.as_built() if isinstance(member, Plan) else member for member in self.members)
        return replace(self, members=members, unknown=(), pieces=())

    @property
    def effective_layout(self) -> str | None:
        """The layout that the array will have; None for levels without one (and raid0's default)."""
        return self.layout or default_layout(self.level)

    @property
    def effective_chunk_kib(self) -> int:
        """The chunk that the array will have, 0 if it has none (raid1, and linear unless it is given)."""
        return self.chunk_kib or (DEFAULT_CHUNK_KIB if self.level.is_chunked else 0)

    @property
    def copies(self) -> Copies:
        """The copies of each chunk and their placement: on all members for raid1, one with parity or stripes."""
        if self.level is Level.RAID10:
            return parse_copies(self.effective_layout)
        return Copies(near=len(self.members)) if self.level is Level.RAID1 else Copies()

    @property
    def inner(self) -> tuple[Plan, ...]:
        """The arrays among the members, in slot order."""
        return tuple(member for member in self.members if isinstance(member, Plan))

    def arrays(self) -> Iterator[Plan]:
        """Yield the array and all arrays in it, outermost first, in slot order."""
        yield self
        for array in self.inner:
            yield from array.arrays()

    def disks(self) -> Iterator[Member]:
        """Yield every disk or slice of the array: members in slot order, spares, journal; nested ones too."""
        for member in self.members:
            if isinstance(member, Plan):
                yield from member.disks()
            elif member is not None:
                yield member
        yield from self.spares
        if self.journal is not None:
            yield self.journal

    def each_disk(self, change: Callable[[Member], Member]) -> Plan:
        """Return the plan with ``change`` applied to every disk of ``disks``."""
        members = tuple(
            member.each_disk(change) if isinstance(member, Plan) else member and change(member)
            for member in self.members
        )
        spares = tuple(change(spare) for spare in self.spares)
        return replace(self, members=members, spares=spares, journal=self.journal and change(self.journal))
