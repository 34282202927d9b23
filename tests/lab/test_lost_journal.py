"""An array whose write journal is lost: refused by that reason, read without it after a trial, given a new one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.cli import main
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from tests.kit import kernels

from .rescues import LostArray

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module", params=kernels.tried(), ids=kernels.mdadm_of)
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("6x128MB"), generation=request.param)) as machine:
        yield machine


@pytest.fixture
def lost(lab: Lab, capsys: pytest.CaptureFixture[str]) -> Iterator[LostArray]:
    made = LostArray(lab, capsys)
    yield made
    made.clean()


def test_without_its_journal_it_is_refused_read_and_given_another(
    lost: LostArray, capsys: pytest.CaptureFixture[str]
) -> None:
    lost.build("abc", "--write-journal=/dev/sdd")
    [tank] = lost.command("array", "list")
    assert (tank["state"], tank["starts_on"]["needs"], tank["starts_on"]["mdadm"]) == ("stopped", ["journal"], "3.4")
    lost.wipe("d")
    [tank] = lost.command("array", "list")
    assert (tank["state"], tank["members_missing"]) == ("short", 0)
    machine = ("--machine", f"lab:{lost.lab.name}")
    assert main(["array", "start", "tank", *machine]) != 0
    refused = " ".join(capsys.readouterr().err.split())
    assert "Its write journal is missing" in refused
    assert "Too few" not in refused
    [hypothesis] = lost.run("tank", disks="abc")["hypotheses"]
    assert (hypothesis["reason"], hypothesis["lacks_journal"]) == ("journal", True)
    device = lost.rescue(1, "tank", disks="abc")["device"]
    assert "(read-only)" in lost.sh("cat /proc/mdstat")
    lost.sh(
        f"set -e; mdadm {device} --add-journal /dev/sdd; udevadm settle; mount {device} /mnt/a;"
        "echo more > /mnt/a/more; umount /mnt/a; udevadm settle"
    )
    lost.stop()
    lost.command("array", "start", "tank")
    assert lost.sh(f"mount {device} /mnt/a && cat /mnt/a/more && umount /mnt/a") == "more"
