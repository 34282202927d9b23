"""A pool's cells: its disks measured one by one, and from that alone what its arrays do, beside what they did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidwright.analysis.performance.host import Host
from raidwright.analysis.performance.prediction import HEALTHY, Prediction, Predictor, State
from raidwright.core.model.plan import Bitmap, Plan
from raidwright.lab.machine import Lab

from ..published_check.naive import naive_mb_s
from .baselines import baselines_of
from .drawn import Cell, Drawn, Pool
from .measuring import FLASH, SPINNING, Bench
from .verdict import Row

_JIFFY_S = 1 / 100  # CONFIG_HZ of Debian's user-mode-linux


def rows_of(pool: Pool, lab: Lab) -> Iterator[Row]:
    """Every cell of ``pool``, whose disks ``lab`` has."""
    bench = Bench(lab)
    bench.shell("udevadm settle; modprobe -a raid0 raid1 raid10 raid456")
    used = {disk.id for drawn in pool.arrays for disk in drawn.plan.disks()}
    baselines = baselines_of(lab, sorted(used), seconds=2 if pool.disks[0].is_rotational else 1)
    kernel = tuple(int(part) for part in bench.shell("uname -r").split(".")[:2])
    for drawn in pool.arrays:
        plan = drawn.plan.each_disk(lambda disk: replace(disk, baseline=baselines[disk.id]))
        yield from _array_rows(pool, bench, drawn, plan, Host(kernel=kernel, jiffy_s=_JIFFY_S))


def _array_rows(pool: Pool, bench: Bench, drawn: Drawn, plan: Plan, host: Host) -> Iterator[Row]:
    predictor, times = Predictor(plan, host), SPINNING if pool.disks[0].is_rotational else FLASH
    lost = [disk.id for disk in plan.disks()][drawn.lost]
    node = bench.make(plan, bench.node_of)
    state = "healthy"
    for cell in drawn.cells:
        if cell.state != state:
            state = cell.state
            (bench.fail if state == "degraded" else bench.rebuild)(node, lost)
        said = predictor.predict(cell.workload, _state(cell, lost), seconds=times.long_seconds)
        assert said is not None
        notes = plan.bitmap is Bitmap.INTERNAL and cell.workload.writes
        if notes and state == "healthy":  # with a member lost they stay as they are
            bench.wait_until_clean(plan)
        slow = cell.state == "rebuilding" or notes
        found = bench.mb_s(node, cell.workload, times, expected_mb_s=said.mb_s, slow_start=slow)
        yield _row(pool, plan, cell, said, found, predictor)
    bench.take_apart(node, plan, bench.node_of)


def _state(cell: Cell, lost: str) -> State:
    return HEALTHY if cell.state == "healthy" else State(frozenset({lost}), rebuilding=cell.state == "rebuilding")


def _row(pool: Pool, plan: Plan, cell: Cell, said: Prediction, measured: float, predictor: Predictor) -> Row:
    pattern = cell.workload.pattern
    drive = predictor.drive(next(plan.disks()))
    naive = naive_mb_s(plan, pattern.direction, pattern.block_bytes, drive)
    return Row(
        pool.kind, _title(plan), cell, measured, said.mb_s, said.low_mb_s, said.high_mb_s, naive, said.limited_by
    )


def _title(plan: Plan) -> str:
    words = [str(plan.level), plan.layout or "", f"×{len(plan.members)}"]
    words.append(f"{plan.chunk_kib} KiB" if plan.chunk_kib else "")
    words.append("bitmap" if plan.bitmap == "internal" else "")
    return " ".join(word for word in words if word)
