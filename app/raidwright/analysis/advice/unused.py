"""Unused space of a pool under a plan: disks left out, and the surplus of larger members over the smallest.

Plans use whole disks, except joined ones, which use slices of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from raidwright.core.lvm.joined import slices_of
from raidwright.core.model.plan import LinearVolume, MdArray, Member, Plan

_WORTH_SAYING = 0.01  # of a disk: those of one size differ by a few megabytes


@dataclass(frozen=True, slots=True)
class Unused:
    """Of each of ``count`` disks of ``disk_bytes``, ``unused_bytes`` are unused; both are rounded to three digits.

    ``is_above_slices``: of a joined plan, where too few disks are as large; else members are as large as the smallest.
    """

    count: int
    disk_bytes: int
    unused_bytes: int
    is_above_slices: bool = False

    @property
    def is_whole(self) -> bool:
        """True if the plan doesn't use these disks at all."""
        return self.unused_bytes == self.disk_bytes


def unused_of(plan: Plan, pool: Iterable[Member]) -> tuple[Unused, ...]:
    """Return the unused space of the disks in ``pool``: whole disks first, then the most. Below 1% of a disk is none.

    A spare isn't unused. ``--size`` and slices are the user's choice, and the surplus in mirrors of arrays can't be
    assigned to a disk; neither is included. Of joined plans it is what lies above the slices.
    """
    left = {disk.id: (disk.size_bytes, disk.size_bytes) for disk in pool}
    if isinstance(plan.top, LinearVolume):
        return _grouped(left | dict(_above_slices(plan.top)), is_above_slices=True)
    left |= {disk.id: (disk.size_bytes, 0) for disk in plan.disks()} | dict(_surplus(plan.top))
    return _grouped(left)


def _grouped(left: Mapping[str, tuple[int, int]], *, is_above_slices: bool = False) -> tuple[Unused, ...]:
    found = Counter(
        (_rounded(size_bytes), _rounded(unused_bytes))
        for size_bytes, unused_bytes in left.values()
        if unused_bytes > _WORTH_SAYING * size_bytes
    )
    groups = (Unused(count, *sizes, is_above_slices) for sizes, count in found.items())
    return tuple(sorted(groups, key=lambda one: (not one.is_whole, -one.unused_bytes)))


def _above_slices(volume: LinearVolume) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each disk of a volume with its bytes, and those above its slices, which can't be protected."""
    for disk, slices in slices_of(volume).items():
        size_bytes = slices[0].disk_size_bytes or 0
        yield disk, (size_bytes, size_bytes - sum(one.size_bytes for one in slices))


def disk_sizes(disks: Iterable[Member]) -> tuple[tuple[int, int], ...]:
    """Return (number, bytes to three digits) of whole disks, the largest first: 3 of 8 TB, 2 of 5 TB."""
    whole = {disk.failure_unit: disk.disk_size_bytes or disk.size_bytes for disk in disks}
    found = Counter(map(_rounded, whole.values()))
    return tuple((found[size], size) for size in sorted(found, reverse=True))


def _surplus(array: MdArray) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each disk with its bytes, and its surplus over the smallest of its array; raid0 and linear have none."""
    for member in array.members:
        if isinstance(member, MdArray):
            yield from _surplus(member)
    members = [member for member in array.members if isinstance(member, Member)]
    if members and array.level.is_redundant:
        smallest = min(disk.size_bytes for disk in (*members, *array.spares))
        yield from ((disk.id, (disk.size_bytes, disk.size_bytes - smallest)) for disk in members)


def _rounded(size_bytes: int) -> int:
    return int(float(f"{size_bytes:.2e}"))
