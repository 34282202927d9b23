"""Practice disks by kind, in the guest: the kernel's view, their speed, and their state after a power cut."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.lab.disks.spots import unreadable_spots
from raidwright.lab.disks.timing import Flash, Spinning
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from ..disks_check.measured import Bench
from ..disks_check.sheet import access_ms, rate_mb_s

pytestmark = pytest.mark.lab

_DISKS = disks_from_text("8TB:hdd7200+1TB:ssd+500GB:nvme+2TB:sick+2x4TB:hdd5400@usb2", first_number=0x51)
_HDD, _SSD, _NVME, _SICK, _ONE, _OTHER = _DISKS
_BLOCK = 4096


@pytest.fixture(scope="module")
def slow() -> Iterator[Lab]:
    """A machine in slow motion, so that its processor isn't the bottleneck."""
    with start(LabSpec(_DISKS, pace=0.25)) as lab:
        yield lab


@pytest.fixture(scope="module")
def bench(slow: Lab) -> Bench:
    return Bench(slow, seed=1)


def test_the_kernel_sees_each_as_what_it_is(slow: Lab, bench: Bench) -> None:
    seen = {}
    for disk in _DISKS:
        block = f"/sys/block/{Path(bench.device(disk.serial)).name}"
        says = bench.shell(f"cat {block}/queue/rotational {block}/device/queue_depth {block}/queue/write_cache")
        seen[disk.serial] = says.split("\n")[:3]
    assert seen[_HDD.serial] == ["1", "31", "write back"]
    assert seen[_SSD.serial] == ["0", "31", "write back"]
    assert seen[_NVME.serial] == ["0", "128", "write back"]


def test_each_is_as_fast_as_its_kind_and_no_faster(bench: Bench) -> None:
    """Apart from a busy host's slowdown; the figures are tested in virtual time (unit/test_disk_model.py)."""
    hdd, ssd = (bench.device(disk.serial) for disk in (_HDD, _SSD))
    stream = bench.fio(hdd, "rw=read bs=1M iodepth=4", seconds=1).mb_s
    assert isinstance(_HDD.timing, Spinning)
    assert 0.4 * rate_mb_s(_HDD.timing, 0) < stream < 1.1 * rate_mb_s(_HDD.timing, 0)
    alone = bench.fio(hdd, "rw=randread bs=4k", seconds=2).ms
    assert 0.85 * access_ms(_HDD.timing, 0, 1) < alone < 3 * access_ms(_HDD.timing, 0, 1)
    assert isinstance(_SSD.timing, Flash)
    flash = bench.fio(ssd, "rw=randread bs=4k iodepth=16", seconds=0.2).iops
    assert 10_000 / alone < flash < 1.1 * _SSD.timing.random_read_q32_iops


def test_disks_behind_one_link_share_it(bench: Bench) -> None:
    both = f"{bench.device(_ONE.serial)}:{bench.device(_OTHER.serial)}"
    found = bench.fio(both, "rw=read bs=1M iodepth=4", seconds=2).mb_s
    assert 0.5 * _ONE.link_mb_s < found < 1.1 * _ONE.link_mb_s


def test_what_cannot_be_read_is_healed_by_writing(slow: Lab, bench: Bench) -> None:
    device = bench.device(_SICK.serial)
    first, end = unreadable_spots(_SICK)[0]
    where = ["bs=4k", "count=1", "status=none"]
    read = ["dd", f"if={device}", "of=/dev/null", *where, f"skip={first // _BLOCK}", "iflag=direct"]
    assert slow.exec(read, check=False).returncode == 1
    told = bench.shell("dmesg | tail -20")
    assert f"critical medium error, dev {Path(device).name}, sector {first // 512} " in told
    beside = f"skip={(end + _BLOCK) // _BLOCK}"
    assert slow.exec([*read[:-2], beside, read[-1]]).returncode == 0
    slow.exec(["dd", "if=/dev/urandom", f"of={device}", *where, f"seek={first // _BLOCK}", "oflag=direct"])
    assert slow.exec(read).returncode == 0


# 100 places, far apart, each written with a byte; with "flush" that is made sure of.
_WRITING = """
import mmap, os, sys
device, byte, flush = sys.argv[1:]
fd, block = os.open(device, os.O_RDWR | os.O_DIRECT), mmap.mmap(-1, 4096)
block.write(bytes([int(byte)]) * 4096)
for place in range(100):
    os.pwrite(fd, block, place * 7919 * 2**20)
if flush == "flush":
    os.fsync(fd)
os._exit(0)
"""
_READING = """
import mmap, os, sys
fd, block = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
for place in range(100):
    os.preadv(fd, [block], place * 7919 * 2**20)
    assert block[:] == block[:1] * 4096
    print(block[0])
"""


@pytest.mark.parametrize("kind", ["hdd7200", "ssd", "smr"])
def test_a_power_cut_loses_what_was_not_flushed_and_nothing_else(slow: Lab, bench: Bench, kind: str) -> None:
    (disk,) = disks_from_text(f"1TB:{kind}", first_number=0x70)
    slow.add_disk(disk)
    write = ["python3", "-c", _WRITING, bench.device(disk.serial)]
    slow.exec([*write, "1", "flush"])
    slow.exec([*write, "2", "no"])
    slow.cut_disk(disk.serial)
    slow.plug_disk(disk.serial)
    found = slow.exec(["python3", "-c", _READING, bench.device(disk.serial)]).stdout.split()
    assert set(found) <= {b"1", b"2"}
    assert b"1" in found
    slow.exec([*write, "3", "flush"])
    slow.cut_disk(disk.serial)
    slow.plug_disk(disk.serial)
    found = slow.exec(["python3", "-c", _READING, bench.device(disk.serial)]).stdout.split()
    assert set(found) == {b"3"}
    slow.pull_disk(disk.serial)


def test_time_passes_faster_in_a_time_lapse() -> None:
    with start(LabSpec(disks_from_text("1TB:hdd7200"), pace=8.0)) as lab:
        began = time.monotonic()
        lab.exec(["sleep", "60"])
        assert time.monotonic() - began < 60
