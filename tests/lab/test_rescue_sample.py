"""A rescue on real disks: tried on overlays, with the disks unchanged, then done for real, and undone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .rescues import LostArray

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("6x128MB"))) as machine:
        yield machine


@pytest.fixture
def lost(lab: Lab, capsys: pytest.CaptureFixture[str]) -> Iterator[LostArray]:
    made = LostArray(lab, capsys)
    yield made
    made.clean()


def test_wiped_superblocks_are_made_anew_after_a_trial_and_put_back(lost: LostArray) -> None:
    lost.build("abcd")
    lost.wipe("cd")
    before = lost.checksums()
    told = lost.run(disks="abdc")
    assert len(told["hypotheses"]) == 1  # the parity's places tell the order
    assert told["ruled_out"]
    done = lost.rescue(1, disks="abdc")
    assert "Stop it first" in lost.run("--try", "1", disks="abdc", is_refused=True)
    lost.put_away()
    lost.command("builds", "--undo", done["build_id"])
    lost.stop()
    assert lost.checksums() == before
