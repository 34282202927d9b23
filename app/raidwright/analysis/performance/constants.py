"""Constants of the speed model: the only place where one is defined, each with its unit, its kind, and its source.

``table`` lists them; ``python -m raidwright.analysis.performance.constants`` prints it. ``check`` names the make target
whose rows or cells a fitted value was held against; it is "" where the source itself names the measurement.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from math import inf, log
from typing import Annotated, NamedTuple, get_type_hints

from raidwright.core.md.known import NEWEST_READ, REQUESTS_ARE_STRIPES
from raidwright.core.units import SECTOR_BYTES


class ConstantKind(StrEnum):
    """Origin of a constant."""

    PHYSICAL = "physical"  # of a standard, md's or the kernel's source, a data sheet, or the thing's own nature
    FITTED = "fitted"  # to measurements of arrays
    CHOSEN = "chosen"  # a judgement, or the accuracy of a computation


Kernel = tuple[int, int]  # a version of Linux


class Origin(NamedTuple):
    """Unit, kind and source of a constant; ``check`` is the make target that fitted it, "" for none."""

    unit: str
    kind: ConstantKind
    source: str
    check: str = ""


def physical(unit: str, source: str) -> Origin:
    """Return the origin of a physical constant."""
    return Origin(unit, ConstantKind.PHYSICAL, source)


def fitted(unit: str, source: str, check: str = "") -> Origin:
    """Return the origin of a fitted constant."""
    return Origin(unit, ConstantKind.FITTED, source, check)


def chosen(unit: str, source: str, check: str = "") -> Origin:
    """Return the origin of a chosen constant."""
    return Origin(unit, ConstantKind.CHOSEN, source, check)


# Processor and kernel.
PAGE_BYTES: Annotated[
    int, physical("B", "stripes of raid456 have one page a member (``raid5.h`` RAID5_STRIPE_SIZE)")
] = 4096
SCSI_REQUEST_S: Annotated[
    float, fitted("s", "150,000 IOPS of a core, as one fio job does on single faster SCSI or SATA disks")
] = 6.5e-6
NVME_REQUEST_S: Annotated[float, fitted("s", "400,000 IOPS of a core, likewise on NVMe")] = 2.5e-6
COPY_S: Annotated[float, physical("s", "a page copied into the stripe cache, memory at 5 GB/s")] = PAGE_BYTES / 5e9
PARITY_S: Annotated[float, physical("s", "the same page in parity, xor at 10 GB/s")] = PAGE_BYTES / 10e9
LEGACY_BIO_S: Annotated[
    float,
    fitted(
        "s",
        "a bio made, queued and ended (``raid5.c ops_run_io``): 1 GB/s of large writes a thread before blk-mq",
        "published-check",
    ),
] = 2e-6
BIO_S: Annotated[
    float, fitted("s", "the same since all disks have blk-mq: one published check of 16 disks", "published-check")
] = 1e-6
MULTI_QUEUE_SINCE: Annotated[Kernel, physical("Linux", "blk-mq for all disks")] = (5, 0)
PLUGGED: Annotated[
    int, physical("bios", "bios merged while plugged before 5.15 (``blk-mq.c``, commit 7f2a6a69f7ce)")
] = 16
PLUGS_MORE_SINCE: Annotated[
    Kernel, physical("Linux", 'the same commit: more are merged, "hurts performance for large md arrays" before')
] = (5, 15)
OLDEST_KERNEL: Annotated[Kernel, chosen("Linux", "first kernel that --kernel takes")] = (2, 4)
NEWEST_KERNEL: Annotated[Kernel, chosen("Linux", "last kernel whose md was read and run (``known``)")] = NEWEST_READ
THROTTLED_SINCE: Annotated[Kernel, physical("Linux", "write-back throttling (``blk-wbt.c``)")] = (4, 10)
THROTTLING_READ_S: Annotated[
    float, physical("s", "read latency on flash above which writes are throttled (``blk-wbt.c``)")
] = 2e-3
THROTTLED_SHARE: Annotated[
    float,
    fitted(
        "share",
        "share of the time with reads: 0.2 to 0.9 on fourteen emulated flash arrays with parity, Linux 6.1",
        "predict-check",
    ),
] = 1 / 2

# Disks.
SMALL_BYTES: Annotated[int, physical("B", "request size of a baseline's random figures")] = 4096
DEEP: Annotated[
    int, physical("requests", "places of native command queueing (ACS-3, 7.17), and the deep figures of a baseline")
] = 32
MEAN_DISTANCE: Annotated[float, physical("stroke", "mean distance of two places drawn at random")] = 1 / 3
QUEUE_GAIN: Annotated[
    float,
    fitted(
        "exponent",
        "nearest of q places in seek and rotation, q^(-1/3); settling and request ageing make it a fourth root",
        "published-check",
    ),
] = 0.25
CABLE_B_S: Annotated[float, physical("B/s", "SATA 6 Gb/s less its framing: the rate of cache hits")] = 550e6
COMMAND_S: Annotated[float, chosen("s", "overhead of a command to a spinning disk")] = 1e-4
READ_ON_BYTES: Annotated[int, physical("B", "minimum of a disk's own read-ahead")] = 2**20
MB: Annotated[float, physical("B", "decimal megabyte of the makers' data sheets")] = 1e6
INNER_SHARE: Annotated[
    float, physical("share", "rate at a spinning disk's end by that at its beginning (ZCAV curves)")
] = 0.5
SORTED_IN_CACHE: Annotated[
    int, fitted("requests", "requests that a write cache sorts, however few are in flight", "published-check")
] = 16
SEEKS_S: Annotated[
    dict[int, tuple[float, float]],
    physical("s", "mean and track-to-track seeks by rpm, from data sheets (``typical``)"),
] = {5400: (12.0e-3, 1.0e-3), 7200: (8.5e-3, 0.8e-3), 10000: (4.6e-3, 0.4e-3), 15000: (3.5e-3, 0.3e-3)}
SETTLING_TRACKS: Annotated[
    float,
    physical(
        "track seeks",
        "a head that moves a few tracks takes about twice the seek to the next one, to settle (Ruemmler, Wilkes 1994)",
    ),
] = 2.0
OUTER_MB_S: Annotated[
    tuple[tuple[float, float], ...],
    physical("MB/s", "sustained rates of 7200 rpm disks up to so many bytes, from data sheets (``typical``)"),
] = ((1.2e12, 150.0), (3.0e12, 175.0), (7.0e12, 185.0), (11.0e12, 215.0), (15.0e12, 245.0), (inf, 265.0))
SLOWER_TURNING: Annotated[
    float, physical("share", "5400 rpm disks' rate by that of 7200 rpm ones: fewer turns, the same bits a track")
] = 0.85
UNCACHED: Annotated[
    float, chosen("share", "writes that take longer than this share of a read wait for the platter")
] = 0.8
OF_A_CORE: Annotated[
    float, chosen("share", "above this share of what a core passes, the core and not the disk was measured")
] = 0.8
MIDDLE_BYTES: Annotated[int, physical("B", "middle request size of a baseline")] = 2**16
LARGE_BYTES: Annotated[int, physical("B", "large request size of a baseline")] = 2**20
FLUSHES_VARY: Annotated[
    float, fitted("share", "standard deviation of typical flush times by their mean", "predict-check")
] = 0.3
PROTECTED_FLUSH_S: Annotated[float, physical("s", "protected flash answers from its cache (``typical``)")] = 2e-5
FLASH_FIGURES: Annotated[
    dict[str, tuple[float, ...]],
    physical("MB/s, IOPS, s", "figures of ``typical._Flash`` in its order, from data sheets (``typical``)"),
] = {
    "ssd": (540, 500, 12_000, 32_000, 95_000, 85_000, 2e-3, SCSI_REQUEST_S),
    "nvme": (5000, 4000, 18_000, 50_000, 650_000, 400_000, 2e-3, NVME_REQUEST_S),
    "memory": (5000, 5000, 200_000, 200_000, 400_000, 400_000, 0.0, NVME_REQUEST_S),
}

# md's locks.
STRIPES_LOCKLESS_SINCE: Annotated[
    Kernel, physical("Linux", "raid5's reads without device_lock (commit 97ae27252f49)")
] = (5, 14)
STRIPES_IOPS: Annotated[
    tuple[float, float], fitted("IOPS", "raid5's and raid6's reads, before and since (``locks``)")
] = (1.8e6, 4e6)
COPIES_LOCKLESS_SINCE: Annotated[
    Kernel, physical("Linux", "raid10 without resync_lock on every request (Yu Kuai, 2022)")
] = (6, 2)
COPIES_IOPS: Annotated[
    tuple[float, float], fitted("IOPS", "raid10's requests, before as measured and since as judged (``locks``)")
] = (
    1.8e6,
    3.5e6,
)
MIRRORS_FREED_SINCE: Annotated[Kernel, physical("Linux", "raid1's limit of plugged bios (Yu Kuai, 2023)")] = (6, 5)
MIRRORS_IOPS: Annotated[
    tuple[float, float], fitted("IOPS", "raid1's requests, before as measured and since as judged (``locks``)")
] = (
    0.8e6,
    2e6,
)
STRIPE_WRITES_IOPS: Annotated[
    float, fitted("IOPS", "raid5's small writes, eight threads on null_blk: 463,000 to 523,000 (A. Paszkiewicz, 2024)")
] = 0.5e6

# Arrays and placement.
RAID10_BY_PENDING_SINCE: Annotated[
    Kernel,
    physical(
        "Linux", "raid10 reads from the copy with the fewest pending requests on flash (``raid10.c read_balance``)"
    ),
] = (5, 4)
MIRROR_CHUNK_KIB: Annotated[
    int, physical("KiB", "largest piece of a split request of raid1 and linear, which have no chunk")
] = 512
BLOCK_PLACES: Annotated[
    int, chosen("places", "block positions sampled over the stripes: all of them in arrays of up to eight disks")
] = 64
CACHED_WAYS: Annotated[
    int, chosen("arrays", "cached: clean and degraded, read and written, of the plan being predicted")
] = 8
BIO_BYTES: Annotated[int, physical("B", "``bio.h`` BIO_MAX_VECS pages")] = 2**20
BOTTLENECK_SHARE: Annotated[float, chosen("share", "a bottleneck takes more than this share of a rate")] = 0.5

# Streams.
MIN_READ_AHEAD_BYTES: Annotated[int, physical("B", "read_ahead_kb of a queue (``VM_READAHEAD_PAGES``)")] = 128 * 1024
READ_AS_ASKED_SINCE: Annotated[
    Kernel,
    physical("Linux", "read-ahead follows the program's request, up to the device's optimal size (``readahead.c``)"),
] = (4, 10)
MAX_REQUEST_BYTES: Annotated[int, physical("B", "``blk-settings.c`` BLK_DEF_MAX_SECTORS")] = 1280 * 1024
STRIPES_REQUEST_BYTES: Annotated[
    int, physical("B", "``raid5.c`` RAID5_MAX_REQ_STRIPES pages: the same of raid4, 5, 6 from 6.0 to before 7.0")
] = 2**20
STRIPES_LIMITED_SINCE: Annotated[Kernel, physical("Linux", "``raid5.c`` RAID5_MAX_REQ_STRIPES")] = (6, 0)
STRIPE_REQUESTS_SINCE: Annotated[
    Kernel,
    physical("Linux", "a stripe is one request (commit 4ffe28ed0d7c), since 7.1 split there (d51e1668fad6)"),
] = REQUESTS_ARE_STRIPES.first or (7, 0)
READ_AHEAD_IN_FLIGHT: Annotated[
    float, fitted("windows", "read-ahead being read: the present window and part of the next", "predict-check")
] = 1.5
WRITE_CACHE_BYTES: Annotated[int, physical("B", "unwritten data in a disk's own cache")] = 8 * 2**20
WRITE_BACK_BYTES: Annotated[int, chosen("B", "dirty pages before the kernel throttles a writer")] = 2**30
QUEUED_BYTES: Annotated[
    int, physical("B", "dirty pages in one disk's queue: nr_requests, at least 128, of 512 KiB")
] = 64 * 2**20
WHOLE_STREAM: Annotated[float, chosen("share", "a larger share of a stream counts as all of it")] = 0.9
READS_IN_STRIPES: Annotated[
    tuple[tuple[int, ...], ...], physical("Linux", "kernels from, and before, which raid5 reads used the stripe cache")
] = ((2, 6), (2, 6, 20))
WRITTEN_BACK_DEPTH: Annotated[int, physical("requests", "minimum of nr_requests, which write-back fills")] = 128

# Stripes.
FROM_4_1: Annotated[
    Kernel, physical("Linux", "stripe cache that grows, and degraded reads through it (``raid5d`` R5_ALLOC_MORE)")
] = (4, 1)
CACHE_PAGES: Annotated[int, physical("stripes", "``raid5.h`` NR_STRIPES")] = 256
CACHE_GROWTH: Annotated[
    int,
    fitted(
        "times",
        "growth while writers wait: 4 to 12 on ten arrays of three to five emulated disks, Linux 6.1",
        "predict-check",
    ),
] = 8
STRIPES_READ_FOR: Annotated[
    float,
    fitted(
        "share",
        "split stripes read before the second request arrives: 0.24 to 0.69 on 17 emulated arrays, Linux 6.1",
        "predict-check",
    ),
] = 1 / 2
FLASH_SINGLY: Annotated[
    tuple[float, float],
    fitted(
        "ratio, exponent", "read-ahead by stripe cache at which half is read page by page; steepness", "predict-check"
    ),
] = (2.8, 3.5)
TURNING_SINGLY: Annotated[
    tuple[float, float], fitted("ratio, exponent", "the same of disks that turn, four arrays", "predict-check")
] = (1.35, 6.0)
WRITE_BACK_PIECE_BYTES: Annotated[
    int, fitted("B", "write-back per member: 117 to 340 KiB at chunks of 64 to 512 KiB, Linux 6.1", "predict-check")
] = 256 * 1024
BATCH_OF_CACHE: Annotated[
    float, physical("share", "between a quarter (md's low-water mark) and half of the stripe cache")
] = 3 / 8

# Bitmap.
BITMAP_CHUNK_BYTES: Annotated[int, physical("B", "mdadm(8), --bitmap-chunk: at least 64 MiB")] = 64 * 2**20
BITMAP_MAX_BITS: Annotated[
    int, physical("bits", "mdadm ``super1.c``: 128 KiB reserved, less the bitmap superblock")
] = 128 * 1024 * 8 - 256 * 8
BITMAP_HELD_S: Annotated[
    float, physical("s", "mean time that a bit stays set after the last write: until the daemon's second 5 s round")
] = 7.5
BITMAP_STEP_S: Annotated[float, chosen("s", "step of the sum over a measurement")] = BITMAP_HELD_S / 10
MINUTE_S: Annotated[float, chosen("s", "duration of a measurement")] = 60.0

LINK_MB_S: Annotated[dict[str, float], physical("MB/s", "as practice disks have it")] = {"usb2": 38.0, "usb3": 400.0}

# Resync, rebuild, reshape.
SYNC_MAX_B_S: Annotated[int, physical("B/s", "speed_limit_max (``md.c``)")] = 200_000 * 1024
LIMIT_PASSED: Annotated[float, chosen("times", "md sleeps once past it; 210 and 216 MB/s of 204.8 were published")] = (
    1.08
)
SYNC_WINDOW_S: Annotated[float, physical("s", "SYNC_MARKS × SYNC_MARK_STEP, less a step (``md.c``)")] = 27.0
SYNC_MIN_B_S: Annotated[int, physical("B/s", "speed_limit_min: md's rate whatever other I/O waits (``md.c``)")] = (
    1000 * 1024
)
NOTICED_BYTES: Annotated[int, physical("B", "other I/O of fewer bytes goes unnoticed (``md.c is_mddev_idle``)")] = (
    64 * SECTOR_BYTES
)
NOTICES_ALL_SINCE: Annotated[
    Kernel, physical("Linux", "all other I/O in flight is noticed (``md.c is_rdev_holder_idle``)")
] = (6, 16)
LOOKS_EVERY_BYTES: Annotated[int, physical("B", "``md.c md_do_sync``: bytes between looks at the speed")] = 128 * 1024
SYNC_PIECE_BYTES: Annotated[int, physical("B", "``raid1-10.c`` RESYNC_BLOCK_SIZE")] = 2**16
ASKED_OF_COPIES_BYTES: Annotated[
    int, physical("B", "rebuild requests in flight per member: ``raid1-10.c`` RESYNC_DEPTH pieces")
] = 32 * SYNC_PIECE_BYTES
ASKED_OF_STRIPES_BYTES: Annotated[int, physical("B", "the same of parity: a full stripe cache")] = 2**20
KEEPS_FULL_BYTES: Annotated[
    int,
    fitted(
        "B",
        "a rebuild with more in flight before it notices other I/O keeps the members' queues full, Linux 6.1",
        "predict-check",
    ),
] = 2**20
OVERDUE_S: Annotated[
    float, physical("s", "``mq-deadline.c`` read_expire; 0.6 to 0.74 s per read were measured on Linux 6.1")
] = 0.5
CHUNKS_A_SEEK: Annotated[
    float, fitted("chunks", "per movement of the head, by the disk's queue and md's stripe cache", "change-check")
] = 3.0
BACKUP_SLOWDOWN: Annotated[float, fitted("times", "a reshape that mdadm backs up to a file", "change-check")] = 6.0
AT_ONCE_HOURS: Annotated[float, chosen("h", "changes of the superblock alone")] = 1 / 3600

# Measurements of disks.
MEASURED_ALIKE: Annotated[
    float,
    chosen(
        "share", "two measurements of some seconds, or two disks of one kind, differ by less; a larger loss matters"
    ),
] = 0.15
MIN_DISKS_TO_JUDGE: Annotated[int, physical("disks", "of two that differ neither is known to be the outlier")] = 3
ALIKE: Annotated[float, chosen("times", "two figures that differ by less are told as one")] = 1.25
JSON_DIGITS: Annotated[int, chosen("digits", "more than a prediction justifies")] = 4

# Spreads: standard deviations of the logarithm.
NINETY: Annotated[float, physical("deviations", "90% of a normal distribution are within them")] = 1.645
A_FIFTH: Annotated[float, chosen("log", "judged: 90 of 100 are within a fifth, a rounded figure")] = log(1.2) / NINETY
A_HALF: Annotated[float, chosen("log", "judged: within half as much again, an unmeasured part")] = log(1.5) / NINETY
TWOFOLD: Annotated[
    float, chosen("log", "judged: within a factor of two, as unmeasured costs of processors, locks and flushes")
] = log(2) / NINETY
THREEFOLD: Annotated[
    float,
    chosen("log", "judged: a reshape within a factor of three; 0.4 to 3.1 times on practice disks (change-check)"),
] = log(3) / NINETY
FLUSH_SPREAD: Annotated[
    float, chosen("log", "flushes of flash around the typical one of its two kinds: within a factor of three")
] = log(3) / NINETY
KIND_SPREADS: Annotated[
    dict[str, float], fitted("log", "the model's own error by ``own_error.ErrorKind``", "published-check")
] = {
    "streams": 0.12,
    "streams written with parity": 0.41,
    "random access, disks that turn": 0.15,
    "random writes with parity, disks that turn": 0.12,
    "random access, flash": 0.41,
    "with a disk lost": 0.12,
    "a check or rebuild itself": 0.41,
    "beside a check, a resync or a rebuild": 0.41,
}
NEAR_SPREAD: Annotated[
    float, fitted("log", "rates of 28 emulated arrays of near copies, Linux 6.1", "predict-check")
] = 0.1
NOTES_SPREAD: Annotated[
    float, fitted("log", "number of writes per bitmap update (``writes._gathered``)", "predict-check")
] = 0.3
SEVERAL_MAX_SPREAD: Annotated[float, chosen("log", "no measurement of an array with several streams supports more")] = (
    0.6
)
OLD_KERNELS: Annotated[
    tuple[tuple[tuple[int, ...], float], ...],
    chosen(
        "Linux, log",
        "before these, the code around md (page cache, elevators, SCSI) was another one, not read for this model",
    ),
] = (((2, 6), 0.3), ((3,), 0.12))
QUEUE_SPREADS: Annotated[
    dict[str, float], chosen("log", "gain with depth of the disks of a kind around the typical one")
] = {"ssd": 0.2, "nvme": 0.45, "memory": 0.3}
KIND_OF_DISK_SPREADS: Annotated[
    dict[str, float],
    chosen("log", 'disks of a kind ("": of an unknown one) around the typical figure, from data sheets (``typical``)'),
] = {"hdd": 0.18, "smr": 0.25, "ssd": 0.12, "nvme": 0.45, "memory": 0.5, "": 0.6}
ACCESS_SPREAD: Annotated[
    float,
    chosen("log", "a spinning disk's access time around that of its rpm, from data sheets (``typical``)"),
] = 0.15


def table() -> Iterator[tuple[str, object, Origin]]:
    """Yield (name, value, origin) of each constant, in the order of this module."""
    module = sys.modules[__name__]
    for name, hint in get_type_hints(module, include_extras=True).items():
        yield name, getattr(module, name), hint.__metadata__[0]


if __name__ == "__main__":
    for constant, value, origin in table():
        kind = ", ".join(filter(None, (origin.kind, origin.check)))
        print(f"{constant} = {value} {origin.unit} ({kind}): {origin.source}")
