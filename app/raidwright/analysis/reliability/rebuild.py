"""Rebuild time in the loss model: as predicted for the array, or from a given speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.prediction import Predictor
from raidwright.analysis.performance.rebuild_time import RebuildTime, rebuild_time, time_of_array
from raidwright.core.messages import say
from raidwright.core.model.plan import MdArray, Plan

from .assumptions import AssumedRange, Assumptions
from .groups import FailureGroup

_UNDER_LOAD = 0.5


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A group's rebuild: its speed for ``member_bytes``, and whether the members' own speeds are measured.

    Of a joined plan ``member_bytes`` is the mean of its disks, ``largest_bytes`` that of the largest; else 0.
    """

    mb_s: AssumedRange
    measured: bool
    member_bytes: int
    largest_bytes: int = 0

    def hours(self, mb_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the hours to rebuild a member at each of the speeds."""
        return self.member_bytes / (mb_s * 1e6 * 3600)


class Rebuilds:
    """Rebuilds of a plan's groups, each array predicted once."""

    def __init__(self, plan: Plan, assumptions: Assumptions) -> None:
        self._plan, self._given = plan, assumptions.rebuild_mb_s
        self._known: dict[Plan, RebuildTime | None] = {}

    def of(self, group: FailureGroup) -> Rebuild:
        """Return the rebuild of ``group``: at the given speed, or as predicted for the array of its disks."""
        if self._plan.volume is not None:
            return self._of_joined(group)
        array = _array_around(self._plan, frozenset(group.units))
        if array not in self._known:
            self._known[array] = time_of_array(Predictor(array, HostModel()))
        time = self._known[array]
        if time is None:  # its data are lost, and nothing is rebuilt
            return Rebuild(self._given or AssumedRange.given(1.0), False, group.component_bytes)
        member_bytes = time.member_bytes if array.array.is_nested else group.component_bytes  # excludes md's metadata
        return Rebuild(self._given or _assumed(time), self._given is None and _is_measured(array), member_bytes)

    def _of_joined(self, group: FailureGroup) -> Rebuild:
        time = rebuild_time(self._plan)
        if time is None:
            return Rebuild(self._given or AssumedRange.given(1.0), False, group.component_bytes)
        is_measured = self._given is None and _is_measured(self._plan)
        return Rebuild(self._given or _assumed(time), is_measured, group.component_bytes, time.member_bytes)


def _array_around(plan: Plan, units: frozenset[str]) -> Plan:
    """Return the outermost redundant array with the disks, with the links of the whole; else the innermost."""
    if plan.array.level.is_redundant:
        return plan
    for member in plan.array.members:
        if isinstance(member, MdArray) and units <= {disk.failure_unit for disk in member.disks()}:
            return _array_around(plan.on(member), units)
    return plan


def _is_measured(array: Plan) -> bool:
    known = (disk.baseline for disk in array.disks())
    return all(one is not None and one.sequential_read_mb_s and one.sequential_write_mb_s for one in known)


def _assumed(time: RebuildTime) -> AssumedRange:
    if time.assumes:
        source = say(
            "predicted of the array at rest, limited by {limit}, assuming {what:and}; safer and worse: the ends of the "
            "prediction's range, the worse at half the speed, under load",
            limit=time.limited_by,
            what=list(time.assumes),
        )
    else:
        source = say(
            "predicted of the array at rest, limited by {limit}; safer and worse: the ends of the prediction's range, "
            "the worse at half the speed, under load",
            limit=time.limited_by,
        )
    return AssumedRange(time.high_mb_s, time.mb_s, time.low_mb_s * _UNDER_LOAD, source)
