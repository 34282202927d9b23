"""The Plan: one frozen value from the first sketch to the measured array.

The window edits it, files keep it, the helper receives it, runs refer to it. ``plan_json`` reads and
writes it; ``mdadm`` turns it into a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB, Level, default_layout
from raidwright.core.messages import say

from .assumed import Limits


class Metadata(StrEnum):
    """The superblock formats that mdadm creates."""

    V0_90 = "0.90"
    V1_0 = "1.0"
    V1_1 = "1.1"
    V1_2 = "1.2"


class Bitmap(StrEnum):
    """The write-intent bitmap; always said explicitly, since mdadm's default changed in 4.4."""

    NONE = "none"
    INTERNAL = "internal"
    LOCKLESS = "lockless"  # of Linux 6.18 and mdadm 4.6 (kernel md-llbitmap.c)


class Consistency(StrEnum):
    """How writes cut off in the middle are made whole again (``mdadm --consistency-policy``)."""

    RESYNC = "resync"
    BITMAP = "bitmap"
    PPL = "ppl"
    JOURNAL = "journal"


FLAGS = ("write-mostly", "failfast")  # of members, in the order of ``Member.flags``
DISK_KINDS = ("hdd", "smr", "ssd", "nvme", "memory")  # what ``Baseline.kind`` may be
FLASH_KINDS = frozenset({"ssd", "nvme"})


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is known of one disk's speed, measured or typical; None where it isn't.

    Streams at its beginning; accesses over all of it, one at a time and (``q32``) 32 at once. ``flush_ms`` is what a
    write that must not be lost takes longer than another. Members of one ``link`` share it (``Plan.links``). What held
    the disks back when several were measured at once, None where nothing did: what ``link`` passed, what the computer
    passed, and how many accesses a second it got through.
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
    ``afr``, a failure rate a year (0.02: 2%), and ``age_years`` are what the user says of this disk alone.
    ``write_mostly``: md reads from it when there is no other (raid1); ``failfast``: md gives it up at the first error
    where it can do without (raid1, raid10); md(4), "WRITE-BEHIND" and "FAILFAST".
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

    @property
    def flags(self) -> tuple[str, ...]:
        """Its flags, as mdadm's options are called."""
        return tuple(name for name, is_set in zip(FLAGS, (self.write_mostly, self.failfast), strict=True) if is_set)

    def flagged(self, flags: Collection[str]) -> Member:
        """Return the member with just these flags of FLAGS."""
        return replace(self, write_mostly="write-mostly" in flags, failfast="failfast" in flags)

    @property
    def failure_unit(self) -> str:
        """What fails as one: the disk."""
        return self.disk or self.id

    @property
    def sectors(self) -> int:
        """Whole sectors of 512 bytes."""
        return self.size_bytes // 512

    @property
    def kind(self) -> str | None:
        """One of ``DISK_KINDS``: as the baseline says, else as the name of the disk or its model shows; else None."""
        if self.baseline is not None and self.baseline.kind is not None:
            return self.baseline.kind
        words = set(re.split(r"[^a-z0-9]+", f"{self.disk or self.id} {self.model}".lower()))
        return "nvme" if "nvme" in words else "ssd" if "ssd" in words else None

    @property
    def is_flash(self) -> bool:
        """Whether it is flash, as far as that is known."""
        return self.kind in FLASH_KINDS


SPEEDS = {  # what a person may say on a disk's speed, by the ending of its name
    "mb_s": Limits(0.1, 1_000_000, say("MB/s"), "180"),
    "iops": Limits(0.1, 1_000_000_000, say("accesses a second"), "120"),
    "ms": Limits(0, 10_000, say("ms"), "2.5"),
}
RPM = Limits(1000, 100_000, say("turns a minute"), "7200")


UNKNOWABLE = ("bitmap", "chunk_kib", "consistency", "data_offset_kib", "layout", "members")  # members: their order


@dataclass(frozen=True, slots=True)
class Plan:
    """An array. ``members`` in slot order: disks, None for mdadm's ``missing``, or plans (a nested array).

    ``layout`` is canonical (``layouts.canonical_layout``) or None for mdadm's own choice, as ``chunk_kib`` is.
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
    bitmap_chunk_kib: int | None = None  # what a bit of the bitmap stands for; None is mdadm's own choice
    assumptions: tuple[tuple[str, float], ...] = ()  # what the user says on its loss, by the names in ASSUMED
    homehost: str = ""  # the computer whose array it is, or any; "" for the one that makes it
    unknown: tuple[str, ...] = ()  # of an array that is there: fields of UNKNOWABLE that its report didn't tell

    @property
    def is_nested(self) -> bool:
        """Whether arrays are among the members."""
        return any(isinstance(member, Plan) for member in self.members)

    @property
    def is_guessed(self) -> bool:
        """Whether something of an array that is there isn't known, here or of the arrays in it."""
        return bool(self.unknown) or any(isinstance(member, Plan) and member.is_guessed for member in self.members)

    def as_built(self) -> Plan:
        """Return the plan of an array that was made of it just now: nothing in it is a guess any more."""
        members = tuple(member.as_built() if isinstance(member, Plan) else member for member in self.members)
        return replace(self, members=members, unknown=())

    @property
    def effective_layout(self) -> str | None:
        """The layout that the array will have; None for levels without one (and raid0's own choice)."""
        return self.layout or default_layout(self.level)

    @property
    def effective_chunk_kib(self) -> int:
        """The chunk that the array will have, 0 where there is none (raid1, and linear unless it is given)."""
        return self.chunk_kib or (DEFAULT_CHUNK_KIB if self.level.is_chunked else 0)

    def arrays(self) -> Iterator[Plan]:
        """The array and all arrays in it, outermost first, in slot order."""
        yield self
        for member in self.members:
            if isinstance(member, Plan):
                yield from member.arrays()

    def disks(self) -> Iterator[Member]:
        """Every disk or slice that the array touches: members in slot order, spares, journal; nested ones too."""
        for member in self.members:
            if isinstance(member, Plan):
                yield from member.disks()
            elif member is not None:
                yield member
        yield from self.spares
        if self.journal is not None:
            yield self.journal

    def each_disk(self, change: Callable[[Member], Member]) -> Plan:
        """The plan with every disk that ``disks`` gives as ``change`` makes it."""
        members = tuple(
            member.each_disk(change) if isinstance(member, Plan) else member and change(member)
            for member in self.members
        )
        spares = tuple(change(spare) for spare in self.spares)
        return replace(self, members=members, spares=spares, journal=self.journal and change(self.journal))
