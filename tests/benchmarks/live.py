"""An hour's run in the window, speeded up: the processor's time for each frame, from its sample to the picture.

On an idle computer that is how long it takes; what else runs doesn't count.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from statistics import quantiles

from raidwright.core.protocol.measured import Sample

from ..kit.check import report
from .timing import application

A_SECOND, HOUR = 8, 3600  # samples, as fio tells; seconds
DISKS = 8  # that tell their load each second
MINUTES, FRAMES = (1, 10, 30, 59), 240  # where frames are looked at, and how many there


def _sample(step: int) -> Sample:
    rate = 780 + 25 * math.sin(step * 1.7)
    if step % A_SECOND:
        return Sample((step + 1) / A_SECOND, rate, 0.0, rate, 0.0, 9.8)
    busy = {f"sd{chr(ord('a') + place)}": (step + place) % 97 / 97 for place in range(DISKS)}
    celsius = None if step % (10 * A_SECOND) else {name: 30 + 10 * share for name, share in busy.items()}
    return Sample((step + 1) / A_SECOND, rate, 0.0, rate, 0.0, 9.8, busy, celsius, "idle")


def _row(minute: int, frames_ms: Sequence[float]) -> list[str]:
    cuts = quantiles(frames_ms, n=100)
    under = sum(one < 16 for one in frames_ms) / len(frames_ms)
    return [f"from minute {minute}", f"{cuts[49]:.1f}", f"{cuts[94]:.1f}", f"{cuts[98]:.1f}", f"{under:.0%}"]


def run() -> None:
    """Print how long frames take at several places of the hour."""
    from raidwright.ui.station import Station  # noqa: PLC0415 -- few benchmarks need Qt

    from tests.kit.pictures import still_window  # noqa: PLC0415

    rows, frames_ms = [], list[float]()
    with application() as app:
        window = still_window()
        window.show()
        window.show_station(Station.MEASURE)
        window.stations.measure.model.seconds = HOUR
        window.stations.measure.model.start()
        app.processEvents()
        for step in range(HOUR * A_SECOND):
            minute, frame = divmod(step, 60 * A_SECOND)
            looked_at = minute in MINUTES and frame < FRAMES
            started = time.process_time()
            window.stations.measure.model.job.sampled.emit(_sample(step))
            if looked_at:
                app.processEvents()  # layout and paint as well
                frames_ms.append((time.process_time() - started) * 1000)
                if frame == FRAMES - 1:
                    rows.append(_row(minute, frames_ms))
                    frames_ms = []
        window.close_unasked()
        window.deleteLater()
    report("live", ["of an hour's run", "median ms", "95 of 100 ms", "99 of 100 ms", "under 16 ms (wanted: 95%)"], rows)


if __name__ == "__main__":
    run()
