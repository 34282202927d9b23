"""The exact chains against the simulation, over random plans with losses frequent enough to be counted."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from raidwright.analysis.layers.survival import survival_of
from raidwright.analysis.reliability.assumptions import AssumedRange, Assumptions
from raidwright.analysis.reliability.loss import ideal_loss, likely_loss, loss_of
from raidwright.analysis.reliability.simulation import Simulated, Spread, Story, simulate, story_of
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan

from .comparison import Comparison

SIZE_BYTES = 8 * 10**12
AGAIN = 20
OF = ("array", "sectors")
FLAT = ("raid1", "raid5", "raid6", "n2", "f2", "o2", "n3", "f3", "raid0")
NESTED = (("raid0", "raid1"), ("raid0", "raid5"), ("raid0", "raid6"), ("raid1", "raid0"), ("raid5", "raid1"))


def random_plan(draw: random.Random) -> Plan:
    """Flat or nested, of 2 to 12 disks."""
    if draw.random() < 0.35:
        outer, inner = draw.choice(NESTED)
        groups = 3 if outer == "raid5" else 2
        width = draw.randint({"raid6": 4, "raid5": 3}.get(inner, 2), {"raid6": 5}.get(inner, 4))
        arrays = tuple(_array(inner, width, f"g{group}-") for group in range(groups))
        return Plan(MdArray(Level(outer), arrays))
    kind = draw.choice(FLAT)
    least = {"raid6": 4, "raid5": 3, "n3": 3, "f3": 3}.get(kind, 2)
    return Plan(_array(kind, draw.randint(least, 4 if kind == "raid1" else 12), ""))


def _array(kind: str, disks: int, prefix: str) -> MdArray:
    members = tuple(Member(f"{prefix}disk-{slot}", SIZE_BYTES) for slot in range(disks))
    return MdArray(Level.RAID10, members, layout=kind) if kind[0] in "nfo" else MdArray(Level(kind), members)


def ideal(count: int, arrays: int, seed: int) -> Iterator[Comparison]:
    """Nothing but failures and exponential repairs."""
    draw = random.Random(seed)  # noqa: S311 -- nothing secret
    for number in range(count):
        plan = random_plan(draw)
        afr, hours, years = draw.uniform(0.1, 1.0), draw.uniform(50, 1500), draw.uniform(0.5, 3)
        units = len(survival_of(plan.top).units)
        story = Story((Spread(8760 / afr),) * units, (0.0,) * units, Spread(0.0), Spread(hours))
        said = ideal_loss(plan, afr, hours, years).p_loss
        row = _compare("ideal", plan, said, simulate(plan, story, years, arrays, seed + number), "array")
        if not row.holds:  # one in 370 is beyond three errors by chance alone: many more arrays decide
            row = _compare("ideal", plan, said, simulate(plan, story, years, AGAIN * arrays, ~seed & 0xFFFF), "array")
        yield row


def refined(count: int, arrays: int, seed: int) -> Iterator[Comparison]:
    """With batches, waits, members of different rates, and latent errors: the array, then its sectors.

    Waits count here as long as they all do together (the chain knows one exponential repair), and checks are left
    out, since the chain takes the mean age of errors.
    """
    draw = random.Random(seed)  # noqa: S311 -- nothing secret
    for number in range(count):
        plan = random_plan(draw)
        rates = [draw.uniform(0.1, 0.5) for _ in range(2)]
        plan = _with_own_rates(plan, draw, rates)
        assumptions = Assumptions(
            batch_factor=AssumedRange.given(draw.uniform(1, 4)),
            notice_hours=AssumedRange.given(0.0),
            replacement_hours=AssumedRange.given(0.0),
            rebuild_mb_s=AssumedRange.given(draw.uniform(2, 20)),
            check_days=AssumedRange.given(0.0),
            latent_errors=AssumedRange.given(draw.uniform(0, 0.1)),
            unreadable_per_bit=AssumedRange.given(draw.uniform(0, 1e-14)),
        )
        years = draw.uniform(0.5, 2)
        story = story_of(plan, assumptions)
        said = likely_loss(plan, assumptions, years, capacity_of(plan.top))
        exact = loss_of(plan, assumptions, years, steps=1).exact
        rows = _refined(plan, said, simulate(plan, story, years, arrays, seed + number), exact)
        if not all(row.holds for row in rows):
            rows = _refined(plan, said, simulate(plan, story, years, AGAIN * arrays, ~seed & 0xFFFF), exact)
        yield from rows


def _with_own_rates(plan: Plan, draw: random.Random, rates: list[float]) -> Plan:
    return plan.each_disk(lambda disk: replace(disk, afr=draw.choice(rates)))


def _refined(plan: Plan, said: tuple[float, float], seen: Simulated, exact: bool) -> tuple[Comparison, Comparison]:
    """Of the array and of sectors, where a chain that isn't exact takes a mean: a tenth is allowed there besides."""
    array, sectors = (_compare(f"refined, {of}", plan, p, seen, of) for p, of in zip(said, OF, strict=True))
    if exact:
        return array, sectors
    error = (said[1] * (1 - said[1]) / seen.arrays) ** 0.5
    return array, replace(sectors, allowed=3.0 + 0.1 * said[1] / error)


def _compare(proof: str, plan: Plan, said: float, seen: Simulated, of: str) -> Comparison:
    arrays = [member for member in plan.array.members if isinstance(member, MdArray)]
    inner = f" of {arrays[0].level} ×{len(arrays[0].members)}" if arrays else ""
    outer = f"{plan.array.level} {plan.array.layout or ''} ×{len(plan.array.members)}"
    what = f"{outer}{inner}, {seen.arrays} arrays: standard errors"
    error = (max(said * (1 - said), 1 / seen.arrays) / seen.arrays) ** 0.5
    found = (seen.sectors if of == "sectors" else seen.lost) / seen.arrays
    return Comparison(proof, what, said, found, abs(found - said) / error, 3.0)
