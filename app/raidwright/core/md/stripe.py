"""Stripe geometry for file systems: the unit per member, and the number of units per full stripe.

Standard library only: the helper, which runs as root, imports this. It reads the geometry from md, since a device's
reported optimal I/O size is wrong where controllers misreport and where arrays are nested. Sources: ``mke2fs(8)``
(stride, stripe_width), ``mkfs.xfs(8)`` (su, sw), kernel ``raid5.c``, ``raid10.c raid10_nr_stripes``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from raidwright.core.model.plan import MdArray

from .layouts import Level


@dataclass(frozen=True, slots=True)
class Stripe:
    """``unit_kib`` of data per member, ``units`` of them side by side: a full-stripe write needs no reads."""

    unit_kib: int
    units: int

    @property
    def width_kib(self) -> int:
        """Data of a full stripe, in KiB."""
        return self.unit_kib * self.units


def stripe_of(
    level: Level, members: int, chunk_kib: int, *, near_copies: int = 1, inner: Sequence[Stripe | None] = ()
) -> Stripe | None:
    """Return the stripe of an array; None if the level has none (mirrors, members joined end to end).

    ``inner`` are the stripes of members that are arrays themselves. If all are the same, a full outer stripe fills
    them too; if they differ, only the outer stripe counts. (Whether the outer data begin on an inner stripe's
    boundary depends on the outer data offset; mkfs has no option for that.)
    """
    below = inner[0] if inner and len(set(inner)) == 1 else None
    if level is Level.RAID1:
        return below
    if level is Level.LINEAR or not chunk_kib:
        return None
    if level is Level.RAID10:  # far and offset copies are on further rows, near ones take up columns of the same
        columns = members // near_copies if members % near_copies == 0 else members
    else:
        columns = members - level.parity_disks
    if below is None:
        return Stripe(chunk_kib, columns)
    unit_kib = math.gcd(chunk_kib, below.unit_kib)
    return Stripe(unit_kib, math.lcm(chunk_kib, below.width_kib) * columns // unit_kib)


_MIN_READ_AHEAD_KIB = 128  # the kernel's default (``VM_READAHEAD_PAGES``)


def read_ahead_kib(plan: MdArray) -> int:
    """Return the kernel's default read-ahead in KiB for the array that ``plan`` makes.

    Two stripes of md's optimal I/O size (kernel ``md.c``, ``raid0.c``, ``raid10.c``, ``raid5.c``: ``io_opt``;
    ``blk-settings.c``: ``ra_pages``), the outer ones for nested arrays; at least 128 KiB, the value for mirrors.
    """
    members = len(plan.members)
    outer = stripe_of(plan.level, members, plan.effective_chunk_kib, near_copies=_near_copies(plan))
    return max(_MIN_READ_AHEAD_KIB, 2 * outer.width_kib if outer else 0)


def _near_copies(plan: MdArray) -> int:
    return plan.copies.near if plan.level is Level.RAID10 else 1


def stripe_of_array(plan: MdArray) -> Stripe | None:
    """Return the stripe of the array that ``plan`` makes."""
    return stripe_of(
        plan.level,
        len(plan.members),
        plan.effective_chunk_kib or 0,
        near_copies=_near_copies(plan),
        inner=[stripe_of_array(member) for member in plan.inner],
    )
