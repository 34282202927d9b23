"""Pools of drawn disks whose arrays people's own fio jobs measure (``own_jobs.fio``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from raidwright.core.system.own_workload import OwnWorkload
from raidwright.reading.workload_jobs import read_workload_jobs

from .drawn import Cell, Pool, pools

KINDS = ("hdd7200", "ssd")


def own_pools(seed: int, *, arrays: int) -> Iterator[Pool]:
    """Yield a pool of each of ``KINDS``, each array with a cell for each job."""
    jobs = read_workload_jobs(Path(__file__).with_name("own_jobs.fio").read_text(encoding="utf-8"))
    cells = tuple(Cell(OwnWorkload(job.pattern), name=job.name, span_bytes=job.span_bytes) for job in jobs)
    for pool in pools(seed, arrays=arrays):
        if pool.kind in KINDS:
            yield replace(pool, arrays=tuple(replace(drawn, cells=cells) for drawn in pool.arrays))
