"""The tour by real clicks: a disk fails in a practice machine, is replaced, and the array is whole again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.lab import machine, shelf
from raidwright.lab.machine import Lab

from tests.kit import steps
from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen

from .arrays_whole import FAST

pytestmark = pytest.mark.lab
NAME = "tour"
DISKS = "5x2GB"
SERIALS = [disk.serial for disk in shelf.disks_from_text(DISKS, at_memory_speed=True)]
PATIENCE_S = 120


@pytest.fixture
def own_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A machine as the tour starts it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with machine.start(machine.LabSpec(shelf.disks_from_text(DISKS, at_memory_speed=True)), name=NAME) as lab:
        lab.exec(["sh", "-c", FAST])
        yield lab


def _says(pilot: Pilot, number: int) -> None:
    pilot.wait("tour-tag", lambda tag: tag.text == f"Tour {number} of 10", seconds=PATIENCE_S)


def test_a_disk_fails_is_replaced_and_the_array_is_whole(own_lab: Lab, tmp_path: Path) -> None:
    with VirtualScreen() as screen, Pilot(screen, ["gui", "--machine", f"lab:{NAME}"], {}) as pilot:
        pilot.wait("disks-table", lambda table: len(table.text.splitlines()) == 5, seconds=PATIENCE_S)
        pilot.click("window-menu-button")
        pilot.click("window-menu", part="menu-tour")
        _says(pilot, 2)
        for serial in SERIALS[:4]:
            pilot.click("disks-table", part=serial)
        pilot.click("disks-next")
        pilot.click("level-raid5")
        _says(pilot, 3)
        steps.review(pilot)
        _says(pilot, 4)
        steps.build(pilot, "tank")
        _says(pilot, 6)
        screen.picture(tmp_path / "1-whole.png")
        pilot.click("tour-fail")
        _says(pilot, 7)
        screen.picture(tmp_path / "2-degraded.png")
        pilot.click("degraded-tank-open")
        _says(pilot, 8)
        pilot.click(f"newcomer-{SERIALS[4]}", across=0.05)
        pilot.click("repair-name")
        pilot.write("tank")
        pilot.click("repair-go")
        _says(pilot, 10)
        screen.picture(tmp_path / "3-whole-again.png")
        pilot.click("tour-leave")
        own_lab.exec(["sh", "-c", "mdadm --quiet --wait /dev/md/tank; true"])
        assert "[4/4] [UUUU]" in own_lab.exec(["cat", "/proc/mdstat"]).stdout.decode()
