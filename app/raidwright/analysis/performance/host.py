"""Costs and limits of the computer around the disks; typical figures where nothing was measured.

Processor costs differ by a factor of two between computers and limit fast flash: bands there are wide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import hypot, log

from .constants import (
    BIO_S,
    COPY_S,
    LEGACY_BIO_S,
    MULTI_QUEUE_SINCE,
    OLDEST_KERNEL,
    PARITY_S,
    PLUGGED,
    PLUGS_MORE_SINCE,
    TWOFOLD,
)

_KERNEL = re.compile(r"(\d{1,2})\.(\d{1,3})(?:\.(\d{1,3}))?(?:[-.+ ].*)?")


def kernel_version(text: str) -> tuple[int, ...] | None:
    """Return (5, 15) of 5.15 and of 5.15.0-91-generic, as ``uname -r`` has it; None for no version from 2.4 on."""
    found = _KERNEL.fullmatch(text.strip())
    version = tuple(int(part) for part in found.groups() if part is not None) if found else ()
    if version < OLDEST_KERNEL:
        return None
    return version if version < (3,) else version[:2]  # 2.6.26 and 2.6.27 differ as 4.1 and 4.2 do


@dataclass(frozen=True, slots=True)
class HostModel:
    """``kernel`` is its version. None means the kernel's default, or no limit.

    ``member_request_s``: what md adds to each request to a member (a clone, split at chunks). ``wake_s``: handing over
    to md's thread and back. ``buffered_read_b_s`` and ``buffered_write_b_s``: one process through the page cache.
    ``read_ceiling_b_s`` and ``write_ceiling_b_s``: what all members together get through. ``jiffy_s``: by CONFIG_HZ
    (Debian's and Ubuntu's 250). ``sync_limit_b_s``: md's ``sync_speed_max``, along each member. ``practice``:
    the disks are a practice machine's, which answer by the model's own physics: bands are as narrow as there.
    """

    kernel: tuple[int, ...] = (6, 12)
    read_ahead_bytes: int | None = None
    stripe_cache_pages: int | None = None
    group_threads: int = 0
    member_request_s: float = 1e-6
    wake_s: float = 8e-6
    buffered_read_b_s: float = 3e9
    buffered_write_b_s: float = 2e9
    read_ceiling_b_s: float | None = None
    write_ceiling_b_s: float | None = None
    bitmap_chunk_bytes: int | None = None
    jiffy_s: float = 1 / 250
    sync_limit_b_s: float | None = None
    practice: bool = False

    def page_s(self, members: int, request_s: float) -> float:
        """Return the processor's seconds per page of a stripe of ``members``, each ``request_s`` per own request."""
        bio_s = BIO_S if self.kernel >= MULTI_QUEUE_SINCE else LEGACY_BIO_S
        if members > PLUGGED and self.kernel < PLUGS_MORE_SINCE:
            bio_s = request_s
        return COPY_S + PARITY_S + bio_s

    def spread_of(self, jobs: int) -> float:
        """Return the uncertainty of ``jobs`` with a CPU each (log deviation): they contend for md's locks, too.

        (``raid10.c wait_barrier``, a spinlock before 6.2; ``raid5.c`` ``hash_locks`` and ``device_lock``; counters of
        ``raid1.c`` that all processors share.)
        """
        return hypot(TWOFOLD, log(jobs) / 4)

    @property
    def stripe_threads(self) -> int:
        """Threads that handle stripes: ``group_thread_cnt``, or md's own one."""
        return max(1, self.group_threads)
