"""Rebuild time of an array, the one used everywhere, in its loss too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import exp, hypot

from raidwright.core.messages import Message
from raidwright.core.model.plan import Plan
from raidwright.core.system.workload import Workload

from .array import ModelledArray
from .constants import LIMIT_PASSED, NINETY, SYNC_MAX_B_S
from .host import HostModel
from .own_error import OWN_SPREADS, ErrorKind
from .prediction import HEALTHY, Predictor
from .rebuild import rebuild_mb_s


@dataclass(frozen=True, slots=True)
class RebuildTime:
    """A rebuild on an idle array: decimal MB/s along each member, for ``member_bytes``.

    90 of 100 rebuilds go at ``low_mb_s`` to ``high_mb_s``. ``assumes`` is each assumption on the members once.
    """

    member_bytes: int
    mb_s: float
    low_mb_s: float
    high_mb_s: float
    limited_by: Message
    assumes: tuple[Message, ...]

    def hours(self, mb_s: float) -> float:
        """Return the hours at a rate of ``mb_s``."""
        return self.member_bytes / (mb_s * 1e6) / 3600


def rebuild_time(plan: Plan, predictor: Predictor | None = None) -> RebuildTime | None:
    """Return the time for a member of ``plan`` or of an inner array, the longest among ``rebuilt_arrays``.

    None without redundancy. ``predictor`` is that of ``plan``, if there is one.
    """
    if plan.volume is not None:
        return _of_joined(predictor or Predictor(plan, HostModel()))
    arrays = rebuilt_arrays(plan)
    if arrays == (plan,) and predictor is not None:
        return time_of_array(predictor)
    times = [time_of_array(Predictor(array, predictor.host if predictor else HostModel())) for array in arrays]
    return max((one for one in times if one is not None), key=lambda one: one.hours(one.mb_s), default=None)


def rebuilt_arrays(plan: Plan) -> tuple[Plan, ...]:
    """Return the outermost redundant arrays, where members are rebuilt, each once, with the links of the whole."""
    if plan.array.level.is_redundant:
        return (plan,)
    inner = (plan.on(array) for array in plan.array.inner)
    return tuple(dict.fromkeys(array for member in inner for array in rebuilt_arrays(member)))


def time_of_array(predictor: Predictor) -> RebuildTime | None:
    """Return the time for a member of the predictor's own array; None if its data are lost."""
    array = predictor.array(HEALTHY)
    return None if array is None else _time_of(array, predictor)


def _of_joined(predictor: Predictor) -> RebuildTime | None:
    """Return the time for the largest disk, which is in every array: md rebuilds arrays that share a disk in turn."""
    whole = predictor.array(HEALTHY)
    if whole is None:
        return None
    times = [_time_of(band, predictor) for band in whole.bands if band.level.is_redundant]
    if not times:
        return None
    size_bytes = sum(one.member_bytes for one in times)

    def mean(mb_s: Callable[[RebuildTime], float]) -> float:
        return size_bytes / sum(one.member_bytes / mb_s(one) for one in times)

    slowest = max(times, key=lambda one: one.hours(one.mb_s))
    return replace(
        slowest,
        member_bytes=size_bytes,
        mb_s=mean(lambda one: one.mb_s),
        low_mb_s=mean(lambda one: one.low_mb_s),
        high_mb_s=mean(lambda one: one.high_mb_s),
    )


def _time_of(array: ModelledArray, predictor: Predictor) -> RebuildTime:
    speed = rebuild_mb_s(array)
    limit_b_s = LIMIT_PASSED * (predictor.host.sync_limit_b_s or SYNC_MAX_B_S)
    lacking = tuple(predictor.assumed(Workload.SEQUENTIAL_WRITE.pattern))
    factor = exp(NINETY * hypot(OWN_SPREADS[ErrorKind.STREAM], speed.spread, *(one.spread for one in lacking)))
    return RebuildTime(
        array.size_bytes,
        speed.b_s / 1e6,
        speed.b_s / factor / 1e6,
        min(speed.b_s * factor, limit_b_s) / 1e6,
        speed.reason,
        tuple(one.sentence for one in lacking),
    )
