"""Random pools from a seed: disks with random constants, arrays of them, and workloads.

The predictor is told none of the constants, only what a baseline measures on each disk. They are slow for their kind,
so that one processor, in slow motion, isn't what is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from random import Random

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.system.workload import AnyWorkload, Workload
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.disks.timing import Flash, Spinning, Timing

_DISKS = 5  # a pool's
_SIZES_GB = (64, 120, 240)
_ALIKE = 0.02  # relative difference between a pool's disks, as between disks of one model
_ODD = 0.3  # share of the pools that have one slower disk
_WORKLOADS = 4  # of a pool: each of its arrays is measured by all of them, so that they can be ranked
_UNMIXED = [one for one in Workload if one.pattern.read_percent is None]
_WITH_BITMAP = 0.25
_CHUNKS_KIB = (64, 128, 256, 512)
_ARRAYS: tuple[tuple[Level, str | None, tuple[int, ...]], ...] = (
    (Level.RAID0, None, (2, 3, 4, 5)),
    (Level.RAID5, "left-symmetric", (3, 4, 5)),
    (Level.RAID10, "n2", (2, 3, 4, 5)),
    (Level.RAID1, None, (2, 3)),
    (Level.RAID6, "left-symmetric", (4, 5)),
    (Level.RAID10, "f2", (2, 3, 4, 5)),
    (Level.RAID5, "right-asymmetric", (3, 4, 5)),
    (Level.RAID10, "o2", (3, 4, 5)),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One measurement: ``state`` is healthy, degraded or rebuilding; the array's disk ``lost`` is the one then gone.

    A job of one's own has a ``name`` and a span.
    """

    workload: AnyWorkload
    state: str = "healthy"
    name: str = ""
    span_bytes: int | None = None

    def __str__(self) -> str:
        return f"{self.name or self.workload}, {self.state}"


@dataclass(frozen=True, slots=True)
class Drawn:
    """An array with what is measured of it, in order; ``lost`` is the slot that fails after the healthy cells."""

    plan: Plan
    lost: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """Disks of one kind in a practice machine of ``pace``, and the arrays made of them one after the other."""

    kind: str
    pace: float
    disks: tuple[LabDisk, ...]
    arrays: tuple[Drawn, ...]


def pools(seed: int, *, arrays: int) -> Iterator[Pool]:
    """A pool of each kind with so many arrays."""
    random = Random(seed)  # noqa: S311  # to be repeatable
    shapes = cycle(random.sample(_ARRAYS, len(_ARRAYS)))
    for kind, (pace, draw) in _KINDS.items():
        disks = disks_like(random, kind, draw(random), (random.choice(_SIZES_GB),) * _DISKS)
        workloads = random.sample(_UNMIXED, _WORKLOADS)
        chosen = tuple(_drawn(random, disks, next(shapes), workloads, number) for number in range(arrays))
        yield Pool(kind, pace, disks, chosen)


def disks_like(random: Random, kind: str, like: Timing, sizes_gb: Sequence[int]) -> tuple[LabDisk, ...]:
    """Return a disk of each size whose timing is about that of ``like``; at times one is slower by a quarter."""
    odd = random.randrange(len(sizes_gb)) if random.random() < _ODD else None
    return tuple(
        LabDisk(
            "Drawn",
            f"{kind.upper()}-{size_gb}",
            f"D{kind[:3].upper()}{number:04X}",
            size_gb * 10**9,
            isinstance(like, Spinning),
            timing=_slower(like, random, 0.75 if number == odd else 1.0),
        )
        for number, size_gb in enumerate(sizes_gb)
    )


def _slower(like: Timing, random: Random, share: float) -> Timing:
    share *= random.uniform(1 - _ALIKE, 1 + _ALIKE)
    if isinstance(like, Spinning):
        return replace(like, outside_mb_s=like.outside_mb_s * share, inside_mb_s=like.inside_mb_s * share)
    return replace(like, read_mb_s=like.read_mb_s * share, write_mb_s=like.write_mb_s * share)


