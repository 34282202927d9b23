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

# One buffered file stream, and small random I/O at a high queue depth.
_WORKLOADS = (
    Workload.BUFFERED_READ,
    Workload.BUFFERED_WRITE,
    Workload.RANDOM_READ_4K_Q32,
    Workload.RANDOM_WRITE_4K_Q32,
)
_JOBS = 4  # programs, each on a core of its own: what a single core submits tells nothing of a layout


def predictions_of(plan: Plan) -> Predictions:
    """Predict ``plan``: streams, and 4 KiB random I/O at depth 32.

    Small writes are those of a working set: they return to regions whose bits in the bitmap are set, so that they don't
    wait for bitmap updates. Spread over the whole array, each would; typical programs don't write so.
    """
    predictor, working_set = Predictor(plan, HostModel()), Predictor(_without_bitmaps(plan), HostModel())
    read, write, random_read = (predictor.predict(workload) for workload in _WORKLOADS[:3])
    return Predictions(read, write, random_read, working_set.predict(_WORKLOADS[3]))


def working_set_writes(plan: Plan) -> WorkloadSpeeds:
    """Predict the small writes of ``predictions_of`` in each state: those of a working set."""
    predictor = Predictor(_without_bitmaps(plan), HostModel())
    lost = one_lost(plan, predictor)
    healthy = predictor.predict(_WORKLOADS[3], HEALTHY)
    if lost is None:
        return WorkloadSpeeds(healthy, None, None)
    degraded, rebuilding = (predictor.predict(_WORKLOADS[3], one) for one in (lost, replace(lost, rebuilding=True)))
    return WorkloadSpeeds(healthy, degraded, rebuilding)


def compared_speeds(plan: Plan, predictions: Predictions) -> PoolSpeeds:
    """Return what plans are compared by, in MB/s: ``predictions``, the small ones of flash by several programs."""
    found = [one.mb_s if one is not None else 0.0 for one in predictions]
    if any(disk.is_flash for disk in plan.disks()):
        predictor = Predictor(_without_bitmaps(plan), HostModel())
        for place in (2, 3):
            pattern = _WORKLOADS[place].pattern
            several = predictor.predict(replace(pattern, depth=pattern.depth // _JOBS, jobs=_JOBS))
            found[place] = several.mb_s if several is not None else 0.0
    return PoolSpeeds(*found)


def _without_bitmaps(plan: Plan) -> Plan:
    if isinstance(plan.top, MdArray):
        return plan.on(_without_bitmap(plan.top))
    return plan.on(replace(plan.top, arrays=tuple(map(_without_bitmap, plan.top.arrays))))


def _without_bitmap(array: MdArray) -> MdArray:
    members = tuple(_without_bitmap(one) if isinstance(one, MdArray) else one for one in array.members)
    return replace(array, members=members, bitmap=Bitmap.NONE, bitmap_chunk_kib=None)


def together(pool: tuple[Member, ...]) -> PoolSpeeds:
    """Return the sum of the speeds of ``pool``'s single disks."""
    alike = Counter(replace(disk, id="one", serial="", model="", disk=None, partition=None) for disk in pool)
    single = ((Plan(MdArray(Level.LINEAR, (disk,))), count) for disk, count in alike.items())
    alone = [(compared_speeds(plan, predictions_of(plan)), count) for plan, count in single]
    return PoolSpeeds(*(sum(count * getattr(speeds, name) for speeds, count in alone) for name in PoolSpeeds.__slots__))
