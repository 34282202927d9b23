"""md's own locks: all processors together get no more requests through an array than these let pass.

Sources, by 4 KiB random requests of many jobs: raid5's and raid6's reads took ``device_lock`` before 5.14, which passed
1.6 to 2 million a second, and 4 million pass since (commit 97ae27252f49); raid10's took ``resync_lock`` before 6.2,
1.8 million a second (Yu Kuai, "md/raid10: reduce lock contention", 2022) against 2.4 million from the same disks
after it; raid1's share counters of each 64 MiB between all processors, and its writes wait in a list for one thread
before 6.5 (Yu Kuai, "md/raid1-10: limit the number of plugged bio": Ali Gholami Rudi's 0.8 million of reads and writes
on 128 cores, linux-raid 2023). raid0 takes no lock; its requests cost processors only.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot

from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern

from .array import ModelledArray
from .bounds import Bound
from .constants import (
    COPIES_IOPS,
    COPIES_LOCKLESS_SINCE,
    MIRRORS_FREED_SINCE,
    MIRRORS_IOPS,
    PAGE_BYTES,
    STRIPE_WRITES_IOPS,
    STRIPES_IOPS,
    STRIPES_LOCKLESS_SINCE,
    TWOFOLD,
)


def lock_bounds(array: ModelledArray, pattern: Pattern) -> Iterator[Bound]:
    """Yield the ceiling of md's locks in bytes per second where several jobs contend for them.

    Processors differ by twice, and so may what nobody has measured since a lock went: that band is wider.
    """
    passed = _iops(array, pattern)
    if pattern.jobs > 1 and passed is not None:
        iops, judged = passed
        requests = max(1.0, pattern.block_bytes / array.chunk_bytes)
        spread = hypot(TWOFOLD, TWOFOLD if judged else 0.0)
        yield Bound(iops / requests * pattern.block_bytes, say("md's locks"), spread=spread)


def _iops(array: ModelledArray, pattern: Pattern) -> tuple[float, bool] | None:
    """Return the requests per second that the locks pass, and whether that is judged; None without locks."""
    kernel = array.host.kernel
    if array.parities:
        pages = max(1.0, pattern.block_bytes / PAGE_BYTES)
        return (STRIPE_WRITES_IOPS / pages if pattern.writes else STRIPES_IOPS[kernel >= STRIPES_LOCKLESS_SINCE]), False
    if array.copies.total == 1:
        return None
    passed, since = COPIES_IOPS, COPIES_LOCKLESS_SINCE
    if array.copies.near == array.slots:
        passed, since = MIRRORS_IOPS, MIRRORS_FREED_SINCE
    return passed[kernel >= since], kernel >= since
