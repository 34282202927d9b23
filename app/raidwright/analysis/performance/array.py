"""A plan seen as what its requests go to: drives in slots, chunks and copies, and the links that they share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from raidwright.analysis.geometry.cells import Geometry
from raidwright.analysis.geometry.copies import CopiesGeometry
from raidwright.analysis.geometry.parity_rows import ParityGeometry
from raidwright.core.md.layouts import Copies, Level, copy_windows, parse_copies
from raidwright.core.md.parity import parity_layout
from raidwright.core.model.plan import Bitmap, Member, Plan
from raidwright.core.units import SECTOR_BYTES

from .drive import Drive
from .host import Host

_MIRROR_CHUNK_KIB = 512  # raid1 and linear have none: what a large request is cut into at most


@dataclass(frozen=True, eq=False)
class Array:
    """``drives`` in slot order, None where a member is lost or missing; ``size_bytes`` is the smallest one's.

    ``link_loads`` are, for each slot, how many bytes go over each link for a byte read from it and one written to it.
    """

    plan: Plan
    drives: tuple[Drive | None, ...]
    size_bytes: int
    link_loads: tuple[tuple[Mapping[str, float], Mapping[str, float]], ...]
    host: Host

    @property
    def level(self) -> Level:
        """md's level."""
        return self.plan.level

    @property
    def slots(self) -> int:
        """Members when whole."""
        return len(self.drives)

    @cached_property
    def working(self) -> tuple[Drive, ...]:
        """The drives that are there."""
        return tuple(drive for drive in self.drives if drive is not None)

    @property
    def lost(self) -> int:
        """Members that are not there."""
        return self.slots - len(self.working)

    @property
    def parities(self) -> int:
        """Parity chunks of a stripe."""
        return self.level.parity_disks

    @property
    def data_slots(self) -> int:
        """Data chunks of a row: what one write of a whole stripe holds."""
        return self.slots - self.parities

    @cached_property
    def copies(self) -> Copies:
        """How often, and where, a chunk is kept; once where there is parity."""
        if self.level is Level.RAID1:
            return Copies(near=self.slots)
        if self.level is Level.RAID10:
            return parse_copies(self.plan.effective_layout or "n2")
        return Copies()

    @property
    def chunk_bytes(self) -> int:
        """What lies together on one member."""
        return (self.plan.effective_chunk_kib or _MIRROR_CHUNK_KIB) * 1024

    @property
    def has_bitmap(self) -> bool:
        """Whether writes are noted in a write-intent bitmap first."""
        return self.plan.bitmap is Bitmap.INTERNAL

    @property
    def spins(self) -> bool:
        """Whether any member turns: that decides md's read balance, and is what everything waits for."""
        return any(drive.spins for drive in self.working)

    @property
    def reads_any_copy(self) -> bool:
        """Whether md reads the copy with the fewest waiting (``read_balance``), so that a quicker member reads more."""
        return self.level is Level.RAID1 or (self.copies.total > 1 and not self.spins)

    @property
    def slowest(self) -> Drive:
        """The drive that answers last."""
        return max(self.working, key=lambda drive: drive.read_access_s)

    @cached_property
    def geometry(self) -> Geometry:
        """Where the chunks lie (not for linear); as long as the smallest member."""
        rows = max(1, self.size_bytes // self.chunk_bytes)
        sectors = self.chunk_bytes // SECTOR_BYTES
        if self.parities:
            layout = parity_layout(self.level, self.plan.effective_layout)
            return ParityGeometry(self.slots, rows, sectors, self.parities, layout)
        chunks = rows * self.slots // self.copies.total
        return CopiesGeometry(self.slots, rows, sectors, chunks, self.copies)

    @property
    def user_bytes(self) -> int:
        """What the array holds, roughly."""
        if self.level is Level.LINEAR:
            return sum(drive.size_bytes for drive in self.working)
        return self.size_bytes * self.data_slots // self.copies.total


def is_alive(plan: Plan, missing: Collection[int]) -> bool:
    """Whether ``plan`` still has all data when the slots ``missing`` are gone."""
    if not missing:
        return True
    if plan.level is Level.RAID1:
        return len(missing) < len(plan.members)
    if plan.level is Level.RAID10:
        layout = plan.effective_layout or "n2"
        return not any(window <= set(missing) for window in copy_windows(layout, len(plan.members)))
    return len(missing) <= plan.level.parity_disks


def array_of(
    plan: Plan,
    drive_of: Callable[[Member], Drive],
    as_drive: Callable[[Array], Drive],
    lost: Collection[str],
    host: Host,
) -> Array | None:
    """``plan`` without the members that are ``lost``, by id or with their disk; None when its data are gone.

    ``as_drive`` makes a drive of an array that is a member.
    """
    drives: list[Drive | None] = []
    loads: list[tuple[Mapping[str, float], Mapping[str, float]]] = []
    for member in plan.members:
        inner = array_of(member, drive_of, as_drive, lost, host) if isinstance(member, Plan) else None
        if inner is not None:
            drives.append(as_drive(inner))
            loads.append(_inner_loads(inner))
        elif isinstance(member, Member) and not {member.id, member.failure_unit} & set(lost):
            drives.append(drive_of(member))
            link = member.baseline.link if member.baseline else None
            load = {link: 1.0} if link else {}
            loads.append((load, load))
        else:
            drives.append(None)
            loads.append(({}, {}))
    if not is_alive(plan, [slot for slot, drive in enumerate(drives) if drive is None]):
        return None
    size_bytes = min(drive.size_bytes for drive in drives if drive)
    if plan.component_size_kib:
        size_bytes = min(size_bytes, plan.component_size_kib * 1024)
    return Array(plan, tuple(drives), size_bytes, tuple(loads), host)


def _inner_loads(inner: Array) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """An inner array's loads on its links, for a byte read from it and a byte written to it, spread evenly."""
    written = inner.copies.total * inner.slots / inner.data_slots
    loads: tuple[defaultdict[str, float], defaultdict[str, float]] = (defaultdict(float), defaultdict(float))
    for load, each in zip(loads, (1.0, written), strict=True):
        for of_slot in inner.link_loads:
            for link, share in of_slot[0].items():
                load[link] += share * each / len(inner.working)
    return loads
