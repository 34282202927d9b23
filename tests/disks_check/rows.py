"""Rows of the check: for each kind the figures of its data sheet, and fio's options that measure them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.disks.timing import Flash, Spinning

from .measured import Bench, Measured
from .sheet import access_ms, flash_write_ms, rate_mb_s, slow_ms, slowed_iops

_ALIGNED_BYTES = 2**20
_INSIDE = 0.985  # the last zone
_STREAM = "bs=1M iodepth=4"
_SOME_SLOW_S = 25  # long enough for reads all over a failing disk to hit its slow region often


@dataclass(frozen=True, slots=True)
class Row:
    """A figure of a kind: promised and found."""

    kind: str
    figure: str
    unit: str
    promised: float
    found: float
    waited_share: float = 0.0  # of the time, for the host

    @property
    def off(self) -> float:
        """Relative difference of the found from the promised figure."""
        return self.found / self.promised - 1


def rows_of(bench: Bench, kind: str, disks: Sequence[LabDisk]) -> Iterator[Row]:
    """Yield every row of the first of ``disks``; the log is filled on the last, which nothing was written to before."""
    disk, device = disks[0], bench.device(disks[0].serial)
    if isinstance(disk.timing, Spinning):
        yield from _spinning(bench, kind, device, disk, disk.timing)
        if disk.timing.band_mib:
            yield from _full_log(bench, kind, bench.device(disks[-1].serial), disk.timing)
        if disk.timing.slow_turns:
            yield from _sick(bench, kind, device, disk, disk.timing)
    elif disk.timing is not None:
        yield from _flash(bench, kind, device, disk, disk.timing)


def _from(disk: LabDisk, share: float) -> str:
    return f"offset={int(share * disk.size_bytes) // _ALIGNED_BYTES * _ALIGNED_BYTES}"


def _within(disk: LabDisk, begin: float, end: float) -> str:
    size_bytes = int((end - begin) * disk.size_bytes) // _ALIGNED_BYTES * _ALIGNED_BYTES
    return f"{_from(disk, begin)} size={size_bytes}"


def _spinning(bench: Bench, kind: str, device: str, disk: LabDisk, sheet: Spinning) -> Iterator[Row]:
    for name, at in (("outside", 0.0), ("middle", 0.5), ("inside", _INSIDE)):
        for way in ("write", "read"):  # which heals what a sick disk can't read
            found = bench.fio(device, f"rw={way} {_STREAM} {_from(disk, at)}", seconds=2, settle_seconds=1.5)
            yield Row(kind, f"{way} {name}", "MB/s", rate_mb_s(sheet, min(1, at + 0.01)), found.mb_s)
    for span in (0.001, 0.01, 0.1, 1.0):
        begin = (1 - span) / 2
        seconds = _SOME_SLOW_S if slow_ms(sheet, begin, begin + span) else 4
        found = bench.fio(device, f"rw=randread bs=4k {_within(disk, begin, begin + span)}", seconds=seconds)
        yield Row(kind, f"access within {span:.1%}", "ms", access_ms(sheet, begin, begin + span), found.ms)
    yield Row(kind, "random read", "IOPS", slowed_iops(sheet, sheet.random_read_iops), found.iops)
    seconds = _SOME_SLOW_S if slow_ms(sheet, 0, 1) else 5
    found = bench.fio(device, "rw=randread bs=4k iodepth=32", seconds=seconds, settle_seconds=1)
    yield Row(kind, "random read q32", "IOPS", slowed_iops(sheet, sheet.random_read_q32_iops), found.iops)
    promised = (("", 1, sheet.random_write_iops), (" q32", 32, sheet.random_write_q32_iops))
    short = 0.8 if sheet.band_mib else 4  # a shingled disk's log isn't full then
    for name, depth, iops in promised:
        how = f"rw=randwrite bs=4k iodepth={depth}"
        found = bench.fio(device, how, seconds=short, settle_seconds=short / 2)
        yield Row(kind, f"random write{name}", "IOPS", iops, found.iops)
    yield from _spinning_cache(bench, kind, device, sheet)


def _spinning_cache(bench: Bench, kind: str, device: str, sheet: Spinning) -> Iterator[Row]:
    bench.shell(f"blockdev --flushbufs {device}; sync {device}")
    size_mib = int(sheet.write_cache_mib)  # all of it: fio tells in whole ms how long that took
    found = bench.fio_once(device, f"rw=write bs=1M iodepth=4 size={size_mib}M")
    yield Row(kind, "write into the cache", "MB/s", sheet.cable_mb_s, found.mb_s)
    if sheet.band_mib:
        return  # its flush goes to the log
    alone = access_ms(sheet, 0, 1, is_write=True)
    found = bench.fio(device, "rw=randwrite bs=4k fsync=1", seconds=3)
    yield Row(kind, "write and flush", "ms", alone, 1000 / found.iops)
    cache = f"/sys/block/{device.rpartition('/')[2]}/device/scsi_disk/*/cache_type"
    bench.shell(f"for f in {cache}; do echo 'write through' > $f; done")
    found = bench.fio(device, "rw=randwrite bs=4k", seconds=3)
    yield Row(kind, "write without the cache", "ms", alone, found.ms)
    bench.shell(f"for f in {cache}; do echo 'write back' > $f; done")


def _full_log(bench: Bench, kind: str, device: str, sheet: Spinning) -> Iterator[Row]:
    """Just full: bands are emptied in turn, and one that waits for its turn for longer gives more room."""
    found = bench.fio(device, "rw=randwrite bs=4k iodepth=32", seconds=60, settle_seconds=25)
    # By Little's law: the commands under way when time is up go on for five seconds, which fio counts as time.
    yield Row(kind, "random write, log full", "IOPS", sheet.full_log_write_iops, 32_000 / found.ms)


def _sick(bench: Bench, kind: str, device: str, disk: LabDisk, sheet: Spinning) -> Iterator[Row]:
    begin, end = sheet.slow_from_share, sheet.slow_until_share
    found = bench.fio(device, f"rw=randread bs=4k {_within(disk, begin, end)}", seconds=6)
    yield Row(kind, "access in the slow region", "ms", access_ms(sheet, begin, end), found.ms)


def _flash(bench: Bench, kind: str, device: str, disk: LabDisk, sheet: Flash) -> Iterator[Row]:
    second = 0.4 if sheet.read_mb_s > 1000 else 1.0  # the faster, the slower its motion

    def one_by_one(found: Measured) -> float:
        """Without what fio does between an answer and the next command."""
        return 1000 / found.ms

    measures: tuple[tuple[str, str, str, float, Callable[[Measured], float]], ...] = (
        ("read", "rw=read bs=256k iodepth=8", "MB/s", sheet.read_mb_s, lambda found: found.mb_s),
        ("random read", "rw=randread bs=4k", "IOPS", sheet.random_read_iops, one_by_one),
        ("random read q32", "rw=randread bs=4k iodepth=32", "IOPS", _q32(sheet), lambda found: found.iops),
        ("random write", "rw=randwrite bs=4k", "IOPS", sheet.random_write_iops, one_by_one),
        ("random write q32", "rw=randwrite bs=4k iodepth=32", "IOPS", _write_q32(sheet), lambda found: found.iops),
        ("write and flush", "rw=randwrite bs=4k fsync=1", "ms", flash_write_ms(sheet), lambda found: 1000 / found.iops),
    )
    for figure, how, unit, promised, of in measures:
        found = bench.fio(device, how, seconds=second / 4, settle_seconds=second / 20)
        yield Row(kind, figure, unit, promised, of(found))
    yield from _fast_part(bench, kind, device, disk, sheet)


def _fast_part(bench: Bench, kind: str, device: str, disk: LabDisk, sheet: Flash) -> Iterator[Row]:
    """Write as much as is taken fast while it rests before, then more; its size follows from the time of both."""
    fast_bytes = sheet.fast_share * disk.size_bytes
    bench.shell(f"sleep {1.2 + fast_bytes / 1e6 / sheet.folded_mb_s:.1f}")  # what was written is folded meanwhile
    half = f"rw=write {_STREAM} size={int(fast_bytes / 2**20 * 0.6)}M"
    first, second = bench.fio_once(device, half), bench.fio_once(device, f"{half} {_from(disk, 0.5)}")
    after = bench.fio(device, f"{_STREAM} rw=write {_from(disk, 0.75)}", seconds=0.5)
    yield Row(kind, "write", "MB/s", sheet.write_mb_s, first.mb_s)
    yield Row(kind, "write, fast part full", "MB/s", sheet.folded_mb_s, after.mb_s)
    all_mb = 1.2 * fast_bytes / 1e6
    seconds = 0.6 * fast_bytes / 1e6 * (1 / first.mb_s + 1 / second.mb_s)
    fast_mb = (seconds - all_mb / after.mb_s) / (1 / first.mb_s - 1 / after.mb_s)
    yield Row(kind, "written fast", "MB", fast_bytes / 1e6, fast_mb)


def _q32(sheet: Flash) -> float:
    return min(sheet.random_read_q32_iops, 32 * sheet.random_read_iops)


def _write_q32(sheet: Flash) -> float:
    return min(sheet.random_write_q32_iops, 32 * sheet.random_write_iops)
