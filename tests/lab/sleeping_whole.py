"""An hour of the real open window over disks that sleep, under `make sleep-check`: each station visited, none woken."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen

from .test_sleeping_disks import BUILD, fall_asleep, power_of

pytestmark = pytest.mark.lab

_MINUTES = float(os.environ.get("SLEEP_MINUTES", "60"))
_BETWEEN_S = 120.0
_STATIONS = ("disks", "plan", "prove", "build", "measure", "arrays")


@pytest.fixture
def lab() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("4x128MB:hdd7200"))) as machine:
        machine.exec(["sh", "-c", BUILD])
        yield machine


def test_an_hour_of_the_open_window_wakes_no_disk(lab: Lab, tmp_path: Path) -> None:
    fall_asleep(lab)
    before = power_of(lab)
    with (
        VirtualScreen() as screen,
        Pilot(screen, ["gui", "--machine", f"lab:{lab.name}"], {"XDG_DATA_HOME": str(tmp_path)}) as pilot,
    ):
        pilot.click("rail-disks")
        pilot.wait("disks-table", lambda table: table.text.count("tank") == 2)
        end = time.monotonic() + 60 * _MINUTES
        while time.monotonic() < end:
            for station in _STATIONS:
                pilot.click(f"rail-{station}")
            time.sleep(min(_BETWEEN_S, max(0.0, end - time.monotonic())))
            assert power_of(lab) == before
    assert power_of(lab) == before
