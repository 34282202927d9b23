"""All that is predicted of a plan: each workload, whole, with one member lost, and while that is rebuilt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from raidwright.core.messages import Message
from raidwright.core.model.plan import Member, Plan
from raidwright.core.system.workload import Workload

from .array import Array
from .host import Host
from .prediction import HEALTHY, Prediction, Predictor, State
from .rebuild import rebuild_mb_s


@dataclass(frozen=True, slots=True)
class Speeds:
    """One workload's predictions; None where the array would have lost its data, or has nothing to rebuild."""

    normal: Prediction | None
    degraded: Prediction | None
    rebuilding: Prediction | None


@dataclass(frozen=True, slots=True)
class Performance:
    """By workload, and the rebuild: along each member while nothing else goes on, and what it leaves to a stream.

    ``rebuild_hours`` is None where nothing is kept twice. ``assumes`` is each assumption once.
    """

    speeds: Mapping[Workload, Speeds]
    rebuild_mb_s: float | None
    rebuild_hours: float | None
    rebuild_limited_by: Message
    share_left: float
    assumes: tuple[Message, ...]


def performance_of(plan: Plan, host: Host | None = None) -> Performance:
    """What ``plan`` will do; of redundant arrays the first member is taken for the lost one."""
    predictor = Predictor(plan, host or Host())
    lost = one_lost(plan, predictor)
    speeds = {workload: _speeds(predictor, workload, lost) for workload in Workload}
    found = [one for each in speeds.values() for one in (each.normal, each.degraded) if one is not None]
    assumes = tuple(dict.fromkeys(sentence for one in found for sentence in one.assumes))
    rebuilt = None if lost is None else _rebuilt_array(plan, predictor)
    if rebuilt is None:
        return Performance(speeds, None, None, Message(""), 1.0, assumes)
    speed = rebuild_mb_s(rebuilt)
    hours = rebuilt.size_bytes / speed.b_s / 3600
    return Performance(
        speeds, speed.b_s / 1e6, hours, speed.reason, _left_to(speeds[Workload.SEQUENTIAL_READ]), assumes
    )


def _speeds(predictor: Predictor, workload: Workload, lost: State | None) -> Speeds:
    if lost is None:
        return Speeds(predictor.predict(workload), None, None)
    rebuilding = State(lost.lost, rebuilding=True)
    return Speeds(*(predictor.predict(workload, state) for state in (HEALTHY, lost, rebuilding)))


def _left_to(speeds: Speeds) -> float:
    return speeds.rebuilding.mb_s / speeds.degraded.mb_s if speeds.rebuilding and speeds.degraded else 1.0


def one_lost(plan: Plan, predictor: Predictor) -> State | None:
    """The state without the first disk whose loss the array outlives; None where there is none."""
    states = (State(frozenset({disk.failure_unit})) for disk in _members(plan))
    return next((state for state in states if predictor.array(state) is not None), None)


def _members(plan: Plan) -> Iterator[Member]:
    for member in plan.members:
        if isinstance(member, Plan):
            yield from _members(member)
        elif member is not None:
            yield member


def _rebuilt_array(plan: Plan, predictor: Predictor) -> Array | None:
    """The array whose member is rebuilt: the plan's own, or the first of its inner ones with redundancy."""
    inner = [member for member in plan.members if isinstance(member, Plan) and member.level.is_redundant]
    if plan.level.is_redundant or not inner:
        return predictor.array(HEALTHY)
    return Predictor(inner[0], predictor.host).array(HEALTHY)
