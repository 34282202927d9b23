"""Time until the stage is recoloured after a click: 24 disks × 200 rows, states and paint together."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from raidwright.analysis.assessment import assess
from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.reading.pool import imagined_members, parse_pool

from ..kit.check import report
from .timing import application

DISKS, ROWS, WIDTH = 24, 200, 1000
ROUNDS = 25


def _plans() -> Iterator[tuple[str, Plan]]:
    disks = imagined_members(parse_pool(f"{DISKS}x8TB"))
    for level, layout in ((Level.RAID5, None), (Level.RAID6, None), (Level.RAID10, "n2"), (Level.RAID10, "f2")):
        yield f"{level} {layout or ''}".strip(), Plan(MdArray(level, disks, layout=layout))
    pairs = (MdArray(Level.RAID1, disks[start : start + 2]) for start in range(0, DISKS, 2))
    yield "raid0 of raid1", Plan(MdArray(Level.RAID0, tuple(pairs)))


def _recolouring_ms(plan: Plan) -> float:
    """Return the median over clicks on one disk after the other, each drawn into an image of all rows."""
    from PySide6.QtCore import QPoint  # noqa: PLC0415 -- no other benchmark needs Qt
    from PySide6.QtGui import QImage  # noqa: PLC0415
    from raidwright.ui.stations.plan.stage.columns import columns_of  # noqa: PLC0415
    from raidwright.ui.stations.plan.stage.layout import height_of  # noqa: PLC0415
    from raidwright.ui.stations.plan.stage.stage import PlanStage  # noqa: PLC0415

    bands = 2 if plan.array.layout == "f2" else 1
    stage = PlanStage()
    stage.resize(WIDTH, height_of(ROWS // bands, bands))
    stage.show_layout(geometry_of(plan), columns_of(assess(plan)))
    image = QImage(stage.size(), QImage.Format.Format_RGB32)
    stage.render(image, QPoint())
    times = []
    for turn in range(ROUNDS):
        started = time.perf_counter()
        stage.show_failures(frozenset({turn % DISKS}))
        stage.render(image, QPoint())
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def run() -> None:
    """Print the medians of ``ROUNDS`` clicks."""
    of = f"{DISKS} disks × {ROWS} rows (at most 16 ms)"
    with application():
        rows = [[f"recolouring {name}", of, f"{_recolouring_ms(plan):.1f} ms"] for name, plan in _plans()]
    report("stage", ["what", "of", "median"], rows)


if __name__ == "__main__":
    run()
