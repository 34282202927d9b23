"""The one rebuild time that is said of an array, and that its loss takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, hypot

from raidwright.core.messages import Message
from raidwright.core.model.plan import Plan
from raidwright.core.system.workload import Workload

from .host import Host
from .prediction import HEALTHY, NINETY, Predictor
from .rebuild import MOST_B_S, rebuild_mb_s

_OF_REBUILDS = 0.12  # how far one is from what is predicted when all is known of the disks: as streams are


@dataclass(frozen=True, slots=True)
class RebuildTime:
    """A rebuild while nobody else uses the array: decimal MB/s along each member, for ``member_bytes``.

    90 of 100 rebuilds go at ``low_mb_s`` to ``high_mb_s``. ``assumes`` is each assumption on the members once.
    """

    member_bytes: int
    mb_s: float
    low_mb_s: float
    high_mb_s: float
    limited_by: Message
    assumes: tuple[Message, ...]

    def hours(self, mb_s: float) -> float:
        """Hours that it takes at so many MB/s."""
        return self.member_bytes / (mb_s * 1e6) / 3600


def rebuild_time(plan: Plan, predictor: Predictor | None = None) -> RebuildTime | None:
    """The time for one member of ``plan``, or of an array in it, whichever ``rebuilt_arrays`` names and takes longest.

    None where nothing is kept twice. ``predictor`` is that of ``plan``, if there is one.
    """
    arrays = rebuilt_arrays(plan)
    if arrays == (plan,) and predictor is not None:
        return time_of_array(predictor)
    times = [time_of_array(Predictor(array, predictor.host if predictor else Host())) for array in arrays]
    return max((one for one in times if one is not None), key=lambda one: one.hours(one.mb_s), default=None)


def rebuilt_arrays(plan: Plan) -> tuple[Plan, ...]:
    """The outermost arrays with redundancy, each once, with the links of the whole: there members are rebuilt."""
    if plan.level.is_redundant:
        return (plan,)
    inner = (replace(member, links=plan.links) for member in plan.members if isinstance(member, Plan))
    return tuple(dict.fromkeys(array for member in inner for array in rebuilt_arrays(member)))


def time_of_array(predictor: Predictor) -> RebuildTime | None:
    """The time for a member of the predictor's own array; None where its data are gone."""
    array = predictor.array(HEALTHY)
    if array is None:
        return None
    speed = rebuild_mb_s(array)
    limit_b_s = predictor.host.sync_limit_b_s or MOST_B_S
    lacking = tuple(predictor.assumed(Workload.SEQUENTIAL_WRITE.pattern))
    factor = exp(NINETY * hypot(_OF_REBUILDS, speed.spread, *(one.spread for one in lacking)))
    return RebuildTime(
        array.size_bytes,
        speed.b_s / 1e6,
        speed.b_s / factor / 1e6,
        max(speed.b_s, min(speed.b_s * factor, limit_b_s)) / 1e6,
        speed.reason,
        tuple(one.sentence for one in lacking),
    )
