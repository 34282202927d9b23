"""A rescue on real disks: tried on overlays, with the disks unchanged, then done for real, and undone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .rescues import LostArray

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]


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


_LOSE_ONE = """set -e; mdadm --quiet --assemble /dev/md/tank /dev/sd[abcd]; mkdir -p /mnt/a; mount /dev/md/tank /mnt/a
mdadm --quiet /dev/md/tank --fail /dev/sdd; sync -f /mnt/a; touch /mnt/a/new; sync -f /mnt/a; sleep 1"""
_LOSE_ANOTHER = "touch /mnt/a/newer; sync -f /mnt/a; umount /mnt/a; mdadm --quiet --stop /dev/md/tank"


def test_after_a_start_by_force_it_is_written_to_again_by_going_on(lost: LostArray) -> None:
    """A stop and a start don't do: until md writes, the superblocks say that the forced member had failed."""
    lost.build("abcd")
    lost.sh(_LOSE_ONE)
    c = lost.serial("c")
    lost.lab.pull_disk(c)
    lost.sh(f"{_LOSE_ANOTHER}; true")
    lost.lab.plug_disk(c)
    lost.sh("udevadm settle")
    lost.stop()
    told = lost.run("tank")
    assert (told["hypotheses"][0]["reason"], told["hypotheses"][0]["slots"][3]) == ("behind", None)
    lost.run("tank", "--try", "1")
    done = lost.run("tank", "--for-real", "1", "--yes-name", "tank")
    lost.verify_files(done["mounted_at"])
    lost.command("filesystem", "unmount", "tank")
    assert lost.command("array", "list")[0]["hold"] == "read-only"
    assert lost.command("array", "go-on", "tank", "--yes-name", "tank")["missing"] == 1
    place = lost.command("filesystem", "mount", "tank", "--at", "/mnt/again")["place"]
    lost.sh(f"touch {place}/written")
    lost.verify_files(place)
    lost.put_away()
    assert lost.command("array", "start", "tank")["missing"] == 1  # md has written what it runs of
    lost.stop()
