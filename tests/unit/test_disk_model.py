"""The practice disks' model against their data sheets, in virtual time: the same on every machine, however busy."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from raidwright.lab.compiled import compiled
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.disks.kinds import kinds
from raidwright.lab.disks.timing import Flash, Spinning
from raidwright.lab.shelf import disks_from_text
from raidwright.resources import resource

from ..disks_check.sheet import access_ms, flash_write_ms, rate_mb_s, slowed_iops

_MODEL = ("drive", "geometry", "cache", "spinning", "shingled", "flash", "undo", "spots")
_SPINNING = [name for name, kind in kinds().items() if isinstance(kind.timing, Spinning)]
_FLASH = [name for name, kind in kinds().items() if isinstance(kind.timing, Flash)]
_MIB = 2**20
_WITHIN = 0.10


@dataclass(frozen=True, slots=True)
class Found:
    """IOPS and the mean latency."""

    iops: float
    ms: float


@cache
def _program() -> Path:
    headers = resource("lab/c")
    sources = (headers / f"{name}.c" for name in _MODEL)
    return compiled("virtual-time", f"-I{headers}", Path(__file__).with_name("virtual_time.c"), *sources, "-lm")


def _measure(disk: LabDisk, *wanted: str) -> Sequence[Found]:
    """Return the model's results for each ``WAY ORDER BYTES DEPTH SECONDS OFFSET SIZE``, one after the other."""
    assert disk.timing is not None
    figures = [f"{name}={value}" for name, value in disk.timing.figures(disk.size_bytes).items()]
    argv = [str(_program()), str(disk.size_bytes), *figures]
    done = subprocess.run(argv, input="\n".join(wanted), capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return [Found(*map(float, line.split())) for line in done.stdout.splitlines()]


def _near(promised: float) -> object:
    return pytest.approx(promised, rel=_WITHIN)


def _spinning(name: str) -> tuple[LabDisk, Spinning]:
    (disk,) = disks_from_text(f"{'64GB' if name == 'smr' else '4TB'}:{name}")
    assert isinstance(disk.timing, Spinning)
    return disk, disk.timing


@pytest.mark.drawn
@pytest.mark.parametrize("way", ["read", "write"])
@pytest.mark.parametrize("name", _SPINNING)
def test_streams_go_with_the_radius(name: str, way: str) -> None:
    disk, sheet = _spinning(name)
    for at in (0.0, 0.5, 0.98):
        offset = int(at * disk.size_bytes) // _MIB * _MIB
        for blocks, depth in ((1024, 4), (64, 1)):
            (found,) = _measure(disk, f"{way} seq {blocks * 1024} {depth} 4 {offset} {disk.size_bytes}")
            assert found.iops * blocks * 1024 / 1e6 == _near(rate_mb_s(sheet, at)), (at, blocks)


@pytest.mark.drawn
@pytest.mark.parametrize("name", _SPINNING)
def test_access_takes_seek_and_half_a_turn(name: str) -> None:
    disk, sheet = _spinning(name)
    for span in (0.01, 0.1, 1.0):
        begin = (1 - span) / 2
        offset, size = (int(share * disk.size_bytes) // 4096 * 4096 for share in (begin, span))
        (found,) = _measure(disk, f"read random 4096 1 30 {offset} {size}")
        assert found.ms == _near(access_ms(sheet, begin, begin + span)), span
    assert found.iops == _near(slowed_iops(sheet, sheet.random_read_iops))


@pytest.mark.drawn
@pytest.mark.parametrize("name", _SPINNING)
def test_a_queue_and_a_cache_make_an_order_of_their_own(name: str) -> None:
    disk, sheet = _spinning(name)
    for way, depth, promised in (
        ("read", 32, slowed_iops(sheet, sheet.random_read_q32_iops)),
        ("write", 1, sheet.random_write_iops),
        ("write", 32, sheet.random_write_q32_iops),
    ):
        seconds = 3 if sheet.band_mib else 30  # a shingled disk's log isn't full then
        (found,) = _measure(disk, f"{way} random 4096 {depth} {seconds} 0 {disk.size_bytes}")
        assert found.iops == _near(promised), (way, depth)


@pytest.mark.drawn
@pytest.mark.parametrize("name", _SPINNING)
def test_a_stream_keeps_others_waiting_but_not_for_ever(name: str) -> None:
    """One small read at a time beside a rebuild's queue: most of a second each."""
    disk, _ = _spinning(name)
    (found,) = _measure(disk, f"read beside 65536 32 16 0 {disk.size_bytes}")
    assert found.iops > 0.5
    assert found.ms < 1500


@pytest.mark.drawn
@pytest.mark.parametrize("name", [name for name in _SPINNING if name != "smr"])
def test_a_flush_waits_for_the_medium(name: str) -> None:
    disk, sheet = _spinning(name)
    (found,) = _measure(disk, f"flush random 4096 1 30 0 {disk.size_bytes}")
    assert 2000 / found.iops == _near(access_ms(sheet, 0, 1, is_write=True) + sheet.command_ms)


def test_a_full_log_is_a_cliff() -> None:
    disk, sheet = _spinning("smr")
    whole = f"write random 4096 32 60 0 {disk.size_bytes}"
    quick, full = _measure(disk, f"write random 4096 32 2 0 {disk.size_bytes}", whole)
    assert quick.iops > 100 * full.iops
    assert full.iops == _near(sheet.full_log_write_iops)


@pytest.mark.drawn
@pytest.mark.parametrize("name", [*_SPINNING, *_FLASH])
def test_whatever_waits_for_whatever_is_answered(name: str) -> None:
    """A few commands at once, and no more: without new ones, only the disk itself continues."""
    (disk,) = disks_from_text(f"64GB:{name}")
    filled = [f"write random 4096 32 8 0 {disk.size_bytes}"]
    few = [
        f"{way} random 4096 {depth} 0.00001 0 {disk.size_bytes}" for way in ("mixed", "flush") for depth in range(1, 9)
    ]
    once = [f"read random 4096 1 1 0 {disk.size_bytes}"]
    *_, after = _measure(disk, *filled, *few, *once)
    assert after.iops > 10


@pytest.mark.drawn
@pytest.mark.parametrize("name", _FLASH)
def test_flash_shows_its_sheet(name: str) -> None:
    (disk,) = disks_from_text(f"1TB:{name}")
    sheet = disk.timing
    assert isinstance(sheet, Flash)
    size = disk.size_bytes
    read, alone, many, write_alone, writes, flushed = _measure(
        disk,
        f"read seq {_MIB} 4 1 0 {size}",
        f"read random 4096 1 1 0 {size}",
        f"read random 4096 32 1 0 {size}",
        f"write random 4096 1 1 0 {size}",
        f"write random 4096 32 1 0 {size}",
        f"flush random 4096 1 1 0 {size}",
    )
    assert read.iops * _MIB / 1e6 == _near(sheet.read_mb_s)
    assert (1000 / alone.ms, many.iops) == (_near(sheet.random_read_iops), _near(sheet.random_read_q32_iops))
    assert 1000 / write_alone.ms == _near(sheet.random_write_iops)
    assert writes.iops == _near(sheet.random_write_q32_iops)
    assert 2000 / flushed.iops == _near(flash_write_ms(sheet))


@pytest.mark.drawn
@pytest.mark.parametrize("name", _FLASH)
def test_flash_is_fast_until_its_fast_part_is_full(name: str) -> None:
    (disk,) = disks_from_text(f"20GB:{name}")
    sheet = disk.timing
    assert isinstance(sheet, Flash)
    seconds = sheet.fast_share * disk.size_bytes / 1e6 / sheet.write_mb_s
    fast, after = _measure(
        disk,
        f"write seq {_MIB} 4 {seconds * 0.9} 0 {disk.size_bytes}",
        f"write seq {_MIB} 4 {seconds * 2} 0 {disk.size_bytes}",
    )
    assert fast.iops * _MIB / 1e6 == _near(sheet.write_mb_s)
    assert after.iops * _MIB / 1e6 == _near(sheet.folded_mb_s)
