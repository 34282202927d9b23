"""How long a rebuild takes: the bytes of a component over the speed that its slowest part allows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from raidwright.analysis.performance.ceilings import ceilings_of
from raidwright.analysis.performance.host import Host
from raidwright.analysis.performance.rebuild import MOST_B_S, mean_share, stripes_b_s
from raidwright.analysis.performance.typical import INNER_SHARE
from raidwright.core.messages import say
from raidwright.core.model.plan import FLASH_KINDS, Baseline, Member, Plan

from .assumptions import Assumed, Assumptions
from .groups import Group

_UNDER_LOAD = 0.5


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A group's rebuild: its speed, and whether the members' own speeds are known, which makes it a prediction."""

    mb_s: Assumed
    measured: bool

    def hours(self, component_bytes: int, mb_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Hours to rebuild a component at each of the speeds."""
        return component_bytes / (mb_s * 1e6 * 3600)


def rebuild_of(plan: Plan, group: Group, assumptions: Assumptions) -> Rebuild:
    """How fast ``group`` rebuilds: as given, as its members' speeds and links allow, or as is common."""
    members = [member for member in plan.disks() if member.failure_unit in group.units]
    speeds = [_full_pass_mb_s(member.baseline) for member in members]
    if assumptions.rebuild_mb_s is not None or None in speeds:
        return Rebuild(assumptions.rebuild(), False)
    slowest = min([speed for speed in speeds if speed is not None] + _link_shares(plan, members))
    idle = min(slowest, MOST_B_S / 1e6, _stripes_mb_s(plan, group))
    source = say(
        "the members' own sequential speed over their whole length (72% of the outer tracks' for spinning disks), "
        "their links, what one processor does of parity, and md's limit of 200,000 KiB/s; worse: half of it, under load"
    )
    return Rebuild(Assumed(idle, idle, idle * _UNDER_LOAD, source), True)


def _full_pass_mb_s(baseline: Baseline | None) -> float | None:
    if baseline is None or not (baseline.sequential_read_mb_s and baseline.sequential_write_mb_s):
        return None
    slower = min(baseline.sequential_read_mb_s, baseline.sequential_write_mb_s)
    return slower if baseline.kind in FLASH_KINDS else slower * mean_share(INNER_SHARE)


def _stripes_mb_s(plan: Plan, group: Group) -> float:
    """What md's thread allows the array that the group's disks are in; no limit without parity."""
    arrays = list(plan.arrays())
    units = set(group.units)
    parity = [
        stripes_b_s(len(array.members), Host()) / 1e6
        for array in arrays
        if array.level.parity_disks and units <= {disk.failure_unit for disk in array.disks()}
    ]
    return min(parity, default=inf)


def _link_shares(plan: Plan, members: list[Member]) -> list[float]:
    used = Counter(member.baseline.link for member in members if member.baseline and member.baseline.link)
    return [ceiling / used[name] for name, ceiling in ceilings_of(plan).items() if used[name]]
