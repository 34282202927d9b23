"""An hour's run in the window, speeded up: only its samples stay in memory."""

from __future__ import annotations

import gc
import math
import resource
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QLabel
from raidwright.core.protocol.measured import Sample
from raidwright.ui.station import Station
from raidwright.ui.stations.measure.curve import Curve
from raidwright.ui.stations.measure.thinned import MAX_POINTS
from raidwright.ui.window import MainWindow

from .fake_session import FakeSession
from .places import press, settle

A_SECOND = 8  # samples, at fio's rate
MAX_BYTES_A_SAMPLE = 400  # its six figures, its place, and each second's monitoring


def _samples(first_minute: int, minutes: int) -> Iterator[Sample]:
    for step in range(first_minute * 60 * A_SECOND, (first_minute + minutes) * 60 * A_SECOND):
        rate = 780 + 25 * math.sin(step * 1.7)
        busy = {name: (step + place) % 97 / 97 for place, name in enumerate(("sda", "sdb", "sdc", "sdd"))}
        beside = () if step % A_SECOND else (busy, None if step % (10 * A_SECOND) else busy, "idle")
        yield Sample((step + 1) / A_SECOND, rate, 0.0, rate, 0.0, 9.8, *beside)


def _resident_bytes() -> int:
    """Return this process's resident memory (proc_pid_statm(5))."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def test_an_hour_takes_no_more_memory_than_its_samples(window: MainWindow, session: FakeSession) -> None:
    window.show_station(Station.MEASURE)
    press(window, "measure-start")
    update = session.record.jobs[-1].update
    assert update is not None
    curve = window.findChild(Curve)
    assert curve is not None

    def pass_on(first_minute: int, minutes: int) -> int:
        for place, one in enumerate(_samples(first_minute, minutes)):
            update(one)
            if place % 2400 == 0:
                settle()
        settle()
        gc.collect()
        return _resident_bytes()

    after_ten = pass_on(0, 10)
    after_an_hour = pass_on(10, 50)
    more = 50 * 60 * A_SECOND
    assert len(window.stations.measure.model.samples) == 60 * 60 * A_SECOND
    assert (after_an_hour - after_ten) / more < MAX_BYTES_A_SAMPLE
    assert curve.point_count <= MAX_POINTS
    said = window.findChild(QLabel, "measure-mb-s")
    assert said is not None
    assert 700 < float(said.text()) < 900
