"""Write-back throttling (wbt): the writes to flash that the kernel withholds while the same disk is read.

Sources: kernel ``blk-wbt.c``, since 4.10. If even the fastest read within 100 ms took more than 2 ms, the writes
allowed in flight to the disk are halved, down to one; if none did, or nothing was read, they grow again. Only requests
with both REQ_SYNC and REQ_IDLE are exempt (``wbt_should_throttle``), and md passes on the first alone (``raid1.c
raid1_write_request``, ``raid5.c ops_run_io``): so direct requests to an array are throttled, too.
"""

from __future__ import annotations

from .array import ModelledArray
from .constants import THROTTLED_SHARE, THROTTLED_SINCE, THROTTLING_READ_S


def left_beside_reads(array: ModelledArray, size_bytes: float) -> float:
    """Return the share left of a stream of writes, ``size_bytes`` per member request, while the member is read."""
    drive = array.slowest
    if drive.spins or array.host.kernel < THROTTLED_SINCE:
        return 1.0
    one_s = size_bytes / drive.write_b_s
    at_once = max(1.0, (THROTTLING_READ_S - drive.read_access_s) / one_s)
    share = min(1.0, at_once * one_s / drive.alone_s(size_bytes, write=True))
    return 1 / (1 - THROTTLED_SHARE + THROTTLED_SHARE / share)
