"""All predictions for a plan: each workload clean, with one member lost, and during its rebuild."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import exp, hypot

from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message
from raidwright.core.model.plan import Member, Plan
from raidwright.core.system.workload import Workload

from .array import Array
from .bounds import Bound
from .host import Host
from .prediction import HEALTHY, NINETY, Prediction, Predictor, State
from .rebuild import MOST_B_S, rebuild_mb_s

_OF_REBUILDS = 0.12  # log deviation of rebuilds from the prediction with all disk figures known: as of streams


@dataclass(frozen=True, slots=True)
class Speeds:
    """One workload's predictions; None if the array would have lost its data, or has nothing to rebuild."""

    normal: Prediction | None
    degraded: Prediction | None
    rebuilding: Prediction | None


@dataclass(frozen=True, slots=True)
class Performance:
    """Predictions by workload, the rebuild rate along each member while the array is idle, and the share left to a
    stream.

    ``rebuild_hours`` is None without redundancy; 90 of 100 rebuilds take ``rebuild_low_hours`` to
    ``rebuild_high_hours``. ``assumes`` lists each assumption once.
    """

    speeds: Mapping[Workload, Speeds]
    rebuild_mb_s: float | None
    rebuild_hours: float | None
    rebuild_limited_by: Message
    share_left: float
    assumes: tuple[Message, ...]
    rebuild_low_hours: float | None = None
    rebuild_high_hours: float | None = None


def performance_of(plan: Plan, host: Host | None = None) -> Performance:
    """Predict ``plan``; degraded means without the first member whose loss the array survives."""
    predictor = Predictor(plan, host or Host())
    lost = one_lost(plan, predictor)
    speeds = {workload: _speeds(predictor, workload, lost) for workload in Workload}
    found = [one for each in speeds.values() for one in (each.normal, each.degraded) if one is not None]
    assumes = tuple(dict.fromkeys(sentence for one in found for sentence in one.assumes))
    rebuilt = None if lost is None else _rebuilt_array(plan, predictor)
    if rebuilt is None:
        return Performance(speeds, None, None, Message(""), 1.0, assumes)
    speed = rebuild_mb_s(rebuilt)
    hours = [rebuilt.size_bytes / b_s / 3600 for b_s in (speed.b_s, *_rebuild_band(predictor, speed))]
    left = _left_to(speeds[Workload.SEQUENTIAL_READ])
    return Performance(speeds, speed.b_s / 1e6, hours[0], speed.reason, left, assumes, *hours[1:])


def alone_of(plan: Plan, host: Host | None = None) -> Mapping[Workload, Prediction]:
    """Return, by workload, the prediction for the fastest of ``plan``'s members as a single disk."""
    unlike = {replace(one, id="one", serial="", model="", disk=None, partition=None) for one in _members(plan)}
    alone = [Predictor(Plan(Level.LINEAR, (disk,), links=plan.links), host or Host()) for disk in unlike]
    found = {workload: [predictor.predict(workload) for predictor in alone] for workload in Workload}
    return {workload: max(filter(None, each), key=lambda one: one.mb_s) for workload, each in found.items()}


def _rebuild_band(predictor: Predictor, speed: Bound) -> tuple[float, float]:
    """Return (fastest, slowest) bytes per second; md's speed limit caps the fastest."""
    spreads = (one.spread for one in predictor.assumed(Workload.SEQUENTIAL_WRITE.pattern))
    factor = exp(NINETY * hypot(_OF_REBUILDS, speed.spread, *spreads))
    return min(speed.b_s * factor, MOST_B_S), speed.b_s / factor


def _speeds(predictor: Predictor, workload: Workload, lost: State | None) -> Speeds:
    if lost is None:
        return Speeds(predictor.predict(workload), None, None)
    rebuilding = State(lost.lost, rebuilding=True)
    return Speeds(*(predictor.predict(workload, state) for state in (HEALTHY, lost, rebuilding)))


def _left_to(speeds: Speeds) -> float:
    return speeds.rebuilding.mb_s / speeds.degraded.mb_s if speeds.rebuilding and speeds.degraded else 1.0


def one_lost(plan: Plan, predictor: Predictor) -> State | None:
    """Return the state without the first disk whose loss the array survives; None if there is none."""
    states = (State(frozenset({disk.failure_unit})) for disk in _members(plan))
    return next((state for state in states if predictor.array(state) is not None), None)


def _members(plan: Plan) -> Iterator[Member]:
    for member in plan.members:
        if isinstance(member, Plan):
            yield from _members(member)
        elif member is not None:
            yield member


def _rebuilt_array(plan: Plan, predictor: Predictor) -> Array | None:
    """Return the array whose member is rebuilt: the plan's own, or its first inner array with redundancy."""
    inner = [member for member in plan.members if isinstance(member, Plan) and member.level.is_redundant]
    if plan.level.is_redundant or not inner:
        return predictor.array(HEALTHY)
    return Predictor(inner[0], predictor.host).array(HEALTHY)
