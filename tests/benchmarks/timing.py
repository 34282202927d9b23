"""Timing of the benchmarks: medians of repeated runs, and a Qt application to time the window in."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def median_ms(work: Callable[[], object], rounds: int) -> float:
    """Return the median wall time of ``rounds`` runs of ``work``."""
    times_ms = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times_ms.append((time.perf_counter() - started) * 1000)
    return statistics.median(times_ms)


@contextmanager
def application() -> Iterator[QApplication]:
    """Run the block with an application without a screen, in the program's theme."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415 -- few benchmarks need Qt
    from raidwright.ui import theme  # noqa: PLC0415

    app = QApplication([])
    theme.install(app)
    yield app
    app.shutdown()
