"""Three disks of 2007 (pycurious): eight arrays, healthy and without a disk, in multiples of one disk.

Source: pycurious, "Linux RAID10 layouts, measured" (2007): three SATA disks of about 70 MiB/s, Linux 2.6.22, partitions
of 4 GiB that begin 2 GiB in, chunks of 256 KiB, dd through the page cache, the mean of three runs. Done again by
``raidwright shootout``, on the first 4 GiB.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from raidwright.core.md.layouts import Level
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.shelf import disks_from_text

from tests.kit.shootout_bench import CONFIRMED, Bench

from .row import Row

STUDY = "three disks of 2007"
SLICE_MIB = 4096
_ONE_DISK_MIB_S = 70
_HOW = tuple((workload, state) for state in ("healthy", "degraded") for workload in ("buffered_write", "buffered_read"))
# MiB/s: write, read, and both without a disk.
_PUBLISHED: tuple[tuple[Level, str | None, tuple[int | None, ...]], ...] = (
    (Level.RAID5, "left-asymmetric", (55, 129, 46, 124)),
    (Level.RAID5, "left-symmetric", (54, 123, 50, 122)),
    (Level.RAID5, "right-asymmetric", (54, 124, 49, 124)),
    (Level.RAID5, "right-symmetric", (54, 128, 49, 116)),
    (Level.RAID10, "n2", (103, 95, 103, 104)),
    (Level.RAID10, "o2", (102, 94, 100, 102)),
    (Level.RAID10, "f2", (97, 162, 97, 51)),
    (Level.RAID0, None, (205, 186, None, None)),
)
_STRIPES = "raid5 writes whole stripes in larger batches: the stripe cache grows since Linux 4.1 (R5_ALLOC_MORE)"
# By its author, on a raid6 of ten: 1.3 times as fast in blocks of 128 KiB, 1.5 in 1 MiB, but 0.7 in 32 KiB.
_TWICE = (
    "a degraded array reads all through the stripe cache since Linux 4.1 (9ffc8f7cb964); before, what is there past "
    "it, and again for what is lost; how much that is of this row wasn't measured"
)
_FAR = (
    "of far copies md always reads the outer one since Linux 2.6.25 (8ed3a19563b6, “don't attempt read-balancing for "
    "raid10 'far' layouts”), before the one whose head was nearer"
)
# Tried here: with a queue of one (NCQ off) such a stream is 0.8 × one disk, and 1.0 × with twice the read-ahead.
_FAR_DEGRADED = (
    f"{_FAR}; a disk that stands in reads from both bands by turns, in an order that its queue (NCQ) now finds, for "
    "which many a controller had no driver in 2.6.22"
)
_LEVELS = ",".join(f"{level}:{layout}" if layout else str(level) for level, layout, _ in _PUBLISHED)
WORDS = (
    *("all", "--levels", _LEVELS, "--chunks", "256", "--no-bitmap"),
    *("--slice-gib", f"{SLICE_MIB / 1024:g}", "--suite", "buffered", *CONFIRMED),
)


def disks() -> tuple[LabDisk, ...]:
    """Return the study's disks."""
    return disks_from_text("3x320GB:hdd7200-2007")


def rows(minutes: int = 20, repeats: int = 3) -> Iterator[Row]:
    """Run the study; yield its figures."""
    with tempfile.TemporaryDirectory() as store, Bench(Path(store), disks(), SLICE_MIB) as bench:
        for row in rows_of(shot_out(bench, minutes, repeats)):
            yield replace(row, waited_share=bench.waited_share)


def shot_out(bench: Bench, minutes: int, repeats: int, *more: str) -> Mapping[str, Any]:
    """Run the study's shoot-out; return its JSON. Raises RuntimeError with its stderr when it fails."""
    how = (*WORDS, "--minutes", str(minutes), "--repeats", str(repeats), *more)
    return bench.tells("shootout", *how, seconds=minutes * 120)


def rows_of(found: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the figures beside the published ones, in multiples of one disk."""
    alone, *contestants = found["contestants"]
    for figure in alone["figures"]:
        yield Row(STUDY, f"one disk, {figure['workload']}", "MiB/s", figure["mb_s"] * 1e6 / 2**20, _ONE_DISK_MIB_S)
    for (level, layout, published), contestant in zip(_PUBLISHED, contestants, strict=True):
        figures = {(one["workload"], one["state"]): one for one in contestant["figures"]}
        for (workload, state), figure in zip(_HOW, published, strict=True):
            if figure is not None:
                what = f"{level} {layout or ''}".strip() + f", {workload.replace('_', ' ')}, {state}"
                changed = _changed_since(level, layout, workload, state)
                times = figures[workload, state]["times_one_disk"]
                yield Row(STUDY, what, "× one disk", times, figure / _ONE_DISK_MIB_S, changed)


def _changed_since(level: Level, layout: str | None, workload: str, state: str) -> str:
    """Return the change in md, or below it, that explains another figure today; "" for none."""
    if (level, workload) == (Level.RAID5, "buffered_write"):
        return _STRIPES
    if (level, workload, state) == (Level.RAID5, "buffered_read", "degraded"):
        return _TWICE
    if (layout, workload) == ("f2", "buffered_read"):
        return _FAR if state == "healthy" else _FAR_DEGRADED
    return ""
