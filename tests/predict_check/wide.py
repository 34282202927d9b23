"""Streams of a wide raid5, whose stripe is larger than a request to it was before Linux 7.0 (``core.md.known``)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.system.workload import Workload

from .drawn import Cell, Drawn, Pool, disks_like, spinning

_KIND, _DISKS, _GB, _CHUNK_KIB = "hdd7200", 8, 64, 512
_STREAMS = (
    Workload.SEQUENTIAL_READ,
    Workload.SEQUENTIAL_WRITE,
    Workload.BUFFERED_READ,
    Workload.BUFFERED_WRITE,
)


def wide_pools(seed: int) -> Iterator[Pool]:
    """Yield one pool of drawn disks, all of them in one array: a stripe of 3.5 MiB."""
    random = Random(seed)  # noqa: S311  # to be repeatable
    disks = disks_like(random, _KIND, spinning(7200, (7.5, 9.5))(random), (_GB,) * _DISKS)
    plan = Plan(
        MdArray(
            Level.RAID5,
            tuple(Member(disk.serial, disk.size_bytes) for disk in disks),
            name="wide",
            layout="left-symmetric",
            chunk_kib=_CHUNK_KIB,
            bitmap=Bitmap.NONE,
            assume_clean=True,
        )
    )
    yield Pool(_KIND, 1.0, disks, (Drawn(plan, 0, tuple(map(Cell, _STREAMS))),))
