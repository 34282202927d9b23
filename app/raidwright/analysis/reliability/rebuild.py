"""How long a rebuild takes: the bytes of a component over the speed that its slowest part allows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from raidwright.core.messages import say
from raidwright.core.model.plan import FLASH_KINDS, Baseline, Member, Plan

from .assumptions import Assumed, Assumptions
from .groups import Group

_MD_LIMIT_MB_S = 204.8  # dev.raid.speed_limit_max: 200,000 KiB/s a member
_MEAN_OF_OUTER = 0.5 / log(2)  # a disk half as fast at its end: (v0 − v1) / ln(v0 / v1) of v0 over a full pass
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
    idle = min(slowest, _MD_LIMIT_MB_S)
    source = say(
        "the members' own sequential speed over their whole length (72% of the outer tracks' for spinning disks), "
        "their links, and md's limit of 200,000 KiB/s; worse: half of it, under load"
    )
    return Rebuild(Assumed(idle, idle, idle * _UNDER_LOAD, source), True)


def _full_pass_mb_s(baseline: Baseline | None) -> float | None:
    if baseline is None or not (baseline.sequential_read_mb_s and baseline.sequential_write_mb_s):
        return None
    slower = min(baseline.sequential_read_mb_s, baseline.sequential_write_mb_s)
    return slower if baseline.kind in FLASH_KINDS else slower * _MEAN_OF_OUTER


def _link_shares(plan: Plan, members: list[Member]) -> list[float]:
    used = Counter(member.baseline.link for member in members if member.baseline and member.baseline.link)
    return [ceiling / used[name] for name, ceiling in plan.links if ceiling and used[name]]
