"""Arrays that wait for their first write: a reshape that a power cut interrupted goes on when a person says so."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.cli import main

from .change_cuts import COMPONENT_KIB, KILL_HELPER
from .change_rig import FOLDER, PLACE, ChangeRig

pytestmark = pytest.mark.lab
_AT_SECTOR = 4096  # of some 400,000
_STATE = f"cd {FOLDER}; cat array_state sync_action reshape_position raid_disks"
_AT_REST = f"cd {FOLDER}; until [ $(cat reshape_position) = none ]; do sleep 0.2; done"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store"), "5x600MB") as made:
        yield made


@pytest.fixture(autouse=True)
def _leave(rig: ChangeRig) -> Iterator[None]:
    yield
    rig.leave()


def _cut_while_growing(rig: ChangeRig, folder: Path) -> tuple[str, str]:
    """Cut the power a little way into a growth from three disks to four; return the request's words."""
    rig.build(folder, "raid5", 3, component_size_kib=COMPONENT_KIB)
    request = ("--add", rig.serials()[3])
    with rig.changing(*request) as running:
        rig.until_reshape_at(_AT_SECTOR)
        running.kill()
        rig.sh(KILL_HELPER)
    rig.sh("sync")
    rig.cut_power()
    rig.sh("mdadm --wait-clean /dev/md/tank; true")
    state, action, position, slots = rig.sh(_STATE).splitlines()
    assert (state, action, slots) == ("read-auto", "idle", "4 (3)"), (state, action, position, slots)
    assert position != "none"
    return request


def _says(rig: ChangeRig, *words: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([*words, "--machine", f"lab:{rig.lab.name}"]) == 0
    return " ".join(out.getvalue().split())


def _ended(rig: ChangeRig) -> None:
    rig.sh(_AT_REST)
    rig.sh(f"mkdir -p {PLACE}; mount /dev/md/tank {PLACE}")
    rig.read_back()
    assert rig.shape()[:2] == ("raid5", 4)


def test_the_same_request_goes_on_with_a_reshape_that_waits(rig: ChangeRig, tmp_path: Path) -> None:
    request = _cut_while_growing(rig, tmp_path)
    told = _says(rig, "array", "list")
    assert "Its reshape to 4 disks is unfinished and waits. “Go on” lets md finish it" in told
    [tank] = rig.call("array", "list")
    assert tank["hold"] == "reshape-waits"
    dry = rig.call("array", "change", "tank", *request, "--dry-run")
    assert (dry["possible"], dry["goes_on"]) == (True, True)
    rig.change(*request)
    _ended(rig)


def test_go_on_goes_on(rig: ChangeRig, tmp_path: Path) -> None:
    _cut_while_growing(rig, tmp_path)
    assert "missing" in rig.call("array", "go-on", "tank")
    assert rig.call("array", "list")[0]["hold"] is None
    _ended(rig)
    assert "waits for md" in rig.call("array", "go-on", "tank", code=2)


def test_without_a_member_it_goes_on_by_name_alone(rig: ChangeRig, tmp_path: Path) -> None:
    _cut_while_growing(rig, tmp_path)
    members = " ".join(map(rig.node, rig.serials()[:3]))
    rig.sh(
        "udevadm settle; udevadm control --stop-exec-queue; mdadm --stop /dev/md/tank; export MDADM_NO_UDEV=1;"
        f"mdadm --assemble --run /dev/md/tank {members}; udevadm control --start-exec-queue; udevadm settle"
    )
    assert rig.sh(_STATE).splitlines()[0] == "read-auto"
    assert "To confirm" in rig.call("array", "go-on", "tank", code=2)
    assert rig.call("array", "go-on", "tank", "--yes-name", "tank")["missing"] == 1
    _ended(rig)
