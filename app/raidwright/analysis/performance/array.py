"""Performance view of a plan: its drives by slot, chunks and copies, and the links that they share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from raidwright.analysis.geometry.cells import Geometry
from raidwright.analysis.geometry.copies import CopiesGeometry
from raidwright.analysis.geometry.parity_rows import ParityGeometry
from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.md.array_survival import array_survives
from raidwright.core.md.layouts import Copies, Level
from raidwright.core.md.parity import parity_layout
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.units import SECTOR_BYTES

from .ceilings import ceilings_of, computer_mb_s
from .constants import MIRROR_CHUNK_KIB, RAID10_BY_PENDING_SINCE
from .drive import Drive
from .host import HostModel


@dataclass(frozen=True, eq=False)
class ModelledArray:
    """``drives`` in slot order, None for a failed or missing member; ``size_bytes`` is the smallest drive's.

    ``bands`` are the arrays of a volume, in order; to the model it is an array of level linear over them.
    ``link_loads``: by slot, the bytes over each link per byte read from the slot and per byte written to it.
    """

    plan: Plan
    drives: tuple[Drive | None, ...]
    size_bytes: int
    link_loads: tuple[tuple[Mapping[str, float], Mapping[str, float]], ...]
    host: HostModel
    bands: tuple[ModelledArray, ...] = ()

    @property
    def level(self) -> Level:
        """md's level."""
        return self.plan.array.level

    @property
    def slots(self) -> int:
        """Number of slots, failed and missing members included."""
        return len(self.drives)

    @cached_property
    def working(self) -> tuple[Drive, ...]:
        """The drives present."""
        return tuple(drive for drive in self.drives if drive is not None)

    @property
    def lost(self) -> int:
        """Number of failed or missing members."""
        return self.slots - len(self.working)

    @cached_property
    def parities(self) -> int:
        """Parity chunks per stripe."""
        return self.level.parity_disks

    @cached_property
    def data_slots(self) -> int:
        """Chunks per row that aren't parity."""
        return self.slots - self.parities

    @cached_property
    def copies(self) -> Copies:
        """The copies of a chunk and their placement; one copy with parity."""
        return self.plan.array.copies

    @property
    def chunk_bytes(self) -> int:
        """Chunk size in bytes."""
        return (self.plan.array.effective_chunk_kib or MIRROR_CHUNK_KIB) * 1024

    @property
    def has_bitmap(self) -> bool:
        """True with a write-intent bitmap, lockless or not."""
        return self.plan.array.bitmap is not Bitmap.NONE

    @cached_property
    def ceilings_mb_s(self) -> Mapping[str, float]:
        """MB/s of each link with a ceiling."""
        return ceilings_of(self.plan)

    @cached_property
    def computer_mb_s(self) -> float | None:
        """The computer's measured ceiling, as ``computer_mb_s`` has it."""
        return computer_mb_s(self.plan)

    @cached_property
    def spins(self) -> bool:
        """True if any working member is a spinning disk: this decides md's read balance and dominates latency."""
        return any(drive.spins for drive in self.working)

    @property
    def reads_any_copy(self) -> bool:
        """True if md reads the copy with the fewest pending requests (``read_balance``): faster members read more."""
        fewest_pending = self.level is Level.RAID1 or self.host.kernel >= RAID10_BY_PENDING_SINCE
        return self.copies.total > 1 and (self.level is Level.RAID1 or not self.spins) and fewest_pending

    @cached_property
    def for_reading(self) -> ModelledArray:
        """The array as reads see it: raid1 without its write-mostly members while another is there (md(4))."""
        marked = [isinstance(member, Member) and member.write_mostly for member in self.plan.array.members]
        read = [slot for slot, drive in enumerate(self.drives) if drive is not None and not marked[slot]]
        if self.level is not Level.RAID1 or not any(marked) or not read:
            return self
        return replace(
            self,
            plan=self.plan.on(replace(self.plan.array, members=tuple(self.plan.array.members[slot] for slot in read))),
            drives=tuple(self.drives[slot] for slot in read),
            link_loads=tuple(self.link_loads[slot] for slot in read),
        )

    @cached_property
    def page_s(self) -> float:
        """The processor's seconds per page of a stripe."""
        return self.host.page_s(self.slots, max(drive.request_s for drive in self.working))

    @cached_property
    def slowest(self) -> Drive:
        """The working drive with the longest read access time."""
        return max(self.working, key=lambda drive: drive.read_access_s)

    @cached_property
    def geometry(self) -> Geometry:
        """Chunk placement (not for linear), over the length of the smallest member."""
        rows = max(1, self.size_bytes // self.chunk_bytes)
        sectors = self.chunk_bytes // SECTOR_BYTES
        if self.parities:
            layout = parity_layout(self.level, self.plan.array.effective_layout)
            return ParityGeometry(self.slots, rows, sectors, self.parities, layout)
        chunks = rows * self.slots // self.copies.total
        return CopiesGeometry(self.slots, rows, sectors, chunks, self.copies)

    @property
    def user_bytes(self) -> int:
        """Approximate capacity of the array."""
        if self.level is Level.LINEAR:
            return sum(drive.size_bytes for drive in self.working)
        return self.size_bytes * self.data_slots // self.copies.total


def array_of(
    plan: Plan,
    drive_of: Callable[[Member], Drive],
    as_drive: Callable[[ModelledArray], Drive],
    lost: Collection[str],
    host: HostModel,
) -> ModelledArray | None:
    """Build ``plan`` as modelled, without the members ``lost`` (by id or by disk); None if its data are lost.

    ``as_drive`` turns an inner array into a drive.
    """
    drives: list[Drive | None] = []
    loads: list[tuple[Mapping[str, float], Mapping[str, float]]] = []
    bands: list[ModelledArray] = []
    is_volume, plan = plan.volume is not None, plan.on(as_array(plan.top))
    for member in plan.array.members:
        inner = array_of(Plan(member), drive_of, as_drive, lost, host) if isinstance(member, MdArray) else None
        if inner is not None:
            drives.append(as_drive(inner))
            bands.append(inner)
            loads.append(_inner_loads(inner))
        elif isinstance(member, Member) and not {member.id, member.failure_unit} & set(lost):
            drives.append(drive_of(member))
            link = member.baseline.link if member.baseline else None
            load = {link: 1.0} if link else {}
            loads.append((load, load))
        else:
            drives.append(None)
            loads.append(({}, {}))
    missing = {slot for slot, drive in enumerate(drives) if drive is None}
    if missing and not array_survives(plan.array, missing):
        return None
    size_bytes = min(drive.size_bytes for drive in drives if drive)
    if plan.array.component_size_kib:
        size_bytes = min(size_bytes, plan.array.component_size_kib * 1024)
    return ModelledArray(plan, tuple(drives), size_bytes, tuple(loads), host, tuple(bands) if is_volume else ())


def _inner_loads(inner: ModelledArray) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return an inner array's link loads per byte read from it and per byte written to it, spread evenly."""
    written = inner.copies.total * inner.slots / inner.data_slots
    loads: tuple[defaultdict[str, float], defaultdict[str, float]] = (defaultdict(float), defaultdict(float))
    for load, each in zip(loads, (1.0, written), strict=True):
        for of_slot in inner.link_loads:
            for link, share in of_slot[0].items():
                load[link] += share * each / len(inner.working)
    return loads
