"""How fast a candidate will be, beside one disk of its pool: predictions for the disks at hand, or for typical ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from raidwright.analysis.performance.host import Host
from raidwright.analysis.performance.prediction import Predictor
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, Member, Plan
from raidwright.core.system.workload import Workload

from .figures import Predictions, Speeds

# One stream of a file through the page cache, and small accesses from many programs.
_WORKLOADS = (
    Workload.BUFFERED_READ,
    Workload.BUFFERED_WRITE,
    Workload.RANDOM_READ_4K_Q32,
    Workload.RANDOM_WRITE_4K_Q32,
)


def predictions_of(plan: Plan) -> Predictions:
    """What is predicted of ``plan``: streams, and 4 KiB accesses at depth 32.

    Small writes are those of a working set: they come back to places whose bits in the bitmap are set, and don't pay
    for setting them. Spread over the whole array, each would; no program that anybody builds an array for does that.
    """
    predictor, working_set = Predictor(plan, Host()), Predictor(_without_bitmaps(plan), Host())
    read, write, random_read = (predictor.predict(workload) for workload in _WORKLOADS[:3])
    return Predictions(read, write, random_read, working_set.predict(_WORKLOADS[3]))


def _without_bitmaps(plan: Plan) -> Plan:
    members = tuple(_without_bitmaps(one) if isinstance(one, Plan) else one for one in plan.members)
    return replace(plan, members=members, bitmap=Bitmap.NONE, bitmap_chunk_kib=None)


def mb_s_of(predictions: Predictions) -> Speeds:
    """``predictions`` in MB/s, 0 where an array has lost its data."""
    return Speeds(*(one.mb_s if one is not None else 0.0 for one in predictions))


def together(pool: tuple[Member, ...]) -> Speeds:
    """The disks of ``pool``, each for itself, added up."""
    alike = Counter(replace(disk, id="one", serial="", model="", disk=None, partition=None) for disk in pool)
    alone = [(mb_s_of(predictions_of(Plan(Level.LINEAR, (disk,)))), count) for disk, count in alike.items()]
    return Speeds(*(sum(count * getattr(speeds, name) for speeds, count in alone) for name in Speeds.__slots__))
