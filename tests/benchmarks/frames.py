"""Frames while a hand is on the window: a wish dragged over 24 disks, and the stage scrolled; `live` has a run's.

A frame is what the window does between two moves of the hand, 60 a second: the move, what it sets off and what earlier
ones put off, and the picture. Counted is the processor's time, of all threads; what else runs doesn't count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import quantiles
from typing import TYPE_CHECKING

from ..kit.check import report
from .bench_wishes import SIZES, _settle, _window
from .timing import application

if TYPE_CHECKING:
    from raidwright.ui.window import MainWindow

DISKS, FRAMES, FRAME_MS = 24, 300, 16.0
_A_FRAME_SECONDS = 1 / 60


def _frames_ms(move: Callable[[int], object]) -> list[float]:
    """The processor's time of each frame while ``move(n)`` is made 60 times a second."""
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415 -- few benchmarks need Qt

    times = []
    for number in range(FRAMES):
        began, passed = time.process_time(), time.monotonic()
        move(number)
        QApplication.processEvents()
        times.append((time.process_time() - began) * 1000)
        time.sleep(max(0.0, _A_FRAME_SECONDS - (time.monotonic() - passed)))
    return times


@contextmanager
def _planning(size: tuple[int, int]) -> Iterator[MainWindow]:
    from raidwright.ui.station import Station  # noqa: PLC0415

    window = _window(DISKS, size)
    window.show_station(Station.PLAN)
    _settle()
    yield window
    window.close_unasked()
    window.deleteLater()
    _settle()


def _dragging(window: MainWindow) -> list[float]:
    from PySide6.QtWidgets import QSlider  # noqa: PLC0415

    slider = window.findChild(QSlider, "wish-space")
    assert slider is not None
    return _frames_ms(lambda number: slider.setValue(abs(number % 200 - 100)))


def _wheeling(window: MainWindow) -> list[float]:
    """A notch of the wheel a frame, which is faster than any hand."""
    from PySide6.QtCore import QPoint, QPointF, Qt  # noqa: PLC0415
    from PySide6.QtGui import QWheelEvent  # noqa: PLC0415
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415
    from raidwright.ui.stations.plan.stage.stage import PlanStage  # noqa: PLC0415

    stage = window.findChild(PlanStage)
    assert stage is not None
    middle, notch = QPointF(stage.rect().center()), QPoint(0, -120)
    none = (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase)

    def turn(_number: int) -> None:
        event = QWheelEvent(middle, stage.mapToGlobal(middle), QPoint(), notch, *none, False)
        QApplication.sendEvent(stage, event)

    times = _frames_ms(turn)
    assert stage.first > FRAMES
    return times


def _dragging_the_bar(window: MainWindow) -> list[float]:
    """The scroll bar's handle: every row is another one."""
    from PySide6.QtWidgets import QScrollBar  # noqa: PLC0415

    rows = window.findChild(QScrollBar, "stage-rows")
    assert rows is not None
    assert rows.maximum() > FRAMES
    return _frames_ms(lambda number: rows.setValue(number + 1))


def _row(what: str, size: tuple[int, int], times: Sequence[float]) -> list[str]:
    cuts, share = quantiles(times, n=100), sum(one < FRAME_MS for one in times) / len(times)
    of = f"{DISKS} disks, {size[0]} × {size[1]}"
    return [what, of, f"{cuts[49]:.1f}", f"{cuts[94]:.1f}", f"{max(times):.1f}", f"{share:.0%}"]


def run() -> None:
    """Print how long frames take, and the share of them under 16 ms."""
    rows = []
    with application():
        for size in SIZES:
            with _planning(size) as window:
                rows.append(_row("a wish dragged", size, _dragging(window)))
                rows.append(_row("the stage scrolled, by the wheel", size, _wheeling(window)))
                rows.append(_row("the stage scrolled, by the bar", size, _dragging_the_bar(window)))
    report("frames", ["what", "of", "median ms", "95 of 100 ms", "longest ms", "under 16 ms (wanted: 95%)"], rows)


if __name__ == "__main__":
    run()
