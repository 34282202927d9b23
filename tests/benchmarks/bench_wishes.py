"""Time that a dragged wish and another plan's speeds block the window, and time to open Plan for the first time.

Plan's modules are imported by then: the window does so while it is idle (``Session.warm_up``). On a busy computer the
processor time says more than the wall time.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..kit.check import report
from .timing import application

if TYPE_CHECKING:
    from raidwright.ui.window import MainWindow

DISKS, SIZES = (24, 4), ((2560, 1440), (1280, 720))
MOVES, OPENINGS = 100, 5
CHUNKS_KIB = (32, 64, 128, 256, 512, 1024)
MAX_MOVE_MS, MAX_OPENING_MS, MAX_SPEED_MS = 16, 300, 50


def _window(disks: int, size: tuple[int, int]) -> MainWindow:
    """Return the window with ``disks`` free disks, all chosen; Plan not opened yet."""
    from tests.kit import sample  # noqa: PLC0415 -- no other benchmark needs the window
    from tests.kit.pictures import still_window  # noqa: PLC0415

    window = still_window(sample.many_disks(disks))
    window.resize(*size)
    window.show()
    window.disks.choose_all()
    _settle()
    return window


def _settle() -> None:
    """Process all pending events and paint."""
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    for _round in range(4):  # an event may defer work to the next round
        QApplication.processEvents()


def _opening_ms(disks: int, size: tuple[int, int]) -> tuple[float, float]:
    """Wall and processor time until Plan is painted with all that belongs to it."""
    from raidwright.ui.station import Station  # noqa: PLC0415

    window = _window(disks, size)
    started, began = time.perf_counter(), time.process_time()
    window.show_station(Station.PLAN)
    _settle()
    wall, spent = (time.perf_counter() - started) * 1000, (time.process_time() - began) * 1000
    window.close()
    window.deleteLater()
    _settle()
    return wall, spent


def _moves_ms(disks: int, size: tuple[int, int]) -> tuple[list[float], list[float]]:
    """Wall and processor time of every move of a slider from one end to the other, until all of it is painted."""
    from PySide6.QtWidgets import QSlider  # noqa: PLC0415
    from raidwright.ui.station import Station  # noqa: PLC0415
    from raidwright.ui.stations.plan.ranking import RankingModel  # noqa: PLC0415

    window = _window(disks, size)
    window.show_station(Station.PLAN)
    slider, ranking = window.findChild(QSlider, "wish-space"), window.findChild(RankingModel)
    assert slider is not None and ranking is not None  # noqa: PT018 -- narrows the types
    slider.setValue(0)
    _settle()
    wall, spent = [], []
    for value in range(1, MOVES + 1):
        started, began = time.perf_counter(), time.process_time()
        slider.setValue(value)
        while ranking.wishes.space != value:
            _settle()
        _settle()
        wall.append((time.perf_counter() - started) * 1000)
        spent.append((time.process_time() - began) * 1000)
    window.close()
    window.deleteLater()
    _settle()
    return wall, spent


def _speeds_ms(disks: int, size: tuple[int, int]) -> tuple[list[float], list[float]]:
    """Wall and processor time of the speed beside the plan, each time for another plan."""
    from raidwright.ui.station import Station  # noqa: PLC0415
    from raidwright.ui.stations.plan.speed.summary import SpeedSummary  # noqa: PLC0415

    window = _window(disks, size)
    window.show_station(Station.PLAN)
    card = window.findChild(SpeedSummary)
    assert card is not None
    wall, spent = [], []
    for chunk_kib in CHUNKS_KIB:
        window.plan.edit_fields(chunk_kib=chunk_kib)
        started, began = time.perf_counter(), time.process_time()
        card.refresh()
        wall.append((time.perf_counter() - started) * 1000)
        spent.append((time.process_time() - began) * 1000)
        _settle()
    window.close()
    window.deleteLater()
    _settle()
    return wall, spent


def run() -> None:
    """Print medians, and what 95 of 100 stay under."""
    import raidwright.ui.stations.plan.page  # noqa: F401, PLC0415

    rows = []
    with application():
        for disks in DISKS:
            for size in SIZES:
                of = f"{disks} disks, {size[0]} × {size[1]}"
                wall, spent = zip(*(_opening_ms(disks, size) for _opening in range(OPENINGS)), strict=True)
                rows.append([f"opening Plan (median under {MAX_OPENING_MS} ms)", of, *_said(wall), *_said(spent)])
                moves = _moves_ms(disks, size)
                what = f"a wish moved (95 of 100 under {MAX_MOVE_MS} ms)"
                rows.append([what, of, *_said(moves[0]), *_said(moves[1])])
                speeds = _speeds_ms(disks, size)
                what = f"the speed beside another plan (median under {MAX_SPEED_MS} ms)"
                rows.append([what, of, *_said(speeds[0]), *_said(speeds[1])])
    columns = ["what", "of", "median", "95 of 100", "of the processor: median", "95 of 100"]
    report("wishes", columns, rows)


def _said(times: Sequence[float]) -> tuple[str, str]:
    at_95 = statistics.quantiles(times, n=20)[-1] if len(times) >= MOVES else max(times)
    return f"{statistics.median(times):.1f} ms", f"{at_95:.1f} ms"


if __name__ == "__main__":
    run()
