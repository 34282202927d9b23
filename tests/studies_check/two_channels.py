"""Two to fourteen disks on two SCSI channels (N. Brown 2004): where adding disks stops helping, and the dip at five.

Source: N. Brown, "Linux Software RAID performance" (2004): 15,000 rpm disks of about 70 MB/s, spread over two Ultra160
channels of 160 MB/s, chunks of 64 KiB. The study shows its figures in graphs; its text gives these. Done again by
``raidwright sweep members``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from raidwright.lab.shelf import disks_from_text

from tests.kit.shootout_bench import CONFIRMED, Bench

from .row import Row

STUDY = "two channels of 2004"
MAX_DISKS = 14
_PACE = 0.5
_SLICE_MIB = 2048
# raid0 reads: linear to four disks, flat a little under 320 MB/s from there, and with five, three of them on one
# channel that gets each about 50, 250.
PUBLISHED = {4: 320.0, 5: 250.0, MAX_DISKS: 320.0}


def rows() -> Iterator[Row]:
    """Reads by raid0 and raid5 of 2 to 14 members."""
    disks = disks_from_text("7x73GB:hdd15000-2004@u160+7x73GB:hdd15000-2004@u160-b")
    half = len(disks) // 2
    turns = [disk.serial for pair in zip(disks[:half], disks[half:], strict=True) for disk in pair]
    with tempfile.TemporaryDirectory() as store, Bench(Path(store), disks, _SLICE_MIB, pace=_PACE) as bench:
        for level in ("raid0", "raid5"):
            how = ("--levels", level, "--chunk-kib", "64", "--slice-gib", f"{_SLICE_MIB / 1024:g}", *CONFIRMED)
            told = bench.tells("sweep", "members", *turns, *how, "--repeats", "1", "--minutes", "9", seconds=3600)
            reads = next(one for one in told["sweep"] if one["workload"] == "buffered_read")
            for count, mb_s in sorted((int(count), mb_s) for count, mb_s in reads["mb_s"].items()):
                published = PUBLISHED.get(count) if level == "raid0" else None
                what = f"{level} of {count}, read"
                yield Row(STUDY, what, "MB/s", mb_s, published, waited_share=bench.waited_share)
