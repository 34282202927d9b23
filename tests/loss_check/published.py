"""Rows that others published or computed, and what we make of the same input."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from raidwright.analysis.layers.survival import survival_of
from raidwright.analysis.reliability.assumptions import HOURS_A_YEAR
from raidwright.analysis.reliability.chains import chain_of
from raidwright.analysis.reliability.groups import Shape, Threshold, Woven
from raidwright.analysis.reliability.loss import IdealLoss, ideal_loss
from raidwright.analysis.reliability.markov import Rates, losses, mean_hours_to_loss
from raidwright.analysis.reliability.simulation import Spread, Story, simulate
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan

from .comparison import Comparison

HERE = Path(__file__).parent
WEEK_HOURS = HOURS_A_YEAR / 52.142857
ELERATH_GROUPS = 60_000


def plan_of(level: str, disks: int, layout: str | None = None, groups: int = 1) -> Plan:
    """An array of ``disks`` disks, or a stripe over ``groups`` of them."""
    arrays = [
        MdArray(
            Level(level),
            tuple(Member(f"disk-{group}-{slot}", 8 * 10**12) for slot in range(disks)),
            layout=layout,
        )
        for group in range(groups)
    ]
    return Plan(arrays[0] if groups == 1 else MdArray(Level.RAID0, tuple(arrays)))


def published() -> Iterator[Comparison]:
    """The rows of published.csv, by their own tolerance: what rounding and the papers' approximations leave."""
    with (HERE / "published.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            hours = WEEK_HOURS if row["repair_hours"] == "week" else float(row["repair_hours"])
            ours = _ideal(row["plan"], int(row["disks"]), int(row["groups"]), float(row["afr"]), hours)
            found = 100 * (1 - ours.p_loss) if row["figure"] == "survival_percent" else ours.mttdl_hours
            what = f"{row['source']}: {row['what']}"
            yield Comparison.relative("published", what, float(row["published"]), found, float(row["tolerance"]))


def _ideal(plan: str, disks: int, groups: int, afr: float, hours: float) -> IdealLoss:
    if plan == "17 of 20":
        return _of_shape(Threshold(20, 3), Rates(afr / HOURS_A_YEAR, (1 / hours,)), HOURS_A_YEAR)
    if plan == "raid0":
        return ideal_loss(plan_of("raid1", 1), afr, hours, 1)
    return ideal_loss(plan_of(plan, disks, None, groups), afr, hours, 1)


def _of_shape(shape: Shape, rates: Rates, hours: float) -> IdealLoss:
    chain = chain_of(shape, None, 400)
    lost = float(losses(chain, [rates], hours)[0, 0])
    return IdealLoss(lost, mean_hours_to_loss([(chain, rates, 1)]), chain.exact)


def reference() -> Iterator[Comparison]:
    """The rows of reference.csv: repairs in parallel, and one at a time. Its small figures have lost 8 digits' rest."""
    with (HERE / "reference.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            plan = plan_of("raid5", 3, None, 2) if row["config"] == "raid50-2x3" else _flat(row)
            failure, repair = 1 / float(row["mttf_h"]), 1 / float(row["mttr_h"])
            if row["repairs"] == "serial":
                ours = _of_shape(
                    Woven(survival_of(plan.top), ()), _one_at_a_time(failure, repair, int(row["disks"])), 43800.0
                )
            else:
                ours = ideal_loss(plan, HOURS_A_YEAR * failure, float(row["mttr_h"]), 5)
            what = f"{row['config']} ×{row['disks']}, MTTF {row['mttf_h']} h, repair {row['mttr_h']} h {row['repairs']}"
            yield Comparison.relative("reference", f"{what}: MTTDL", float(row["mttdl_h"]), ours.mttdl_hours, 6e-8)
            said = float(row["p_loss_5y(43800h)"])
            yield Comparison.relative("reference", f"{what}: P(5 years)", said, ours.p_loss, 6e-8)


def _flat(row: dict[str, str]) -> Plan:
    level, _, layout = row["config"].partition("-")
    return plan_of(level, int(row["disks"]), layout or None)


def _one_at_a_time(failure: float, repair: float, disks: int) -> Rates:
    return Rates(failure, (0.0, *(repair / k for k in range(1, disks + 1))))


UNREADABLE = (
    (4, 1e6, 24.0, 4e12, 1e-14, 405_113),
    (4, 1e6, 24.0, 4e12, 1e-15, 2.72945e6),
    (8, 1.2e6, 30.0, 12e12, 1e-15, 306_527),
    (6, 3e5, 48.0, 2e12, 1e-14, 90_778),
)


def unreadable() -> Iterator[Comparison]:
    """raid5 whose rebuild meets unreadable sectors, against the closed form's figures."""
    for disks, life, repair, size_bytes, per_bit, said in UNREADABLE:
        rates = Rates(1 / life, (1 / repair,), unreadable=8 * size_bytes * per_bit)
        found = mean_hours_to_loss([(chain_of(Threshold(disks, 1)), rates, 1)])
        what = f"raid5 ×{disks} of {size_bytes / 1e12:g} TB, 1 unreadable bit in {1 / per_bit:.0e}: MTTDL"
        yield Comparison.relative("unreadable", what, said, found, 5e-6)


def elerath() -> Iterator[Comparison]:
    """Elerath and Pecht 2007: losses of 1000 groups of 8 in ten years, wearing disks, three-parameter delays.

    Said are 0.27 ± 0.07 without latent defects and 138.1 ± 1.5 with weekly scrubs; a defect lasts 156 hours then.
    """
    plan = plan_of("raid5", 8)
    for what, defects, said, its_error in (("none", 0.0, 0.27, 0.07), ("scrubbed weekly", 156 / 9259, 138.1, 1.5)):
        story = Story((Spread(461_386, 1.12),) * 8, (0.0,) * 8, Spread(0.0), Spread(12.0, 2.0, 6.0), unreadable=defects)
        seen = simulate(plan, story, 10.0, ELERATH_GROUPS, seed=2007)
        lost = seen.sectors / seen.arrays
        found = -1000 * math.log1p(-lost)  # the paper counts every loss of a group, not the first alone
        error = math.hypot(its_error, 1000 * float(np.sqrt(lost / seen.arrays)))
        title = f"Elerath and Pecht 2007, latent defects {what}: losses of 1000 groups in 10 years, in standard errors"
        yield Comparison("elerath", title, said, found, abs(found - said) / error, 3.0)