def _drawn(
    random: Random,
    disks: tuple[LabDisk, ...],
    shape: tuple[Level, str | None, tuple[int, ...]],
    workloads: list[Workload],
    number: int,
) -> Drawn:
    level, layout, counts = shape
    members = tuple(Member(disk.serial, disk.size_bytes) for disk in random.sample(disks, random.choice(counts)))
    plan = Plan(
        MdArray(
            level,
            members,
            name=f"drawn{number}",
            layout=layout,
            chunk_kib=random.choice(_CHUNKS_KIB) if level.is_chunked else None,
            bitmap=Bitmap.INTERNAL if level.is_redundant and random.random() < _WITH_BITMAP else Bitmap.NONE,
            assume_clean=level.is_redundant,
        )
    )
    cells = [Cell(workload) for workload in workloads]
    if level.is_redundant:
        cells += [Cell(workload, "degraded") for workload in random.sample(workloads, 2)]
        cells.append(Cell(random.choice(workloads), "rebuilding"))
    return Drawn(plan, random.randrange(len(members)), tuple(cells))


def spinning(rpm: int, average_ms: tuple[float, float]) -> Callable[[Random], Timing]:
    """Return what draws a disk of ``rpm`` whose average seek is within ``average_ms``."""

    def draw(random: Random) -> Timing:
        outside, track = random.uniform(35, 75), random.uniform(0.5, 1.1)
        average = random.uniform(*average_ms)
        segment = random.choice((1024, 4096))
        return Spinning(
            rpm=rpm,
            outside_mb_s=outside,
            inside_mb_s=outside * random.uniform(0.45, 0.6),
            track_seek_ms=track,
            settle_ms=track + random.uniform(0.5, 1.0),
            average_seek_ms=average,
            full_seek_ms=average * random.uniform(1.7, 2.0),
            write_seek_ms=random.uniform(0.3, 0.8),
            cable_mb_s=random.uniform(150, 300),
            command_ms=random.uniform(0.05, 0.15),
            read_ahead_kib=segment // 4,
            segment_kib=segment,
            segments=random.choice((8, 16)),
            write_cache_mib=random.choice((4, 8, 16)),
            write_cache_pieces=random.choice((64, 96, 128)),
            random_read_iops=0,
            random_read_q32_iops=0,
            random_write_iops=0,
            random_write_q32_iops=0,
        )

    return draw


def _flash(
    read_mb_s: tuple[float, float], read_iops: tuple[float, float], deep: tuple[float, float] = (4, 8)
) -> Callable[[Random], Timing]:
    def draw(random: Random) -> Timing:
        read, alone = random.uniform(*read_mb_s), random.uniform(*read_iops)
        write, write_alone = read * random.uniform(0.6, 0.95), alone * random.uniform(1.2, 2.5)
        return Flash(
            read_mb_s=read,
            write_mb_s=write,
            random_read_iops=alone,
            random_read_q32_iops=alone * random.uniform(*deep),
            random_write_iops=write_alone,
            random_write_q32_iops=write_alone * random.uniform(1.5, 4),
            fast_share=0.5,
            folded_mb_s=write / 3,
            flush_ms=random.uniform(0.3, 3.0),
            kept_ms=50,
            cable_mb_s=read * random.uniform(1.05, 1.5),
        )

    return draw


# By kind: the machine's pace, and how its constants are drawn.
_KINDS: dict[str, tuple[float, Callable[[Random], Timing]]] = {
    "hdd5400": (1.0, spinning(5400, (10.0, 13.0))),
    "hdd7200": (1.0, spinning(7200, (7.5, 9.5))),
    "hdd10000": (1.0, spinning(10000, (4.2, 5.5))),
    "ssd": (1 / 4, _flash((80, 160), (800, 2000))),
    # At a quarter the processor holds five of them back: 68,000 reads a second of 4 KiB, at an eighth 123,000.
    "nvme": (1 / 8, _flash((150, 300), (1500, 3000), deep=(8, 16))),
}
