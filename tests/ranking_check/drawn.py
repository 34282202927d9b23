"""Random pools with wishes, and the objections that an administrator would have to a first pick."""

from __future__ import annotations

import random
from collections.abc import Iterator

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.advice.ranking import Wishes
from raidwright.core.md.layouts import WIDEST_PARITY, Level
from raidwright.core.model.plan import Plan

from .signed import Pool

_SIZES = ("1TB", "2TB", "4TB", "8TB", "12TB", "16TB", "20TB")
_KINDS = (None, None, None, "ssd", "nvme", "smr")
_LARGE_BYTES = 2.5e12


def drawn(count: int, seed: int) -> Iterator[Pool]:
    """Yield pools of one or two disk sizes, of 2 to 20 disks, with random wishes."""
    draw = random.Random(seed)  # noqa: S311 -- nothing secret
    for _ in range(count):
        groups = [f"{draw.randint(2, 10)}x{size}" for size in draw.sample(_SIZES, draw.choice((1, 1, 2)))]
        wishes = Wishes(
            must_survive=draw.choice((1, 1, 1, 2, 3)),
            space=draw.choice((0, 50, 100)),
            safety=draw.choice((50, 50, 100)),
            random=draw.choice((0, 0, 100)),
        )
        yield Pool("+".join(groups), frozenset(), draw.choice(_KINDS), wishes)


def objections(first: Prepared, wishes: Wishes) -> Iterator[str]:
    """Yield the objections to a first pick."""
    plan = first.plan
    if first.survives < wishes.must_survive:
        yield "survives less than was asked for"
    for array in plan.top.md_arrays():
        yield from _to_an_array(Plan(array))
    locked = sum(one.count * one.unused_bytes for one in first.unused if not one.is_whole)
    if locked > sum(disk.size_bytes for disk in plan.disks()) / 2:
        yield "most of its disks' space lies idle"
    if any(finding.code == "disk-failing" for finding in first.assessment.findings):
        yield "a failing disk is a member"
    if wishes.random == 100 and not wishes.space and plan.array.level.parity_disks and len(plan.array.members) > 3:
        yield "parity for small random writes"


def _to_an_array(array: Plan) -> Iterator[str]:
    if array.array.level.parity_disks == 1 and max(disk.size_bytes for disk in array.disks()) > _LARGE_BYTES:
        yield "single parity over large disks"
    if array.array.level.parity_disks and len(array.array.members) > WIDEST_PARITY:
        yield "parity over too many disks"
    if array.array.level is Level.RAID10:
        copies = array.array.copies
        if copies.far > 1 and not copies.offset:
            yield "a far layout is final"
