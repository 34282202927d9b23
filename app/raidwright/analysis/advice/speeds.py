"""Speed of a candidate relative to one disk of its pool: predictions for the actual disks, or for typical ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.of_plan import WorkloadSpeeds, one_lost
from raidwright.analysis.performance.prediction import HEALTHY, Predictor
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.system.workload import Workload

from .figures import PoolSpeeds, Predictions

_JOBS = 4  # programs, each on a core of its own: what a single core submits says nothing of a layout
_STREAMS = (Workload.BUFFERED_READ, Workload.BUFFERED_WRITE)
_SMALL_READS, _SMALL_WRITES = (
    replace(workload.pattern, depth=workload.pattern.depth // _JOBS, jobs=_JOBS)
    for workload in (Workload.RANDOM_READ_4K_Q32, Workload.RANDOM_WRITE_4K_Q32)
)


def predictions_of(plan: Plan) -> Predictions:
    """Predict ``plan``: streams, and 4 KiB random I/O of ``_JOBS`` programs with 32 requests in flight.

    Small writes are those of a working set: they return to regions whose bits in the bitmap are set, so that they don't
    wait for bitmap updates. Spread over the whole array, each would; typical programs don't write so.
    """
    predictor, working_set = Predictor(plan, HostModel()), Predictor(_without_bitmaps(plan), HostModel())
    read, write = (predictor.predict(workload) for workload in _STREAMS)
    return Predictions(read, write, predictor.predict(_SMALL_READS), working_set.predict(_SMALL_WRITES))


def working_set_writes(plan: Plan) -> WorkloadSpeeds:
    """Predict small writes in each state: those of a working set, as ``predictions_of`` has them, of one program."""
    predictor = Predictor(_without_bitmaps(plan), HostModel())
    lost = one_lost(plan, predictor)
    healthy = predictor.predict(Workload.RANDOM_WRITE_4K_Q32, HEALTHY)
    if lost is None:
        return WorkloadSpeeds(healthy, None, None)
    states = (lost, replace(lost, rebuilding=True))
    degraded, rebuilding = (predictor.predict(Workload.RANDOM_WRITE_4K_Q32, state) for state in states)
    return WorkloadSpeeds(healthy, degraded, rebuilding)


def _without_bitmaps(plan: Plan) -> Plan:
    if isinstance(plan.top, MdArray):
        return plan.on(_without_bitmap(plan.top))
    return plan.on(replace(plan.top, arrays=tuple(map(_without_bitmap, plan.top.arrays))))


def _without_bitmap(array: MdArray) -> MdArray:
    members = tuple(_without_bitmap(one) if isinstance(one, MdArray) else one for one in array.members)
    return replace(array, members=members, bitmap=Bitmap.NONE, bitmap_chunk_kib=None)


def mb_s_of(predictions: Predictions) -> PoolSpeeds:
    """Return ``predictions`` in MB/s, 0 if an array has lost its data."""
    return PoolSpeeds(*(one.mb_s if one is not None else 0.0 for one in predictions))


def together(pool: tuple[Member, ...]) -> PoolSpeeds:
    """Return the sum of the speeds of ``pool``'s single disks."""
    alike = Counter(replace(disk, id="one", serial="", model="", disk=None, partition=None) for disk in pool)
    alone = [(mb_s_of(predictions_of(Plan(MdArray(Level.LINEAR, (disk,))))), count) for disk, count in alike.items()]
    return PoolSpeeds(*(sum(count * getattr(speeds, name) for speeds, count in alone) for name in PoolSpeeds.__slots__))
