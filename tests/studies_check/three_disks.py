"""Three disks of 2007 (pycurious): eight arrays, healthy and without a disk, in multiples of one disk.

Source: pycurious, "Linux RAID10 layouts, measured" (2007): three SATA disks of about 70 MiB/s, Linux 2.6.22, partitions
of 4 GiB that begin 2 GiB in, chunks of 256 KiB, dd through the page cache.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Member, Metadata, Plan
from raidwright.lab.machine import LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .bench import Bench, node_of
from .row import Row

STUDY = "three disks of 2007"
_BEGIN_MIB, _SIZE_MIB = 2048, 4096
_MOVED_MIB = 1536  # of the study's 3750: the same rates in less time
_ONE_DISK_MIB_S = 70
_READS, _READS_DEGRADED = "read", "read, degraded"
_WRITES, _WRITES_DEGRADED = "write", "write, degraded"
_HOW = (_WRITES, _READS, _WRITES_DEGRADED, _READS_DEGRADED)
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
_CHANGED = {(Level.RAID5, way): _STRIPES for way in (_WRITES, _WRITES_DEGRADED)}


def rows() -> Iterator[Row]:
    """Every figure of the study."""
    disks = disks_from_text("3x320GB:hdd7200-2007")
    with start(LabSpec(disks)) as lab:
        bench = Bench(lab)
        bench.shell("modprobe -a raid0 raid10 raid456")
        nodes = [bench.partition(bench.device(disk.serial), (_BEGIN_MIB, _SIZE_MIB))[0] for disk in disks]
        alone = {
            _READS: bench.read_mb_s(nodes[0], _MOVED_MIB),
            _WRITES: bench.write_mb_s(nodes[0], _MOVED_MIB),
        }
        for way, found in alone.items():
            yield Row(STUDY, f"one disk, {way}", "MiB/s", found * 1e6 / 2**20, _ONE_DISK_MIB_S)
        for level, layout, published in _PUBLISHED:
            plan = _plan(level, layout, nodes)
            for (how, mb_s), figure in zip(_measured(bench, plan), published, strict=False):
                what = f"{level} {layout or ''}".strip() + f", {how}"
                wanted = None if figure is None else figure / _ONE_DISK_MIB_S
                yield Row(
                    STUDY, what, "× one disk", mb_s / alone[how.split(",")[0]], wanted, _CHANGED.get((level, how), "")
                )


def _plan(level: Level, layout: str | None, nodes: list[str]) -> Plan:
    return Plan(
        level,
        tuple(Member(node, _SIZE_MIB * 2**20) for node in nodes),
        name="study",
        layout=layout,
        chunk_kib=256,
        metadata=Metadata.V1_0,
        assume_clean=level.is_redundant,
    )


def _measured(bench: Bench, plan: Plan) -> Iterator[tuple[str, float]]:
    node = bench.make(plan, node_of)
    yield _WRITES, bench.write_mb_s(node, _MOVED_MIB)
    yield _READS, bench.read_mb_s(node, _MOVED_MIB)
    if plan.level.is_redundant:
        lost = next(plan.disks()).id
        bench.shell(f"mdadm {node} --fail {lost}; sleep 0.5; mdadm {node} --remove {lost}")
        yield _WRITES_DEGRADED, bench.write_mb_s(node, _MOVED_MIB)
        yield _READS_DEGRADED, bench.read_mb_s(node, _MOVED_MIB)
    bench.take_apart(node, plan, node_of)
