"""“Which is fastest for me?”, by clicks in the real window, to the winner built: under `make practice-check`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.lab.shelf import disks_from_text
from raidwright.runs.run import ArrayState
from raidwright.runs.store import Runs

from tests.kit import steps
from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen
from tests.kit.shootout_bench import Bench

_SLICE_MIB = 256
_CANDIDATES = (steps.offered("n2"), steps.offered("f2"))
_DISKS = disks_from_text("4x2GB", at_memory_speed=True)


@pytest.fixture
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with Bench(tmp_path_factory.mktemp("store"), _DISKS, _SLICE_MIB) as made:
        yield made


def _begin(pilot: Pilot) -> None:
    """Choose the disks and the candidates, a short contest, and release the disks for overwriting, by their names."""
    steps.choose_disks(pilot, 4)
    steps.prove(pilot, _CANDIDATES, suite="buffered", slice_gib="0.25", repeats=1, minutes=2)
    pilot.wait("prove-failure", lambda words: "nothing here recognises" in words.text)  # the bench's random bytes
    pilot.wait("prove-allow", lambda box: "Bytes that nothing here recognises" in box.text)
    pilot.click("prove-allow", across=0.04)
    pilot.click("prove-begin")


def test_from_the_question_to_the_winner_built(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(bench.store / "home"))
    arguments = ["gui", "--machine", f"lab:{bench.lab.name}"]
    with VirtualScreen() as screen, Pilot(screen, arguments, {}) as pilot:
        _begin(pilot)
        board = steps.first_figures(pilot, _CANDIDATES, 90)  # while it runs
        assert pilot.wait("prove-cancel").enabled
        assert "fastest" not in board.text
        pilot.wait("prove-build", seconds=180)
        assert "wipefs" not in pilot.wait("command-words").text  # empty disks are shown as such
        assert "Memory speed: " in pilot.wait("prove-memory-speed").text  # so one disk alone is no reference
        rows = [line.split("\t") for line in pilot.wait("prove-figures").text.splitlines()]
        assert sorted(row[0].split(" · ")[0] for row in rows) == ["RAID 10, far", "RAID 10, near"]
        assert all(float(figure.replace(",", "")) > 0 for row in rows for figure in row[1:3])  # whole, and degraded
        winner = rows[0][0]
        assert winner in pilot.wait("prove-verdict").text
        assert bench.left() == []
        pilot.click("prove-build")
        assert "memory speed" in pilot.wait("build-tried").text
        name = "tank"  # the plan's first one
        layout = next(one for one in ("n2", "f2") if winner.startswith(steps.offered(one)))
        pilot.wait("command-words", lambda words: f"--layout={layout}" in words.text)
        first, *others = _DISKS
        pilot.click(f"remove-{first.serial}", across=0.04)  # beyond the slice are still the bench's random bytes
        for disk in others:  # by keyboard, which scrolls to what is below
            pilot.key("Tab", "space")
            pilot.wait(f"remove-{disk.serial}", lambda box: box.checked)
        steps.build(pilot, name)
    detail = bench.shell(f"mdadm --detail /dev/md/{name}")
    assert {"n2": "near=2", "f2": "far=2"}[layout] in detail
    runs = Runs(bench.store / "home/raidwright/runs.sqlite").all()
    assert len(runs) == 10
    assert {run.series.kind for run in runs if run.series} == {"shootout"}
    assert {run.state for run in runs} == {ArrayState.HEALTHY, ArrayState.DEGRADED}


_PATIENCE_SECONDS = 120  # of mdadm, which tries for seconds what it can't do, five times
_OPEN_IT = """array=$(grep -o '^md[0-9]*' /proc/mdstat | head -n 1)
setsid sleep 300 < /dev/$array > /dev/null 2>&1 & echo $!"""


def test_a_shoot_out_whose_program_was_killed_is_found_again_and_taken_away(bench: Bench) -> None:
    """Its array is held open meanwhile, so that the helper can't remove it by itself."""
    arguments = ["gui", "--machine", f"lab:{bench.lab.name}"]
    with VirtualScreen() as screen:
        with Pilot(screen, arguments, {"XDG_DATA_HOME": str(bench.store / "killed")}) as pilot:
            _begin(pilot)
            steps.first_figures(pilot, _CANDIDATES, 90)
            holder = bench.shell(_OPEN_IT).strip()
            pilot.kill()
        with Pilot(screen, arguments, {"XDG_DATA_HOME": str(bench.store / "killed")}) as pilot:
            assert "A shoot-out that was cut off" in pilot.wait("left-over-what", seconds=_PATIENCE_SECONDS).text
            pilot.click("left-over-go")
            pilot.wait("left-over-failure", lambda words: bool(words.text), seconds=_PATIENCE_SECONDS)
            assert bench.left()
            bench.shell(f"kill {holder}")
            pilot.click("left-over-go", seconds=_PATIENCE_SECONDS)
            pilot.wait("left-over-what", lambda words: "taken away" in words.text, seconds=_PATIENCE_SECONDS)
    assert bench.wait_until_nothing_is_left() == []
