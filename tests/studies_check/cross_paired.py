"""Two disks, two mirrors across them, a stripe over both (madpenguin 2010): one stream as fast as two disks.

Source: madpenguin, "Double your RAID 1" (2010): each disk halved, its outer half mirrored on the other's inner one,
raid0 over both with chunks of 256 KiB, dd bs=1M; 139 MB/s of one disk, 193 of the array, 284 with more read-ahead on
the members. Today's md keeps no read-ahead of members: it asks each for what the array's own read-ahead asks of it.
Done again by ``raidwright shootout`` and ``raidwright sweep``, which make the halves and take them away again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.disks.kinds import kind_of
from raidwright.lab.disks.timing import Spinning
from raidwright.lab.shelf import disks_from_text

from tests.kit.shootout_bench import CONFIRMED, Bench

from .row import Row

STUDY = "double your raid1"
_ONE_DISK_MB_S = 139.0
_PUBLISHED = {128: 193.0, 1024: 284.0}  # the study's default, and two stripes of both members
_READ_AHEAD_KIB = (128, 256, 512, 768, 1024, 2048, 4096)
_SLICE_MIB = 4096
_WHERE = ("all", "--cross-paired", "--slice-gib", f"{_SLICE_MIB / 1024:g}", *CONFIRMED)
_SWEEP = (
    *("sweep", "read-ahead-kib", *_WHERE, "--values", ",".join(map(str, _READ_AHEAD_KIB)), "--workload"),
    *("buffered_read", "--repeats", "1", "--seconds", "30", "--region-mib", "2048"),
)
_SHOOTOUT = ("shootout", *_WHERE, "--suite", "buffered", "--states", "healthy", "--repeats", "1", "--minutes", "2")


def rows() -> Iterator[Row]:
    """One disk, and the array at each read-ahead."""
    with tempfile.TemporaryDirectory() as store, Bench(Path(store), _disks(), _SLICE_MIB) as bench:
        found = {one["workload"]: one["mb_s"] for one in bench.tells(*_SHOOTOUT)["contestants"][0]["figures"]}
        yield Row(STUDY, "one disk", "MB/s", found["buffered_read"], _ONE_DISK_MB_S, waited_share=bench.waited_share)
        for point in bench.tells(*_SWEEP)["points"]:
            what = f"array, read-ahead {point['value']} KiB"
            mb_s, published = point["results"][0]["mb_s"], _PUBLISHED.get(point["value"])
            yield Row(STUDY, what, "MB/s", mb_s, published, waited_share=bench.waited_share)


def _disks() -> tuple[LabDisk, ...]:
    """As fast as the study's."""
    like = kind_of("hdd7200-2007").timing
    if not isinstance(like, Spinning):
        raise TypeError(like)
    timing = replace(like, outside_mb_s=_ONE_DISK_MB_S, inside_mb_s=0.52 * _ONE_DISK_MB_S)
    return tuple(replace(disk, timing=timing) for disk in disks_from_text("2x500GB:hdd7200-2007"))
