"""Suites on an array and on a disk, and sweeps: the installed helper, fio, md's own settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.lab.machine import Lab

from .tank import own_runs, tank_lab, told_by

__all__ = ["own_runs", "tank_lab"]
pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("own_runs")]


def _cache(tank_lab: Lab) -> str:
    script = "cat /sys/block/$(basename $(readlink -f /dev/md/tank))/md/stripe_cache_size"
    return tank_lab.exec(["sh", "-c", script]).stdout.decode().strip()


def test_a_suite_measures_both_directions_at_once_and_keeps_its_warm_up_out(
    tank_lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    told = told_by(
        tank_lab, capsys, "bench", "--target", "tank", "--suite", "mixed", "--seconds", "2", "--repeats", "2"
    )
    stream, mixed = told["workloads"]
    assert (stream["workload"], mixed["workload"], told["only_read"]) == ("sequential_write", "random_mixed_4k_q32", "")
    assert len(mixed["runs"]) == 2
    for run in mixed["runs"]:
        assert "--rwmixread=70" in run["command"]
        assert "--ramp_time=2" in run["command"]
        assert run["seconds"] > 1.5
        assert run["iops"] > 0


def test_a_disk_itself_is_only_read(tank_lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    told = told_by(tank_lab, capsys, "bench", "--target", "/dev/sde", "--suite", "quick", "--seconds", "1")
    assert [row["workload"] for row in told["workloads"]] == ["sequential_read", "random_read_4k_q32"]
    assert "never written to" in told["only_read"]


def test_a_sweep_puts_back_what_was_set_or_keeps_the_best(tank_lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        *("sweep", "stripe-cache-size", "--target", "tank", "--values", "512", "--repeats", "1"),
        *("--seconds", "1", "--workload", "sequential_write"),
    )
    told = told_by(tank_lab, capsys, *words)
    assert [(point["value"], len(point["results"])) for point in told["points"]] == [(256, 1), (512, 1)]
    assert (told["before"], told["kept"], _cache(tank_lab)) == (256, None, "256")
    kept = told_by(tank_lab, capsys, *words, "--keep")["kept"]
    assert str(kept) == _cache(tank_lab)
    rules = tank_lab.exec(["sh", "-c", "cat /etc/udev/rules.d/90-raidwright-*.rules"]).stdout.decode()
    assert f'ATTR{{md/stripe_cache_size}}="{kept}"' in rules


def test_a_load_grows_by_requests_in_flight_or_by_programs(tank_lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    for scaled, option in (("depth", "--iodepth=4"), ("jobs", "--numjobs=4")):
        told = told_by(
            tank_lab, capsys,
            *("sweep", scaled, "--target", "tank", "--values", "4,1", "--repeats", "1", "--seconds", "1"),
        )  # fmt: skip
        assert [(point["value"], len(point["results"])) for point in told["points"]] == [(1, 1), (4, 1)]
        assert option in told["points"][1]["results"][0]["command"]
        assert all(point["iops"] > 0 for point in told["points"])


# Each sector is one that the kernel takes for ADFS's boot block (``acorn.c`` adfs_checkbblk), as it does one random one
# of 256; from the first MiB on, so that the disk itself looks empty.
def test_ones_own_job_is_measured_and_no_other_gets_there(
    tank_lab: Lab, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    job = tmp_path / "own.fio"
    job.write_text("[global]\ndirect=1\nioengine=libaio\nruntime=1\nsize=64m\n[db]\nrw=randrw\nrwmixread=80\nbs=16k\n"
                   "iodepth=4\nnumjobs=2\n[log]\nstonewall\nrw=write\nbs=8k\nfsync=1\n", encoding="utf-8")  # fmt: skip
    told = told_by(tank_lab, capsys, "bench", "--target", "tank", "--job", str(job))
    mixed, log = told["workloads"]
    assert (mixed["workload"], log["workload"]) == ("own_randrw_80_16k_q4_j2", "own_write_8k_q1_flushed")
    command = mixed["runs"][0]["command"]
    for word in ("--rw=randrw", "--rwmixread=80", "--bs=16k", "--iodepth=4", "--numjobs=2", "--size=67108864"):
        assert word in command
    assert min(mixed["iops"], log["iops"]) > 0
    job.write_text("[x]\nrw=read\nexec_prerun=touch /run/here\n", encoding="utf-8")
    assert main(["bench", "--target", "tank", "--job", str(job), "--machine", f"lab:{tank_lab.name}"]) != 0
    assert "“exec_prerun” of the job [x] can't be taken" in capsys.readouterr().err
