"""A pool's cells: its disks measured one by one, and from that alone what its arrays do, beside what they did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.prediction import HEALTHY, PredictedState, Prediction, Predictor
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright.lab.machine import Lab

from ..kit.quiet import Quiet
from ..published_check.naive import naive_mb_s
from .baselines import baselines_told
from .drawn import Cell, Drawn, Pool
from .kept import Kept
from .measuring import Bench, times_of
from .verdict import Row

JIFFY_S = 1 / 100  # CONFIG_HZ of Debian's user-mode-linux


def rows_of(pool: Pool, lab: Lab, kept: Kept) -> Iterator[Row]:
    """Yield every cell of ``pool``, whose disks are in ``lab``; the measurements go into ``kept``."""
    bench = Bench(lab)
    bench.shell("udevadm settle; modprobe -a raid0 raid1 raid10 raid456")
    used = {disk.id for drawn in pool.arrays for disk in drawn.plan.disks()}
    told = baselines_told(lab, sorted(used), seconds=2 if pool.disks[0].is_rotational else 1)
    kept.begin(bench.shell("uname -r").strip(), told)
    quiet = Quiet(lab.host_load)
    for drawn, plan, predictor in _predictors(pool, kept):
        said = _said(pool, drawn, predictor)
        for cell, one, mb_s in zip(drawn.cells, said, _measured(pool, bench, drawn, plan, said), strict=True):
            waited_share = quiet.waited_share()
            kept.add(mb_s, waited_share)
            yield replace(_row(pool, plan, cell, one, mb_s, predictor), waited_share=waited_share)


def rows_again(pool: Pool, kept: Kept) -> Iterator[Row]:
    """Yield the cells of ``pool`` that were measured and kept, beside their current predictions."""
    measured = iter(kept.measured)
    for drawn, plan, predictor in _predictors(pool, kept):
        for cell, one in zip(drawn.cells, _said(pool, drawn, predictor), strict=True):
            found = next(measured, None)
            if found is None:
                return
            yield replace(_row(pool, plan, cell, one, found[0], predictor), waited_share=found[1])


def _predictors(pool: Pool, kept: Kept) -> Iterator[tuple[Drawn, Plan, Predictor]]:
    """Each array of the pool, with what was measured of its disks."""
    baselines = kept.baselines
    for drawn in pool.arrays:
        plan = drawn.plan.each_disk(lambda disk: replace(disk, baseline=baselines[disk.id]))
        yield drawn, plan, Predictor(plan, HostModel(kernel=kept.kernel, jiffy_s=JIFFY_S, practice=True))


def _said(pool: Pool, drawn: Drawn, predictor: Predictor) -> list[Prediction]:
    seconds, lost = times_of(pool).long_seconds, _lost(drawn)
    said = [
        predictor.predict(cell.workload.pattern, _state(cell, lost), _span(cell, predictor), seconds)
        for cell in drawn.cells
    ]
    return [one for one in said if one is not None]


def _span(cell: Cell, predictor: Predictor) -> float:
    """Return the share of the array that a cell's random I/O falls within."""
    array = predictor.array()
    if cell.span_bytes is None or array is None:
        return 1.0
    return min(1.0, cell.span_bytes / array.user_bytes)


def _measured(pool: Pool, bench: Bench, drawn: Drawn, plan: Plan, said: list[Prediction]) -> Iterator[float]:
    """Yield fio's MB/s of each cell."""
    node, state = bench.make(plan, bench.node_of), "healthy"
    for cell, one in zip(drawn.cells, said, strict=True):
        if cell.state != state:
            state = cell.state
            (bench.fail if state == "degraded" else bench.rebuild)(node, _lost(drawn))
        notes = plan.array.bitmap is Bitmap.INTERNAL and cell.workload.writes
        if notes and state == "healthy":  # with a member lost they stay as they are
            bench.wait_until_clean(plan)
        slow = cell.state == "rebuilding" or notes
        yield bench.mb_s(node, cell, times_of(pool), expected_mb_s=one.mb_s, slow_start=slow)
    bench.take_apart(node, plan, bench.node_of)


def _lost(drawn: Drawn) -> str:
    return [disk.id for disk in drawn.plan.disks()][drawn.lost]


def _state(cell: Cell, lost: str) -> PredictedState:
    return (
        HEALTHY if cell.state == "healthy" else PredictedState(frozenset({lost}), rebuilding=cell.state == "rebuilding")
    )


def _row(pool: Pool, plan: Plan, cell: Cell, said: Prediction, measured: float, predictor: Predictor) -> Row:
    pattern = cell.workload.pattern
    drive = predictor.drive(next(plan.disks()))
    naive = naive_mb_s(plan, pattern.direction, pattern.block_bytes, drive)
    rates = (measured, said.mb_s, said.low_mb_s, said.high_mb_s, naive)
    return Row(*rates, pool.kind, title_of(plan.array), cell, said.limited_by)


def title_of(array: MdArray) -> str:
    """Return an array's layout as a few words."""
    words = [str(array.level), array.layout or "", f"×{len(array.members)}"]
    words.append(f"{array.chunk_kib} KiB" if array.chunk_kib else "")
    words.append("bitmap" if array.bitmap == "internal" else "")
    return " ".join(word for word in words if word)
