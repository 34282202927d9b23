"""Independent groups of a plan's disks: the array is lost as soon as one group is.

A stripe over mirrors is lost with any of its mirrors, and raid10 with near copies on a whole number of groups is such
a stripe too. Layouts that can't be split (far copies, mirrors of stripes, slices that share a disk) stay one group.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd

from raidwright.analysis.layers.survival import survival_of
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.layouts import Copies, Level, copy_windows, parse_copies
from raidwright.core.md.survival import Survival
from raidwright.core.model.plan import Layer, LinearVolume, MdArray, Member, Plan
from raidwright.core.units import SECTOR_BYTES


@dataclass(frozen=True, slots=True)
class Threshold:
    """Lost when more than ``most`` of ``disks`` have failed: mirrors, parity, single disks."""

    disks: int
    most: int

    def fatal(self, failed: int) -> bool:
        """Return True if more than ``most`` disks in the bit mask ``failed`` have failed."""
        return failed.bit_count() > self.most

    def alike(self, failed: int) -> Hashable:
        """Return a key that is equal for symmetric sets."""
        return failed.bit_count()

    def weighed(self, weights: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """As ``Survival.weighed``."""
        sums = [(1, 0)]
        for weight in weights:
            with_disk = [(0, 0), *((weight * a, weight * (b + weight * a)) for a, b in sums)]
            sums = [(a + c, b + d) for (a, b), (c, d) in zip([*sums, (0, 0)], with_disk, strict=True)]
        return tuple(sums[: self.most + 1])


@dataclass(frozen=True, slots=True)
class CopyRing:
    """A raid10 whose windows of copies overlap: lost when all disks of a window have failed."""

    disks: int
    layout: str

    def fatal(self, failed: int) -> bool:
        """Return True if a whole window of copies is in the bit mask ``failed``."""
        return any(window & ~failed == 0 for window in _windows(self))

    def alike(self, failed: int) -> Hashable:
        """Return the smallest of the sets that rotations and reflections of the ring make of ``failed``."""
        mirrored = int(f"{failed:0{self.disks}b}"[::-1], 2)
        everything, turns = (1 << self.disks) - 1, range(0, self.disks, _turn(self))
        return min(
            (side << turn | side >> self.disks - turn) & everything for side in (failed, mirrored) for turn in turns
        )

    def weighed(self, weights: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """As ``Survival.weighed``."""
        return _ring_survival(self).weighed(weights)


@dataclass(frozen=True, slots=True)
class Woven:
    """Any other array, nested arrays, slices of shared disks; disks within one of ``blocks`` are interchangeable."""

    survival: Survival
    blocks: tuple[int, ...]

    @property
    def disks(self) -> int:
        """Number of disks that may fail."""
        return len(self.survival.units)

    def fatal(self, failed: int) -> bool:
        """Return True if the array fails with the disks in the bit mask ``failed``."""
        return not self.survival.survives([unit for unit in range(self.disks) if failed >> unit & 1])

    def alike(self, failed: int) -> Hashable:
        """Return the sorted numbers of failures per block, if blocks are interchangeable; else the set itself."""
        return tuple(sorted((failed & block).bit_count() for block in self.blocks)) if self.blocks else failed

    def weighed(self, weights: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """As ``Survival.weighed``."""
        return self.survival.weighed(weights)


Shape = Threshold | CopyRing | Woven


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Disks (``units`` as in Survival) with a shape that determines which failures they survive.

    ``component_bytes`` are rebuilt onto a replacement; ``sole_share`` is the share of them whose only copy is on
    another disk once no more disks may fail. ``spares`` are available to it, shared with the ``sharing`` disks of the
    other groups of its array.
    """

    shape: Shape
    units: tuple[str, ...]
    component_bytes: int
    sole_share: float = 1.0
    spares: int = 0
    sharing: int = 0


def groups_of(plan: Plan, capacity: Capacity) -> tuple[FailureGroup, ...]:
    """Return the plan's groups, in slot order; a single one if a disk would be in several.

    The plan must be able to start. ``missing`` disks stay missing.
    """
    groups = tuple(_groups(plan.top, capacity))
    units = [unit for group in groups for unit in group.units]
    return groups if len(set(units)) == len(units) else (_of_all(plan.top, capacity),)


def _groups(layer: Layer, capacity: Capacity) -> Iterator[FailureGroup]:
    if isinstance(layer, LinearVolume) or not layer.level.is_redundant:
        inner = iter(capacity.inner)
        members = layer.arrays if isinstance(layer, LinearVolume) else layer.members
        for member, sectors in zip(members, capacity.member_sectors, strict=True):
            if isinstance(member, MdArray):
                yield from _groups(member, next(inner))
            elif member is not None:
                yield FailureGroup(Threshold(1, 0), (member.failure_unit,), sectors * SECTOR_BYTES)
    else:
        groups = tuple(_of_one_array(layer, capacity))
        disks = sum(len(group.units) for group in groups)
        for group in groups:
            yield replace(group, spares=_spares(layer), sharing=disks - len(group.units) if layer.spares else 0)


