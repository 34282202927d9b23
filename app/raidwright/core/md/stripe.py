"""The stripe that a file system should know of: how much goes to one member, and how many such pieces fill a row.

Standard library only: the helper, which runs as root, imports this. It asks md itself for the numbers, since what a
device reports as its optimal size is wrong where controllers lie and where arrays are nested. Sources: ``mke2fs(8)``
(stride, stripe_width), ``mkfs.xfs(8)`` (su, sw), kernel ``raid5.c``, ``raid10.c raid10_nr_stripes``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from raidwright.core.model.plan import Plan

from .layouts import Level, parse_copies


@dataclass(frozen=True, slots=True)
class Stripe:
    """``unit_kib`` of data on one member, ``units`` of them side by side: a write of whole stripes reads nothing."""

    unit_kib: int
    units: int

    @property
    def width_kib(self) -> int:
        """The whole stripe's data."""
        return self.unit_kib * self.units


def stripe_of(
    level: Level, members: int, chunk_kib: int, *, near_copies: int = 1, inner: Sequence[Stripe | None] = ()
) -> Stripe | None:
    """The stripe of an array; None where the level has none (mirrors, members joined end to end).

    ``inner`` are the stripes of members that are arrays themselves. Where they all have the same, the outer stripe
    fills theirs too; where they differ, no stripe fits all and the outer one alone counts. (That the outer data begin
    at a whole inner stripe is up to the outer data offset, and not always so; nothing can be said to mkfs about it.)
    """
    below = inner[0] if inner and len(set(inner)) == 1 else None
    if level is Level.RAID1:
        return below
    if level is Level.LINEAR or not chunk_kib:
        return None
    if level is Level.RAID10:  # far and offset copies lie on further rows, near ones take room in the same
        columns = members // near_copies if members % near_copies == 0 else members
    else:
        columns = members - level.parity_disks
    if below is None:
        return Stripe(chunk_kib, columns)
    unit_kib = math.gcd(chunk_kib, below.unit_kib)
    return Stripe(unit_kib, math.lcm(chunk_kib, below.width_kib) * columns // unit_kib)


_LEAST_READ_AHEAD_KIB = 128  # the kernel's own (``VM_READAHEAD_PAGES``)


def read_ahead_kib(plan: Plan) -> int:
    """How far the kernel reads ahead on the array that ``plan`` makes, until that is set otherwise.

    Two stripes of what md calls its optimal size (kernel ``md.c``, ``raid0.c``, ``raid10.c``, ``raid5.c``: ``io_opt``;
    ``blk-settings.c``: ``ra_pages``), the outer ones where arrays are nested; 128 KiB at least, and for mirrors.
    """
    members = len(plan.members)
    outer = stripe_of(plan.level, members, plan.effective_chunk_kib, near_copies=_near_copies(plan))
    return max(_LEAST_READ_AHEAD_KIB, 2 * outer.width_kib if outer else 0)


def _near_copies(plan: Plan) -> int:
    layout = plan.effective_layout
    return parse_copies(layout).near if plan.level is Level.RAID10 and layout else 1


def stripe_of_plan(plan: Plan) -> Stripe | None:
    """The stripe of the array that ``plan`` makes."""
    return stripe_of(
        plan.level,
        len(plan.members),
        plan.effective_chunk_kib or 0,
        near_copies=_near_copies(plan),
        inner=[stripe_of_plan(member) for member in plan.members if isinstance(member, Plan)],
    )
