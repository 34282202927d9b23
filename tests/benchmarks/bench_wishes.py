"""How long a dragged wish holds the window, and how soon Plan stands when it is first looked at."""

from __future__ import annotations

import os
import statistics
import time
from typing import TYPE_CHECKING

from .table import report

if TYPE_CHECKING:
    from raidwright.ui.window import MainWindow

DISKS, SIZES = (24, 4), ((2560, 1440), (1280, 720))
MOVES, OPENINGS = 100, 5
MOST_MOVE_MS, MOST_OPENING_MS = 16, 300


def _window(disks: int, size: tuple[int, int]) -> MainWindow:
    """The window with all of so many free disks chosen; Plan not yet looked at."""
    from raidwright.ui import sample  # noqa: PLC0415 -- no other benchmark needs the window
    from raidwright.ui.pictures import still_window  # noqa: PLC0415

    window = still_window(sample.many_disks(disks))
    window.resize(*size)
    window.show()
    window.disks.choose_all()
    _settle()
    return window


def _settle() -> None:
    """Let everything that is due happen and be painted."""
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    for _round in range(4):  # what an event puts off comes with the next
        QApplication.processEvents()


def _opening_ms(disks: int, size: tuple[int, int]) -> float:
    from raidwright.ui.rail import Station  # noqa: PLC0415

    window = _window(disks, size)
    started = time.perf_counter()
    window.show_station(Station.PLAN)
    _settle()
    passed = (time.perf_counter() - started) * 1000
    window.close()
    window.deleteLater()
    _settle()
    return passed


def _moves_ms(disks: int, size: tuple[int, int]) -> tuple[list[float], list[float]]:
    """Wall and processor time of every move of a slider from one end to the other, until all of it is painted."""
    from PySide6.QtWidgets import QSlider  # noqa: PLC0415
    from raidwright.ui.plan.ranking import RankingModel  # noqa: PLC0415
    from raidwright.ui.rail import Station  # noqa: PLC0415

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


def _at_95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def run() -> None:
    """Print the median and the 95th of 100 moves, and the median of the first openings but one: that one imports."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415
    from raidwright.ui import theme  # noqa: PLC0415

    app = QApplication([])
    theme.install(app)
    rows = []
    for disks in DISKS:
        for size in SIZES:
            of = f"{disks} disks, {size[0]} × {size[1]}"
            first, *others = (_opening_ms(disks, size) for _opening in range(OPENINGS))
            opening = f"{statistics.median(others):.0f} ms ({first:.0f} at first)"
            rows.append(["opening Plan", f"{of} (at most {MOST_OPENING_MS} ms)", opening, "", ""])
            wall, spent = _moves_ms(disks, size)
            rows.append(
                [
                    "a wish moved",
                    f"{of} (95 of 100 under {MOST_MOVE_MS} ms)",
                    f"{statistics.median(wall):.1f} ms",
                    f"{_at_95(wall):.1f} ms",
                    f"{_at_95(spent):.1f} ms",
                ]
            )
    report("wishes", ["what", "of", "median", "95 of 100 under", "processor time, 95 of 100"], rows)
    app.shutdown()


if __name__ == "__main__":
    run()
