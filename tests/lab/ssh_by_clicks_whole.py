"""A headless server, by clicks in the real window over a real ssh: under `make practice-check`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from raidwright.lab import machine, shelf
from raidwright.runs.store import Runs

from tests.kit import steps
from tests.kit.pilot import Pilot, Sight
from tests.kit.screen import VirtualScreen

from .far import HOST, PASSWORD, Far, far

_NAME = "far-by-clicks"
_SECONDS, _CUT_SECONDS = 3, 40
_PATIENCE_SECONDS = 120.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Far]:
    """A machine of its own, reached only by ssh."""
    with machine.start(machine.LabSpec(shelf.disks_from_text("4x2GB", at_memory_speed=True)), name=_NAME) as lab:
        there = far(lab, tmp_path)
        yield there
        there.end()


def _permit(pilot: Pilot, name: str, until: Callable[[Sight], bool] = lambda _: True) -> Sight:
    """Wait for a widget, and type the password at every prompt; polkit there doesn't keep authorisations long."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < end:
        if pilot.look("far-password") is not None:
            pilot.click("far-password-field")
            pilot.write(PASSWORD)
            pilot.key("Return")
            while pilot.look("far-password-field") is not None and time.monotonic() < end:
                time.sleep(0.05)
        seen = pilot.look(name)
        if seen is not None and until(seen):
            return seen
        time.sleep(0.1)
    raise AssertionError(f"waited for {name}: {pilot.look(name)}")


def _measure_again(pilot: Pilot) -> None:
    """Measure again; the server doesn't know that the link is cut, so await the end of its workload."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        steps.measure(pilot, "Sequential read", _SECONDS)
        _permit(pilot, "measure-start", lambda button: button.enabled)
        failure = pilot.look("measure-failure")
        if failure is None or not failure.text:
            pilot.wait("measure-mb-s", _is_figure)
            return
        assert "Another job is at work" in failure.text
        assert time.monotonic() < end
        time.sleep(1)


def _is_figure(sight: Sight) -> bool:
    return sight.text[:1].isdigit()


def test_disks_plan_build_and_measure_over_a_link_that_is_cut(server: Far, tmp_path: Path) -> None:
    environment = {"PATH": f"{server.folder}:{os.environ['PATH']}", "XDG_DATA_HOME": str(tmp_path / "data")}
    with (
        VirtualScreen() as screen,
        Pilot(screen, ["gui", "--machine", f"ssh://carol@{HOST}"], environment) as pilot,
    ):
        _permit(pilot, "disks-table", lambda table: len(table.text.splitlines()) == 4)
        steps.choose_disks(pilot, 4)
        steps.plan_raid10_far(pilot, "tank", "256 KiB")
        steps.review(pilot)
        steps.confirm(pilot, "tank")
        _permit(pilot, "built-verdict")
        pilot.click("built-measure")
        steps.measure(pilot, "Sequential read", _CUT_SECONDS)
        _permit(pilot, "measure-mb-s", _is_figure)
        server.cut()
        assert "go on" in pilot.wait("link-what", seconds=_PATIENCE_SECONDS).text
        pilot.wait("measure-failure", lambda failure: bool(failure.text), seconds=_PATIENCE_SECONDS)
        screen.picture(tmp_path / "1-cut.png")
        _permit(pilot, "measure-start", lambda button: button.enabled and pilot.look("link-what") is None)
        _measure_again(pilot)
        screen.picture(tmp_path / "2-measured.png")
    (run,) = Runs(tmp_path / "data/raidwright/runs.sqlite").all()
    assert run.result.workload == "sequential_read"
    assert not run.is_practice  # as far as can be seen from here
    assert "active raid10" in server.lab.exec(["cat", "/proc/mdstat"]).stdout.decode()
