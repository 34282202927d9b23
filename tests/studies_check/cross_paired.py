"""Two disks, two mirrors across them, a stripe over both (madpenguin 2010): one stream as fast as two disks.

Source: madpenguin, "Double your RAID 1" (2010): each disk halved, its outer half mirrored on the other's inner one,
raid0 over both with chunks of 256 KiB, dd bs=1M; 139 MB/s of one disk, 193 of the array, 284 with more read-ahead on
the members. Today's md keeps no read-ahead of members: it asks each for what the array's own read-ahead asks of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Member, Plan
from raidwright.lab.disks.kinds import kind_of
from raidwright.lab.disks.timing import Spinning
from raidwright.lab.machine import LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .bench import Bench, node_of
from .row import Row

STUDY = "double your raid1"
_ONE_DISK_MB_S = 139.0
_PUBLISHED = {"little": 193.0, "much": 284.0}
READ_AHEAD_KIB = (128, 256, 512, 768, 1024, 2048, 4096)
_MOVED_MIB = 2048


def rows() -> Iterator[Row]:
    """One disk, and the array at each read-ahead."""
    like = kind_of("hdd7200-2007").timing
    assert isinstance(like, Spinning)
    timing = replace(like, outside_mb_s=_ONE_DISK_MB_S, inside_mb_s=0.52 * _ONE_DISK_MB_S)
    disks = [replace(disk, timing=timing) for disk in disks_from_text("2x500GB:hdd7200-2007")]
    half_mib = disks[0].size_bytes // 2**21 - 2
    with start(LabSpec(tuple(disks))) as lab:
        bench = Bench(lab)
        bench.shell("modprobe -a raid0 raid1")
        nodes = [bench.device(disk.serial) for disk in disks]
        yield Row(STUDY, "one disk", "MB/s", bench.read_mb_s(nodes[0], _MOVED_MIB), _ONE_DISK_MB_S)
        halves = [bench.partition(node, (1, half_mib), (1 + half_mib, half_mib)) for node in nodes]
        plan = _crossed(halves, half_mib)
        array = bench.make(plan, node_of)
        for kib in READ_AHEAD_KIB:
            bench.shell(f"blockdev --setra {2 * kib} {array}")
            yield Row(
                STUDY, f"array, read-ahead {kib} KiB", "MB/s", bench.read_mb_s(array, _MOVED_MIB), _published(kib)
            )
        bench.shell(f"mdadm --stop {array}; mdadm --stop /dev/md/study-0; mdadm --stop /dev/md/study-1")


def _published(kib: int) -> float | None:
    if kib == READ_AHEAD_KIB[0]:
        return _PUBLISHED["little"]
    return _PUBLISHED["much"] if kib == 1024 else None  # two stripes of both members


def _crossed(halves: list[list[str]], half_mib: int) -> Plan:
    """Each disk's outer half with the other's inner one; a stream is read from the outer ones, which come first."""
    mirrors = tuple(
        Plan(
            Level.RAID1,
            (Member(outer, half_mib * 2**20, disk=f"d{one}"), Member(inner, half_mib * 2**20, disk=f"d{1 - one}")),
            name=f"study-{one}",
            assume_clean=True,
        )
        for one, (outer, inner) in enumerate(((halves[0][0], halves[1][1]), (halves[1][0], halves[0][1])))
    )
    return Plan(Level.RAID0, mirrors, name="study", chunk_kib=256)
