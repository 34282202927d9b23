"""All predictions for a plan: each workload clean, with one member lost, and during its rebuild."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message
from raidwright.core.model.plan import Layer, LinearVolume, MdArray, Member, Plan
from raidwright.core.system.workload import Workload
from raidwright.reading.workload_words import AskedWorkload, within

from .array import ModelledArray
from .asked import of_job, of_settings, of_span, of_sync
from .constants import MINUTE_S
from .host import HostModel
from .prediction import HEALTHY, PredictedState, Prediction, Predictor
from .question import Question
from .rebuild import round_of
from .rebuild_time import rebuild_time
from .several import at_members
from .syncing import SyncSpeed, speed_beside
from .typical import without_name


@dataclass(frozen=True, slots=True)
class WorkloadSpeeds:
    """One workload's predictions; None where the array would have lost its data, or has nothing to rebuild.

    ``syncing`` and ``sync``, side by side, where a check or a resync was asked for and the array can have one.
    """

    normal: Prediction | None
    degraded: Prediction | None
    rebuilding: Prediction | None
    syncing: Prediction | None = None
    sync: SyncSpeed | None = None


@dataclass(frozen=True, slots=True)
class Performance:
    """Predictions by workload, the rebuild rate along each member while the array is idle, and the share left to a
    stream.

    ``rebuild_hours`` is None where nothing is kept twice; 90 of 100 rebuilds take ``rebuild_low_hours`` to
    ``rebuild_high_hours``. ``assumes`` is each assumption once; ``own`` are
    workloads of one's own, by name, with theirs.
    """

    speeds: Mapping[Workload, WorkloadSpeeds]
    rebuild_mb_s: float | None
    rebuild_hours: float | None
    rebuild_limited_by: Message
    share_left: float
    assumes: tuple[Message, ...]
    rebuild_low_hours: float | None = None
    rebuild_high_hours: float | None = None
    own: Mapping[str, WorkloadSpeeds] = field(default_factory=dict)
    asks_sync: bool = False


def performance_of(plan: Plan, host: HostModel | None = None, question: Question | None = None) -> Performance:
    """Predict ``plan``; a redundant array's first member is the lost one.

    ``question`` adds user-defined workloads, by their names.
    """
    asked = question or Question()
    found = _performance_of(plan, host or HostModel(), asked)
    return found if asked.sync is None else replace(found, asks_sync=True)


def _performance_of(plan: Plan, host: HostModel, question: Question) -> Performance:
    predictor = Predictor(plan, host)
    lost = one_lost(plan, predictor)
    notes = tuple(of_settings(plan, host, question.sync, spares_one=lost is not None))
    asking = _Asking(plan, predictor, lost, question, notes)
    speeds = {workload: asking.speeds(AskedWorkload(workload, workload.pattern)) for workload in Workload}
    own = {one.name: asking.speeds(one) for one in question.workloads}
    assumes = each_assumption(each.normal for each in speeds.values())
    rebuilt = None if lost is None else rebuild_time(plan, predictor)
    if rebuilt is None:
        return Performance(speeds, None, None, Message(""), 1.0, assumes, own=own)
    hours, low_hours, high_hours = map(rebuilt.hours, (rebuilt.mb_s, rebuilt.high_mb_s, rebuilt.low_mb_s))
    left = _left_to(speeds[Workload.SEQUENTIAL_READ])
    mb_s, reason = rebuilt.mb_s, rebuilt.limited_by
    return Performance(speeds, mb_s, hours, reason, left, assumes, low_hours, high_hours, own=own)


def each_assumption(found: Iterable[Prediction | None]) -> tuple[Message, ...]:
    """Return what the predictions assume, each sentence once."""
    return tuple(dict.fromkeys(sentence for one in found if one is not None for sentence in one.assumes))


@dataclass(frozen=True, slots=True)
class BandSpeed:
    """Predicted MB/s of large files in one part of a joined volume: in an array of ``array_bytes``."""

    array_bytes: int
    read_mb_s: float
    write_mb_s: float


def speeds_by_place(plan: Plan, host: HostModel | None = None) -> tuple[BandSpeed, ...]:
    """Return the speeds of a joined volume's parts, from its beginning on; () for other plans."""
    if plan.volume is None:
        return ()
    predictor = Predictor(plan, host or HostModel())
    whole = predictor.array()
    sizes = [band.user_bytes for band in whole.bands] if whole is not None else []
    reads, writes = map(predictor.of_each_band, (Workload.BUFFERED_READ, Workload.BUFFERED_WRITE))
    return tuple(BandSpeed(*found) for found in zip(sizes, reads, writes, strict=True))