def _spares(array: MdArray) -> int:
    """Return the number of spares for any disk; of inner arrays' spares one array's, since they don't serve others."""
    inner = [len(member.spares) for member in array.inner]
    return len(array.spares) + min(inner, default=0)


def _of_one_array(array: MdArray, capacity: Capacity) -> Iterator[FailureGroup]:
    if array.is_nested:
        yield _woven(array, capacity)
    elif array.level is Level.RAID10:
        yield from _raid10(array, capacity)
    else:
        most = len(array.members) - 1 if array.level is Level.RAID1 else array.level.parity_disks
        yield _threshold(array.members, most, capacity)


def _threshold(members: tuple[Member | MdArray | None, ...], most: int, capacity: Capacity) -> FailureGroup:
    units = tuple(member.failure_unit for member in members if isinstance(member, Member))
    return FailureGroup(Threshold(len(units), most - (len(members) - len(units))), units, _component(capacity))


def _raid10(array: MdArray, capacity: Capacity) -> Iterator[FailureGroup]:
    copies, members = array.copies, array.members
    if copies.far == 1 and len(members) % copies.near == 0:
        for start in range(0, len(members), copies.near):
            yield _threshold(members[start : start + copies.near], copies.near - 1, capacity)
    elif None in members:
        yield _woven(array, capacity)
    else:
        units = tuple(member.failure_unit for member in members if isinstance(member, Member))
        ring = _ring(len(members), copies)
        windows_a_disk = len(_windows(ring)) * copies.total / len(members)
        yield FailureGroup(ring, units, _component(capacity), 1 / windows_a_disk)


def _ring(disks: int, copies: Copies) -> CopyRing:
    """Return the same ring for all layouts with the same windows, so that cached results are shared."""
    if copies.far == 1 and gcd(disks, copies.near) == 1:
        return CopyRing(disks, f"f{copies.near}")
    if copies.near > 1:
        return CopyRing(disks, f"n{copies.near}f{copies.far}" if copies.far > 1 else f"n{copies.near}")
    return CopyRing(disks, f"f{copies.far}")


def _of_all(layer: Layer, capacity: Capacity) -> FailureGroup:
    if isinstance(layer, LinearVolume):
        return _of_volume(survival_of(layer), capacity)
    return _woven(layer, capacity)


def _woven(array: MdArray, capacity: Capacity) -> FailureGroup:
    survival = survival_of(array)
    component = max((_component(inner) for inner in capacity.inner), default=_component(capacity))
    return FailureGroup(Woven(survival, _blocks(array, survival)), survival.units, component)


def _of_volume(survival: Survival, capacity: Capacity) -> FailureGroup:
    """Return the group of all disks: a mean disk's bytes, and the share of others' that a lost disk leaves bare.

    A disk that is lost leaves bare what the others have in its own arrays alone.
    """
    disks = len(survival.units)
    bands = [(len(inner.member_sectors), _component(inner)) for inner in capacity.inner]
    total = sum(members * component for members, component in bands)
    bare = sum(members * (members - 1) * component for members, component in bands)
    share = bare / total / (disks - 1) if disks > 1 else 1.0
    return FailureGroup(Woven(survival, ()), survival.units, total // disks, min(1.0, share))


def _blocks(outer: MdArray, survival: Survival) -> tuple[int, ...]:
    """Return the inner arrays as bit masks, if they are equal, whole, and depend only on the number of failures."""
    inner = outer.inner
    kinds = {(array.level, len(array.members)) for array in inner}
    units = [disk.failure_unit for array in inner for disk in array.members if isinstance(disk, Member)]
    interchangeable = len(inner) == len(outer.members) and len(kinds) == 1 and outer.level is not Level.RAID10
    if not interchangeable or inner[0].level is Level.RAID10 or len(units) != len(inner) * len(inner[0].members):
        return ()
    if tuple(units) != survival.units:  # a disk in more than one slot
        return ()
    width = len(inner[0].members)
    return tuple(((1 << width) - 1) << start for start in range(0, len(units), width))


def _component(capacity: Capacity) -> int:
    return max(capacity.member_sectors) * SECTOR_BYTES


@lru_cache(maxsize=1024)
def _windows(ring: CopyRing) -> tuple[int, ...]:
    windows = {sum(1 << slot for slot in window) for window in copy_windows(parse_copies(ring.layout), ring.disks)}
    return tuple(sorted(windows))


@lru_cache(maxsize=1024)
def _turn(ring: CopyRing) -> int:
    """Return the ring's rotational symmetry in slots: windows start at each multiple of it."""
    return ring.disks // len(_windows(ring)) if len(_windows(ring)) > 1 else 1


@lru_cache(maxsize=256)
def _ring_survival(ring: CopyRing) -> Survival:
    members = tuple(Member(f"disk-{slot}", 1) for slot in range(ring.disks))
    return survival_of(MdArray(Level.RAID10, members, layout=ring.layout))
