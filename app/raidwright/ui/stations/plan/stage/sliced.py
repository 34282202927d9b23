"""A joined plan's stage as values: disks as columns of true height, their slices, and each array's chunks.

No painting here. Heights are shares of the tallest disk.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from raidwright.analysis.assessment import Assessment
from raidwright.analysis.geometry.of_plan import Geometry, geometry_of
from raidwright.core.lvm.joined import begins_of, slices_of
from raidwright.core.lvm.whole_disks import free_tops, whole_disks
from raidwright.core.md.array_survival import array_survives
from raidwright.core.md.mdadm import inner_name
from raidwright.core.model.plan import LinearVolume, MdArray, Member, Plan
from raidwright.core.units import SECTOR_BYTES
from raidwright.text.catalogue import binary_size, decimal_size, joined, tr
from raidwright.text.disk.facts import disk_name
from raidwright.text.plan.candidates import short_size
from raidwright.text.plan.joined import band_name, free_in_brief, free_words
from raidwright.text.plan.names import short_name

_SHORT_LENGTH = 6


@dataclass(frozen=True, slots=True)
class Slice:
    """A disk's slice: the array's place and the member's slot in it, and where on the disk it lies, as shares."""

    array: int
    slot: int
    top: float
    height: float
    hint: str


@dataclass(frozen=True, slots=True)
class FreePart:
    """The free part of a disk above its slices, as shares; two lines of words and a sentence."""

    top: float
    height: float
    lines: tuple[str, str]
    hint: str


@dataclass(frozen=True, slots=True)
class SlicedDisk:
    """A column: its number, the disk's size, name and height (a share), its slices, and what is free."""

    number: str
    size: str
    name: str
    height: float
    slices: tuple[Slice, ...]
    free: FreePart | None
    hint: str
    is_absent: bool = False


@dataclass(frozen=True, slots=True)
class JoinedArray:
    """An array of the volume: its names, long and short, its size, and its chunks."""

    array: MdArray
    title: str
    brief: str
    size: str
    geometry: Geometry = field(compare=False)

    def runs_without(self, slots: frozenset[int]) -> bool:
        """Return True if the array runs without the members in ``slots``."""
        return array_survives(self.array, slots)


@dataclass(frozen=True, slots=True)
class JoinedScene:
    """The disks and the arrays."""

    disks: tuple[SlicedDisk, ...]
    arrays: tuple[JoinedArray, ...]

    def failed_slots(self, array: int, failed: frozenset[int]) -> frozenset[int]:
        """Return the slots of the ``array`` on the disks in the ``failed`` columns."""
        slices = (part for column in failed for part in self.disks[column].slices)
        return frozenset(part.slot for part in slices if part.array == array)


def joined_scene(assessment: Assessment, volume: LinearVolume, absent: frozenset[str] = frozenset()) -> JoinedScene:
    """Return the scene of a joined plan; ``absent`` are the ids of missing disks."""
    sizes = assessment.capacity.member_sectors
    arrays = tuple(
        JoinedArray(
            band,
            band_name(band),
            f"{short_name(band)} ×{len(band.members)}",
            decimal_size(sectors * SECTOR_BYTES),
            geometry_of(Plan(band)),
        )
        for band, sectors in zip(volume.arrays, sizes, strict=True)
    )
    disks = whole_disks(volume)
    tallest = max(disk.size_bytes for disk in disks)
    free = {top.disk.id: free_in_brief(top) for top in free_tops(volume)}
    return JoinedScene(
        tuple(
            _column(volume, number, disk, tallest, free.get(disk.id), is_absent=disk.id in absent)
            for number, disk in enumerate(disks)
        ),
        arrays,
    )


def _column(
    volume: LinearVolume, number: int, disk: Member, tallest: int, free: tuple[str, str] | None, *, is_absent: bool
) -> SlicedDisk:
    slices = tuple(_slices(volume, disk, tallest))
    hint = f"{disk_name(disk)}\n{decimal_size(disk.size_bytes)}\n{disk.id}"
    part = None
    if free is not None:
        top = slices[-1].top + slices[-1].height
        said = " ".join(line for line in free if line)
        part = FreePart(top, disk.size_bytes / tallest - top, free, joined(f"{disk_name(disk)}: {said}."))
    serial = disk.serial or disk.id
    return SlicedDisk(
        number=str(number),
        size=short_size(disk.size_bytes),
        name=tr("gone") if is_absent else serial if len(serial) <= _SHORT_LENGTH else f"…{serial[-4:]}",
        height=disk.size_bytes / tallest,
        slices=slices,
        free=part,
        hint=tr("{disk}\nThis disk can't be taken now.", disk=hint) if is_absent else hint,
        is_absent=is_absent,
    )


def _slices(volume: LinearVolume, disk: Member, tallest: int) -> list[Slice]:
    bands = volume.arrays
    places = {
        member.id: (array, slot)
        for array, band in enumerate(bands)
        for slot, member in enumerate(band.members)
        if isinstance(member, Member)
    }
    parts = slices_of(volume)[disk.id]
    found = []
    for begin, part in zip(begins_of(parts), parts, strict=True):
        array, slot = places[part.id]
        hint = tr(
            "Partition {number} of {disk}, {size} from {begin} on: slot {slot} of “{array}”, {layout}",
            number=part.partition,
            disk=disk_name(disk),
            size=binary_size(part.size_bytes),
            begin=binary_size(begin),
            slot=slot,
            array=inner_name(volume.name, array),
            layout=band_name(bands[array]),
        )
        found.append(Slice(array, slot, begin / tallest, part.size_bytes / tallest, hint))
    return found


def said_aloud(assessment: Assessment) -> str:
    """Return the picture in words, for screen readers: each array, and what stays free."""
    plan = assessment.plan
    arrays = (
        tr("{array}: {size}.", array=band_name(band), size=decimal_size(sectors * SECTOR_BYTES))
        for band, sectors in zip(plan.top.inner, assessment.capacity.member_sectors, strict=True)
    )
    return joined(*arrays, free_words(plan))
