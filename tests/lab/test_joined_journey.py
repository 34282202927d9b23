"""Disks of unlike sizes by clicks, on real GPT, md and LVM: planned as joined arrays, built, undone, and filled."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from raidwright.lab import machine, shelf
from raidwright.lab.machine import Lab

from tests.kit import steps
from tests.kit.joined_volume import shell
from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen

pytestmark = pytest.mark.lab
NAME = "joined-journey-test"


@pytest.fixture
def own_lab() -> Iterator[Lab]:
    """A machine of its own: disks in the proportions of 4, 4, 8 and 12 TB."""
    with machine.start(
        machine.LabSpec(shelf.disks_from_text("2x400MB+800MB+1200MB", at_memory_speed=True)), name=NAME
    ) as lab:
        yield lab


def test_a_joined_volume_is_built_undone_and_filled_by_clicks(own_lab: Lab) -> None:
    sums = "sync; for disk in a b c d; do blockdev --flushbufs /dev/sd$disk; sha256sum < /dev/sd$disk; done"
    before = shell(own_lab, sums)
    with VirtualScreen() as screen, Pilot(screen, ["gui", "--machine", f"lab:{NAME}"], {}) as pilot:
        steps.choose_disks(pilot, 4)
        pilot.click("disks-next")
        pilot.click("bands-1")
        pilot.click("kept-by-parity")
        pilot.wait("command-words", lambda words: "lvcreate" in words.text)
        name = pilot.wait("array-name").text
        steps.review(pilot)
        assert "as planned" in steps.build(pilot, name).text
        said_sectors = int(re.sub(r"\D", "", pilot.wait("built-sectors").text.split(" sectors")[0]))
        assert int(shell(own_lab, f"blockdev --getsz /dev/{name}/data")) == said_sectors
        assert f"/dev/{name}/data" in pilot.wait("built-where").text
        pilot.wait("built-sync", lambda sync: "In sync" in sync.text, seconds=120)
        pilot.click("built-undo")
        pilot.wait("build-confirm", seconds=120)
        assert not shell(own_lab, "vgs --noheadings; ls /dev/md 2>/dev/null || :").strip()
        pilot.wait("build-confirm", lambda field: field.enabled, seconds=120)
        steps.build(pilot, name)
        pilot.click("next-make", seconds=120)
        pilot.wait("check-file-system", lambda row: "✓" in row.text, seconds=120)
        pilot.click("next-mount")
        pilot.wait("check-place", lambda row: f"/srv/{name}" in row.text, seconds=60)
        pilot.wait("built-undo-why-not", lambda line: "can't be undone" in line.text, seconds=60)
        assert shell(own_lab, f"findmnt --noheadings --output SOURCE /srv/{name}").strip().endswith(f"{name}-data")
        pilot.click("next-unmount")
        pilot.wait("check-place", lambda row: "○" in row.text, seconds=60)
        pilot.click("rail-arrays")
        assert pilot.wait("array-name").text == name
        assert "joined, of " in pilot.wait("array-what").text
        assert pilot.wait("array-bigger").enabled
        assert pilot.wait("array-good").enabled  # each of the whole volume
    assert shell(own_lab, sums) != before
