"""Baselines of practice disks with real timing: the installed helper, fio, and the disk's content afterwards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.errors import DiskRefused
from raidwright.core.protocol.measured import Sample
from raidwright.core.system.baseline import KEPT_BYTES, Measurement
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.disks.kinds import link_mb_s
from raidwright.lab.disks.timing import Spinning
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.machine import Machine
from raidwright.operations.baselines import TakeBaseline

from tests.kit.asking import ask

pytestmark = pytest.mark.lab

_DISKS = disks_from_text("8TB:hdd7200@sata2+4TB:hdd5400@sata2+500GB:ssd+500GB:ext4")
_FAST, _SLOW, _FLASH, _USED = _DISKS


@pytest.fixture(scope="module")
def practice() -> Iterator[Lab]:
    with start(LabSpec(_DISKS, pace=2.0)) as lab:
        yield lab


def _nodes(lab: Lab) -> dict[str, str]:
    """By serial."""
    listed = lab.exec(["lsblk", "-dnpo", "NAME,SERIAL"]).stdout.decode().splitlines()
    return {words[1]: words[0] for words in map(str.split, listed) if len(words) == 2}


def _ends(lab: Lab, node: str) -> list[str]:
    script = f"head -c {KEPT_BYTES} $1 | md5sum; tail -c {KEPT_BYTES} $1 | md5sum; wipefs --no-act --noheadings $1"
    return lab.exec(["sh", "-c", script, "sh", node]).stdout.decode().split()


def _written_bytes(lab: Lab, node: str) -> int:
    """Since it was plugged in (kernel, ``Documentation/block/stat.rst``)."""
    return int(lab.exec(["cat", f"/sys/block/{Path(node).name}/stat"]).stdout.split()[6]) * 512


def _is_plausible(figures: dict[str, Any], disk: LabDisk) -> None:
    assert isinstance(disk.timing, Spinning)
    outside, inside = (figures[name]["mb_s"] for name in (Measurement.READ_OUTSIDE, Measurement.READ_INSIDE))
    assert 0.5 * disk.timing.outside_mb_s < outside < 1.1 * disk.timing.outside_mb_s
    assert inside < 0.8 * outside
    far, near = (figures[name]["iops"] for name in (Measurement.READ_4K, Measurement.READ_4K_HUNDREDTH))
    assert near > 1.1 * far  # the arm travels less
    assert figures[Measurement.READ_4K_DEEP]["iops"] > 1.3 * figures[Measurement.READ_4K]["iops"]


def test_a_slow_disk_is_told_from_a_fast_one_inside_from_outside_and_a_link_that_both_share(
    practice: Lab, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    words = ["baseline", _FAST.serial, _nodes(practice)[_SLOW.serial], "--seconds", "1", "--json"]
    assert main([*words, "--machine", f"lab:{practice.name}"]) == 0
    fast, slow = json.loads(capsys.readouterr().out)
    assert (fast["serial"], slow["serial"]) == (_FAST.serial, _SLOW.serial)
    _is_plausible(fast["figures"], _FAST)
    _is_plausible(slow["figures"], _SLOW)
    assert [one["baseline"]["rpm"] for one in (fast, slow)] == [7200, 5400]
    for name in (Measurement.READ_OUTSIDE, Measurement.READ_INSIDE):
        assert slow["figures"][name]["mb_s"] < 0.8 * fast["figures"][name]["mb_s"]

    passes = link_mb_s("sata2")
    assert [one["baseline"]["link_read_mb_s"] for one in (fast, slow)] == [pytest.approx(passes, rel=0.1)] * 2

    plan = tmp_path / "plan.json"
    members = [{key: one[key] for key in ("id", "model", "serial", "size_bytes")} for one in (fast, slow)]
    plan.write_text(json.dumps({"level": "raid0", "members": members}))
    assert main(["assess", "--json", str(plan)]) == 0
    written = capsys.readouterr()
    assert _SLOW.serial in written.err
    predicted = json.loads(written.out)["performance"]["sequential_read"]["normal"]["mb_s"]
    assert predicted < 2.1 * slow["figures"][Measurement.READ_OUTSIDE]["mb_s"]
    assert predicted < 1.1 * passes


async def _cut_off(machine: Machine, take: TakeBaseline) -> float:
    """Cancel a measurement halfway; return its progress."""
    told: list[float] = []

    def hear(update: JobProgress | Sample) -> None:
        assert isinstance(update, JobProgress)
        told.append(update.fraction)
        if update.fraction:
            measuring.cancel()

    measuring = asyncio.ensure_future(ask(machine.helper, take, hear))
    await asyncio.wait([measuring])
    assert measuring.cancelled()
    return told[-1]


def test_what_holds_something_is_read_and_never_written_to(practice: Lab) -> None:
    node = _nodes(practice)[_USED.serial]
    before = _written_bytes(practice, node)

    async def test() -> None:
        async with Machine.connect(practice.bus_address("admin")) as machine:
            [used] = [disk.as_member() for disk in machine.snapshot.disks if disk.serial == _USED.serial]
            with pytest.raises(DiskRefused, match="holds something: ext4"):
                await ask(machine.helper, TakeBaseline(used, 1, write=True))
            assert await _cut_off(machine, TakeBaseline(used, 1)) > 0

    asyncio.run(test())
    assert _written_bytes(practice, node) == before


def test_an_empty_disk_that_was_written_to_is_empty_still(practice: Lab) -> None:
    node = _nodes(practice)[_FLASH.serial]
    before = _ends(practice, node)

    async def test() -> None:
        async with Machine.connect(practice.bus_address("admin")) as machine:
            by_serial = {disk.serial: disk.as_member() for disk in machine.snapshot.disks}
            take = TakeBaseline(by_serial[_FLASH.serial], 1, write=True)
            assert await _cut_off(machine, take) > 0
            figures = (await ask(machine.helper, take)).figures
            assert set(figures) == set(Measurement)
            assert figures[Measurement.WRITE_4K_FLUSHED].iops < figures[Measurement.WRITE_4K].iops

    asyncio.run(test())
    practice.exec(["udevadm", "settle"])
    assert _ends(practice, node) == before
    assert _written_bytes(practice, node) > 2**20
