"""Suites and shoot-outs with file systems and with halves of disks; minutes, so under `make shootout-check`."""

from __future__ import annotations

import asyncio

import pytest
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.filesystem import Alignment, FileSystemKind
from raidwright.lab.machine import Lab
from raidwright.machine.machine import Machine
from raidwright.operations.file_systems import SETUPS, FileSystemSuite, Rounds
from raidwright.runs.store import Runs

from .tank import own_runs, tank_lab, told_by

__all__ = ["own_runs", "tank_lab"]
pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("own_runs")]


def test_files_are_measured_on_aligned_file_systems_and_nothing_is_left(tank_lab: Lab) -> None:
    async def measure() -> Rounds:
        async with Machine.connect(tank_lab.bus_address("admin")) as machine:
            while not (tank := [one for one in machine.snapshot.arrays if one.name == "tank"]):
                await asyncio.sleep(0.05)
            setups = tuple(one for one in SETUPS if one.aligned)  # not aligned: make shootout-check
            return await FileSystemSuite(f"md:{tank[0].uuid}", 32, "lab", files=200, setups=setups).perform(machine)

    for one in asyncio.run(measure()).rounds:
        log_kib = 256 if one.setup.kind is FileSystemKind.XFS else 0
        assert one.alignment == Alignment(512, 1024, log_kib)
        assert {act: (result.mb_s > 0, result.iops > 0) for act, result in one.results.items()} == {
            act: (not act.counts_files, True) for act in FileAct
        }
    assert {run.context["surroundings"]["filesystem"] for run in Runs().all()} == {
        *("ext4 512K/1024K", "xfs 512K/1024K log 256K")
    }
    assert not tank_lab.exec(["wipefs", "--no-act", "/dev/md/tank"]).stdout
    assert b"/mnt" not in tank_lab.exec(["cat", "/proc/mounts"]).stdout


def test_cross_paired_mirrors_stand_on_halves_and_leave_none(tank_lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("shootout", "/dev/sdd", "/dev/sde", "--cross-paired", "--suite", "buffered", "--slice-gib", "0.5")
    told = told_by(tank_lab, capsys, *words, "--repeats", "1", "--minutes", "1.5", "--yes")
    disk, crossed = told["contestants"]
    assert disk["is_one_disk"]
    assert crossed["name"] == "cross-paired mirrors, 256 KiB"
    assert [one["state"] for one in crossed["figures"]] == ["healthy"] * 2 + ["degraded"] * 2
    assert all(one["mb_s"] > 0 for one in crossed["figures"])
    listed = tank_lab.exec(
        ["sh", "-c", "lsblk -no NAME /dev/sdd /dev/sde; cat /proc/mdstat; ls /var/lib/raidwright/scratch"]
    )
    assert b"sdd1" not in listed.stdout
    assert b"sdd" not in listed.stdout.partition(b"Personalities")[2]
    half = "for at in 1048576 1000341504; do dd if=/dev/sdd bs=4096 skip=$(($at / 4096 + 1)) count=1 status=none; done"
    assert bytes.fromhex("fc4e2ba9") not in tank_lab.exec(["sh", "-c", half]).stdout  # md's magic, where a half begins


_LIKE_TABLES = """import sys
total = 0
for byte in b"\\x11" * 511:
    total = (total & 255) + (total >> 8) + byte
for disk in sys.argv[1:]:
    with open(disk, "r+b") as file:
        file.seek(2**20)
        file.write((b"\\x11" * 511 + bytes([total & 255])) * (64 * 2**20 // 512))
"""


def test_members_are_swept_on_scratch_arrays(tank_lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes on the disks aren't taken for their partitions, though the kernel would."""
    disks = ("/dev/sdd", "/dev/sde", "/dev/sdf")
    tank_lab.exec(["python3", "-c", _LIKE_TABLES, *disks])
    # On another disk: UDisks2 would still know one of the others when the sweep begins.
    look = "dd if=/dev/sdd of=/dev/sdg bs=1M skip=1 count=1 status=none; blockdev --rereadpt /dev/sdg"
    seen = tank_lab.exec(["sh", "-ec", f"{look}; lsblk -no TYPE /dev/sdg"]).stdout.decode()
    assert "part" in seen, "this kernel doesn't look for such tables"
    words = ("sweep", "members", *disks, "--levels", "raid0", "--slice-gib", "0.25", "--overwrite-unknown")
    told = told_by(tank_lab, capsys, *words, "--repeats", "1", "--minutes", "1", "--yes")
    rows = {row["workload"]: row for row in told["sweep"]}
    assert list(rows["buffered_read"]["mb_s"]) == ["2", "3"]
    assert len(told["contestants"]) == 3
    assert not tank_lab.exec(["sh", "-c", "wipefs --no-act --noheadings /dev/sd[def]"]).stdout