def alone_of(plan: Plan, host: HostModel | None = None) -> Mapping[Workload, Prediction]:
    """Return, by workload, the prediction of the best of ``plan``'s members as a single disk."""
    alone = _each_alone(plan, host or HostModel())
    return {workload: _best_of(alone, AskedWorkload(workload, workload.pattern)) for workload in Workload}


def own_alone_of(plan: Plan, own: Iterable[AskedWorkload], host: HostModel | None = None) -> Mapping[str, Prediction]:
    """Return the same for user-defined workloads, by name."""
    alone = _each_alone(plan, host or HostModel())
    return {one.name: _best_of(alone, one) for one in own}


def _each_alone(plan: Plan, host: HostModel) -> list[Predictor]:
    unlike = {without_name(disk) for disk in _members(plan.top)}
    return [Predictor(Plan(MdArray(Level.LINEAR, (disk,)), plan.links), host) for disk in unlike]


def _best_of(alone: Iterable[Predictor], asked: AskedWorkload) -> Prediction:
    found = (_alone(predictor, asked) for predictor in alone)
    return max((one for one in found if one is not None), key=lambda one: one.mb_s)


def _alone(predictor: Predictor, asked: AskedWorkload) -> Prediction | None:
    disk = predictor.array()
    if disk is None:
        return None
    span = min(1.0, (asked.span_bytes or disk.user_bytes) / disk.user_bytes)
    return predictor.predict(asked.pattern, HEALTHY, span, asked.seconds or MINUTE_S)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A plan to predict under many workloads, in all of its states."""

    plan: Plan
    predictor: Predictor
    lost: PredictedState | None
    question: Question
    notes: tuple[Message, ...]  # on settings without effect

    def speeds(self, asked: AskedWorkload) -> WorkloadSpeeds:
        """Return each state's prediction, with the question's assumptions added."""
        asked = within(asked, self.question.span_bytes)
        states: list[PredictedState | None] = [HEALTHY, self.lost, self.lost and replace(self.lost, rebuilding=True)]
        normal, degraded, rebuilding = (self._of(asked, state) for state in states)
        syncing, sync = self._beside_sync(asked)
        return WorkloadSpeeds(normal, degraded, rebuilding, syncing, sync)

    def _of(self, asked: AskedWorkload, state: PredictedState | None) -> Prediction | None:
        whole = self.predictor.array()
        if state is None or whole is None:
            return None
        span = min(1.0, (asked.span_bytes or whole.user_bytes) / whole.user_bytes)
        found = self.predictor.predict(asked.pattern, state, span, asked.seconds or MINUTE_S)
        notes = (
            *self.notes,
            *of_job(asked),
            *of_span(asked.pattern, asked.span_bytes, whole.user_bytes),
            *(of_sync(whole, state.sync) if state.sync else ()),
        )
        return replace(found, assumes=(*found.assumes, *notes)) if found is not None and notes else found

    def _beside_sync(self, asked: AskedWorkload) -> tuple[Prediction | None, SyncSpeed | None]:
        sync = self.question.sync
        if sync is None or self.lost is None:
            return None, None
        array = _rebuilt_array(self.plan, self.predictor)
        whole, alone = self.predictor.array(), self._of(asked, HEALTHY)
        if array is None or whole is None or alone is None:
            return None, None
        each = round_of(whole, at_members(asked.pattern), alone.mb_s * 1e6)
        return self._of(asked, PredictedState(sync=sync)), speed_beside(array, sync, each)


def _left_to(speeds: WorkloadSpeeds) -> float:
    return speeds.rebuilding.mb_s / speeds.degraded.mb_s if speeds.rebuilding and speeds.degraded else 1.0


def one_lost(plan: Plan, predictor: Predictor) -> PredictedState | None:
    """Return the state without the first disk whose loss the array survives; None if there is none."""
    units = Counter(disk.failure_unit for disk in _members(plan.top))  # of a joined plan, the disk in most arrays
    states = (PredictedState(frozenset({unit})) for unit, _ in units.most_common())
    return next((state for state in states if predictor.array(state) is not None), None)


def _members(layer: Layer) -> Iterator[Member]:
    for member in layer.arrays if isinstance(layer, LinearVolume) else layer.members:
        if isinstance(member, MdArray):
            yield from _members(member)
        elif member is not None:
            yield member


def _rebuilt_array(plan: Plan, predictor: Predictor) -> ModelledArray | None:
    """Return the array whose member is rebuilt: the plan's own, or its first inner array with redundancy."""
    inner = [array for array in plan.top.inner if array.level.is_redundant]
    if not inner or (isinstance(plan.top, MdArray) and plan.top.level.is_redundant):
        return predictor.array(HEALTHY)
    return Predictor(Plan(inner[0]), predictor.host).array(HEALTHY)
