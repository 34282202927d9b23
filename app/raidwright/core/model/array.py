"""An md array, and the arrays, disks or slices in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB, Copies, Level, default_layout, parse_copies

from .member import Member


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


UNKNOWABLE = ("bitmap", "chunk_kib", "consistency", "data_offset_kib", "layout", "members")  # members: their order


@dataclass(frozen=True, slots=True)
class MdArray:
    """An md array. ``members`` in slot order: disks, None for mdadm's ``missing``, or arrays (a nested one).

    ``layout`` is canonical (``layouts.canonical_layout``) or None for mdadm's default, as is ``chunk_kib``.
    """

    level: Level
    members: tuple[Member | MdArray | None, ...]
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
    bitmap_chunk_kib: int | None = None  # KiB per bit of the bitmap; None is mdadm's default
    homehost: str = ""  # the array's home host, or any; "" for the computer that makes it
    unknown: tuple[str, ...] = ()  # of an existing array: fields of UNKNOWABLE missing from its report

    @property
    def is_nested(self) -> bool:
        """True if arrays are among the members."""
        return any(isinstance(member, MdArray) for member in self.members)

    @property
    def is_guessed(self) -> bool:
        """True if a field of an existing array is unknown, here or in its inner arrays."""
        return bool(self.unknown) or any(array.is_guessed for array in self.inner)

    def as_built(self) -> MdArray:
        """Return the array just created from this one: no field is unknown, here and in its inner arrays."""
        members = tuple(member.as_built() if isinstance(member, MdArray) else member for member in self.members)
        return replace(self, members=members, unknown=())

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
    def inner(self) -> tuple[MdArray, ...]:
        """The arrays among the members, in slot order."""
        return tuple(member for member in self.members if isinstance(member, MdArray))

    def md_arrays(self) -> Iterator[MdArray]:
        """Yield the array and all arrays in it, outermost first, in slot order."""
        yield self
        for array in self.inner:
            yield from array.md_arrays()

    def disks(self) -> Iterator[Member]:
        """Yield every disk or slice of the array: members in slot order, spares, journal; nested ones too."""
        for member in self.members:
            if isinstance(member, MdArray):
                yield from member.disks()
            elif member is not None:
                yield member
        yield from self.spares
        if self.journal is not None:
            yield self.journal

    def each_disk(self, change: Callable[[Member], Member]) -> MdArray:
        """Return the array with ``change`` applied to every disk of ``disks``."""
        members = tuple(
            member.each_disk(change) if isinstance(member, MdArray) else member and change(member)
            for member in self.members
        )
        spares = tuple(change(spare) for spare in self.spares)
        return replace(self, members=members, spares=spares, journal=self.journal and change(self.journal))
