"""The real program on a virtual screen, by clicks and keys alone, against the real md of a practice machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.lab import machine, shelf
from raidwright.lab.machine import Lab
from raidwright.runs.store import Runs

from tests.kit import steps
from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen

pytestmark = pytest.mark.lab
NAME = "journey-test"
SECONDS = 3


@pytest.fixture
def own_lab() -> Iterator[Lab]:
    """A machine of its own: four 8 TB disks, one that holds data, one that is in use."""
    with machine.start(
        machine.LabSpec(shelf.disks_from_text("4x8TB+2TB:ext4+3TB:mounted", at_memory_speed=True)), name=NAME
    ) as lab:
        yield lab


def _detail(lab: Lab) -> dict[str, str]:
    text = lab.exec(["mdadm", "--detail", "/dev/md/tank"]).stdout.decode()
    return {key.strip(): value.strip() for key, value in re.findall(r"^(.+?) : (.+)$", text, re.MULTILINE)}


def test_from_the_disks_to_a_measured_array(
    own_lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with VirtualScreen() as screen, Pilot(screen, ["gui", "--machine", f"lab:{NAME}"], {}) as pilot:
        table = steps.choose_disks(pilot, 6)
        # The disk that may hold data is left alone until it is meant; the one in use can't be chosen at all.
        assert [row[0] for row in table.text.splitlines()] == ["✓"] * 4 + ["☐", "–"]
        pilot.click("disks-table", part="mounted at")
        assert "Unmount" in pilot.wait("disks-why-not").text
        assert [row[0] for row in pilot.wait("disks-table").text.splitlines()] == ["✓"] * 4 + ["☐", "–"]
        steps.plan_raid10_far(pilot, "tank", "256 KiB")
        steps.review(pilot)
        steps.build(pilot, "tank")
        said_sectors = int(re.sub(r"\D", "", pilot.wait("built-sectors").text.split(" sectors")[0]))
        pilot.click("built-measure")
        for workload in ("Sequential read", "Sequential write"):
            steps.measure(pilot, workload, SECONDS)
            steps.measured(pilot, SECONDS)
    detail = _detail(own_lab)
    assert (detail["Raid Level"], detail["Layout"], detail["Chunk Size"]) == ("raid10", "far=2", "256K")
    assert int(own_lab.exec(["blockdev", "--getsz", "/dev/md/tank"]).stdout) == said_sectors
    assert int(detail["Array Size"].split()[0]) * 2 == said_sectors
    kept = [Runs().get(run.id) for run in Runs().all()]
    assert sorted(run.result.workload for run in kept) == ["sequential_read", "sequential_write"]
    assert all(run.samples for run in kept)


_MAX_CLICKS = 8


@pytest.mark.parametrize("has_disks", [False, True])
def test_eight_clicks_from_the_first_start_to_a_measured_practice_array(
    request: pytest.FixtureRequest, tmp_path: Path, has_disks: bool
) -> None:
    """Without a visible machine, and with disks present, which stay unchanged."""
    there: Lab | None = request.getfixturevalue("lab") if has_disks else None
    address = there.bus_address("admin") if there is not None else "unix:path=/nowhere"
    home = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    with VirtualScreen() as screen, Pilot(screen, ["gui", "--machine", address], home) as pilot:
        if there is not None:
            pilot.wait("disks-table", lambda table: "8.00 TB" in table.text, seconds=60)
        pilot.click("welcome-practice", seconds=60)
        pilot.wait("machine-hint", lambda hint: bool(hint.text), seconds=60)
        steps.choose_disks(pilot, 4)
        pilot.click("disks-next")
        steps.skip_walk(pilot)
        pilot.click("plan-next")
        pilot.wait("build-confirm", lambda field: field.enabled)
        pilot.write(pilot.wait("plan-name").text)
        pilot.click("build-button")
        pilot.click("built-measure", seconds=90)
        pilot.click("measure-start")
        pilot.wait("measure-cancel", lambda button: button.enabled)
        assert float(steps.measured(pilot, 15).text.split()[0].replace(",", "")) > 0
        assert pilot.clicks <= _MAX_CLICKS
    (run,) = Runs(tmp_path / "raidwright/runs.sqlite").all()
    assert run.is_practice
    if there is not None:
        assert there.exec(["cat", "/proc/mdstat"]).stdout.count(b"active") == 0


def test_an_ordinary_user_is_denied_in_a_sentence(lab: Lab) -> None:
    with (
        VirtualScreen() as screen,
        Pilot(screen, ["gui", "--machine", f"lab:{lab.name}", "--role", "user"], {}) as pilot,
    ):
        steps.choose_disks(pilot, 4)
        steps.plan_raid10_far(pilot, "tank", "256 KiB")
        steps.review(pilot)  # which examines the disks first, and that is denied already
        sentence = pilot.wait("build-step", lambda label: "permission" in label.text).text
        assert not pilot.wait("build-confirm").enabled
    assert "administrator's permission" in sentence
    assert lab.exec(["cat", "/proc/mdstat"]).stdout.count(b"active") == 0


def test_a_disk_shows_in_the_window_while_it_is_there(lab: Lab) -> None:
    (disk,) = shelf.disks_from_text("3TB", first_number=77, at_memory_speed=True)
    with VirtualScreen() as screen, Pilot(screen, ["gui", "--machine", f"lab:{lab.name}"], {}) as pilot:
        pilot.wait("disks-table", lambda table: len(table.text.splitlines()) == 4, seconds=60)
        lab.add_disk(disk)
        pilot.wait("disks-table", lambda table: disk.serial in table.text)
        lab.pull_disk(disk.serial)
        pilot.wait("disks-table", lambda table: disk.serial not in table.text)


def test_a_pulled_disk_leaves_the_plan_as_it_is_until_it_is_back(lab: Lab) -> None:
    disk = shelf.disks_from_text("4x8TB", at_memory_speed=True)[1]
    with VirtualScreen() as screen, Pilot(screen, ["gui", "--machine", f"lab:{lab.name}"], {}) as pilot:
        steps.choose_disks(pilot, 4)
        steps.plan_raid10_far(pilot, "tank", "256 KiB")
        command = pilot.wait("command-words").text
        assert command.count("/dev/disk/by-id/") == 4
        lab.pull_disk(disk.serial)
        assert disk.serial in pilot.wait("gone-what").text
        assert pilot.wait("command-words").text == command
        pilot.click("plan-next")
        assert disk.serial in pilot.wait("build-step", lambda step: bool(step.text)).text
        assert not pilot.wait("build-button").enabled
        lab.plug_disk(disk.serial)
        pilot.wait("build-step", lambda step: "Type the array's name" in step.text)
        assert pilot.look("gone-bar") is None
        assert pilot.wait("command-words").text == command
