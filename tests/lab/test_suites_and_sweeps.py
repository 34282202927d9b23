"""Suites on an array and on a disk, and sweeps: the installed helper, fio, md's own settings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Plan
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.filesystem import Alignment, FileSystemKind
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray
from raidwright.operations.file_systems import SETUPS, FileSystemSuite, Rounds
from raidwright.runs.store import Runs

from tests.kit.asking import ask

pytestmark = pytest.mark.lab
_DISKS = disks_from_text("6x2GB")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """With a raid5 called tank on three of its disks, which holds nothing."""
    with start(LabSpec(_DISKS)) as made:
        asyncio.run(asyncio.wait_for(_build(made), 60))
        made.exec(["mdadm", "--wait", "/dev/md/tank"], check=False)
        yield made


async def _build(lab: Lab) -> None:
    async with Machine.connect(lab.bus_address("admin")) as machine:
        while len(machine.snapshot.disks) < len(_DISKS):
            await asyncio.sleep(0.05)
        by_serial = {disk.serial: disk.as_member() for disk in machine.snapshot.disks}
        members = tuple(by_serial[disk.serial] for disk in _DISKS[:3])
        await ask(machine.helper, CreateArray(Plan(Level.RAID5, members, "tank", assume_clean=True), "tank"))


@pytest.fixture(autouse=True)
def _own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def _told(lab: Lab, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--json", "--machine", f"lab:{lab.name}"]) == 0
    return json.loads(capsys.readouterr().out)


def _cache(lab: Lab) -> str:
    script = "cat /sys/block/$(basename $(readlink -f /dev/md/tank))/md/stripe_cache_size"
    return lab.exec(["sh", "-c", script]).stdout.decode().strip()


def test_a_suite_measures_both_directions_at_once_and_keeps_its_warm_up_out(
    lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    told = _told(lab, capsys, "bench", "--target", "tank", "--suite", "mixed", "--seconds", "2", "--repeats", "2")
    stream, mixed = told["workloads"]
    assert (stream["workload"], mixed["workload"], told["only_read"]) == ("sequential_write", "random_mixed_4k_q32", "")
    assert len(mixed["runs"]) == 2
    for run in mixed["runs"]:
        assert "--rwmixread=70" in run["command"]
        assert "--ramp_time=2" in run["command"]
        assert 1.5 < run["seconds"] < 3
        assert run["iops"] > 0


def test_a_disk_itself_is_only_read(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    told = _told(lab, capsys, "bench", "--target", "/dev/sde", "--suite", "quick", "--seconds", "1")
    assert [row["workload"] for row in told["workloads"]] == ["sequential_read", "random_read_4k_q32"]
    assert "never written to" in told["only_read"]


def test_a_sweep_puts_back_what_was_set_or_keeps_the_best(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        *("sweep", "stripe-cache-size", "--target", "tank", "--values", "512,1024", "--repeats", "1"),
        *("--seconds", "1", "--workload", "sequential_write"),
    )
    told = _told(lab, capsys, *words)
    assert [(point["value"], len(point["results"])) for point in told["points"]] == [(256, 1), (512, 1), (1024, 1)]
    assert (told["before"], told["kept"], _cache(lab)) == (256, None, "256")
    kept = _told(lab, capsys, *words, "--keep")["kept"]
    assert str(kept) == _cache(lab)
    rules = lab.exec(["sh", "-c", "cat /etc/udev/rules.d/90-raidwright-*.rules"]).stdout.decode()
    assert f'ATTR{{md/stripe_cache_size}}="{kept}"' in rules


def test_members_are_swept_on_scratch_arrays(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("sweep", "members", "/dev/sdd", "/dev/sde", "/dev/sdf", "--levels", "raid0", "--slice-gib", "0.25")
    told = _told(lab, capsys, *words, "--repeats", "1", "--minutes", "1", "--yes")
    rows = {row["workload"]: row for row in told["sweep"]}
    assert list(rows["buffered_read"]["mb_s"]) == ["2", "3"]
    assert len(told["contestants"]) == 3
    assert not lab.exec(["sh", "-c", "wipefs --no-act --noheadings /dev/sd[def]"]).stdout


def test_files_are_measured_on_aligned_file_systems_and_nothing_is_left(lab: Lab) -> None:
    async def measure() -> Rounds:
        async with Machine.connect(lab.bus_address("admin")) as machine:
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
    assert not lab.exec(["wipefs", "--no-act", "/dev/md/tank"]).stdout
    assert b"/mnt" not in lab.exec(["cat", "/proc/mounts"]).stdout


def test_ones_own_job_is_measured_and_no_other_gets_there(
    lab: Lab, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    job = tmp_path / "own.fio"
    job.write_text("[global]\ndirect=1\nioengine=libaio\nruntime=1\nsize=64m\n[db]\nrw=randrw\nrwmixread=80\nbs=16k\n"
                   "iodepth=4\nnumjobs=2\n[log]\nstonewall\nrw=write\nbs=8k\nfsync=1\n", encoding="utf-8")  # fmt: skip
    told = _told(lab, capsys, "bench", "--target", "tank", "--job", str(job))
    mixed, log = told["workloads"]
    assert (mixed["workload"], log["workload"]) == ("own_randrw_80_16k_q4_j2", "own_write_8k_q1_flushed")
    command = mixed["runs"][0]["command"]
    for word in ("--rw=randrw", "--rwmixread=80", "--bs=16k", "--iodepth=4", "--numjobs=2", "--size=67108864"):
        assert word in command
    assert min(mixed["iops"], log["iops"]) > 0
    job.write_text("[x]\nrw=read\nexec_prerun=touch /run/here\n", encoding="utf-8")
    assert main(["bench", "--target", "tank", "--job", str(job), "--machine", f"lab:{lab.name}"]) != 0
    assert "“exec_prerun” of the job [x] can't be taken" in capsys.readouterr().err


def test_cross_paired_mirrors_stand_on_halves_and_leave_none(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("shootout", "/dev/sdd", "/dev/sde", "--cross-paired", "--suite", "buffered", "--slice-gib", "0.5")
    told = _told(lab, capsys, *words, "--repeats", "1", "--minutes", "1.5", "--yes")
    disk, crossed = told["contestants"]
    assert disk["is_one_disk"]
    assert crossed["name"] == "cross-paired mirrors, 256 KiB"
    assert [one["state"] for one in crossed["figures"]] == ["healthy"] * 2 + ["degraded"] * 2
    assert all(one["mb_s"] > 0 for one in crossed["figures"])
    listed = lab.exec(
        ["sh", "-c", "lsblk -no NAME /dev/sdd /dev/sde; cat /proc/mdstat; ls /var/lib/raidwright/scratch"]
    )
    assert b"sdd1" not in listed.stdout
    assert b"sdd" not in listed.stdout.partition(b"Personalities")[2]
    half = "for at in 1048576 1000341504; do dd if=/dev/sdd bs=4096 skip=$(($at / 4096 + 1)) count=1 status=none; done"
    assert bytes.fromhex("fc4e2ba9") not in lab.exec(["sh", "-c", half]).stdout  # md's magic, where a half begins
