"""Two to fourteen disks on two SCSI channels (N. Brown 2004): where adding disks stops helping, and the dip at five.

Source: N. Brown, "Linux Software RAID performance" (2004): 15,000 rpm disks of about 70 MB/s, spread over two Ultra160
channels of 160 MB/s, chunks of 64 KiB. The study's figures stand in graphs; of them its text says these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Member, Plan
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.machine import LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .bench import Bench, node_of
from .row import Row

STUDY = "two channels of 2004"
MOST = 14
_PACE = 0.5
_MOVED_MIB = 768
_CHUNK_KIB = 64
# raid0 reads: linear to four disks, flat a little under 320 MB/s from there, and with five, three of them on one
# channel that gets each about 50, 250.
PUBLISHED = {4: 320.0, 5: 250.0, MOST: 320.0}


def rows() -> Iterator[Row]:
    """Reads by raid0 and raid5 of 2 to 14 members."""
    disks = disks_from_text("7x73GB:hdd15000-2004@u160+7x73GB:hdd15000-2004@u160-b")
    with start(LabSpec(disks, pace=_PACE)) as lab:
        bench = Bench(lab)
        bench.shell("modprobe -a raid0 raid456")
        nodes = _spread(bench, disks)
        for count in range(2, MOST + 1):
            found = _read(bench, Level.RAID0, nodes[:count])
            yield Row(STUDY, f"raid0 of {count}, read", "MB/s", found, PUBLISHED.get(count))
        for count in range(3, MOST + 1):
            yield Row(STUDY, f"raid5 of {count}, read", "MB/s", _read(bench, Level.RAID5, nodes[:count]))


def _spread(bench: Bench, disks: Sequence[LabDisk]) -> list[str]:
    """By turns from each channel."""
    half = len(disks) // 2
    turns = [disk for pair in zip(disks[:half], disks[half:], strict=True) for disk in pair]
    return [bench.device(disk.serial) for disk in turns]


def _read(bench: Bench, level: Level, nodes: list[str]) -> float:
    members = tuple(Member(node, 73 * 10**9) for node in nodes)
    plan = Plan(level, members, name="study", chunk_kib=_CHUNK_KIB, assume_clean=level.is_redundant)
    node = bench.make(plan, node_of)
    found = bench.read_mb_s(node, _MOVED_MIB)
    bench.take_apart(node, plan, node_of)
    return found
