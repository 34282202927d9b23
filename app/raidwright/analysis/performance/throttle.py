"""Write-back throttling (wbt): the writes to flash that the kernel withholds while the same disk is read.

Sources: kernel ``blk-wbt.c``, since 4.10. If even the fastest read within 100 ms took more than 2 ms, the writes
allowed in flight to the disk are halved, down to one; if none did, or nothing was read, they grow again. Only requests
with both REQ_SYNC and REQ_IDLE are exempt (``wbt_should_throttle``), and md passes on the first alone (``raid1.c
raid1_write_request``, ``raid5.c ops_run_io``): so direct requests to an array are throttled, too.
"""

from __future__ import annotations

from .array import ModelledArray

_SINCE = (4, 10)
_READ_WAITS_S = 2e-3  # on flash; the effect of the 75 ms for spinning disks wasn't measured
# Share of the time with reads for which a disk is throttled. It would have been 0.2 to 0.9 on fourteen arrays of
# emulated flash with parity under write-back (Linux 6.1), more with smaller chunks; with the
# throttling switched off three of them reached 95 and 96% of their members' rate.
_THROTTLED = 1 / 2


def left_beside_reads(array: ModelledArray, size_bytes: float) -> float:
    """Return the share left of a stream of writes, ``size_bytes`` per member request, while the member is read."""
    drive = array.slowest
    if drive.spins or array.host.kernel < _SINCE:
        return 1.0
    one_s = size_bytes / drive.write_b_s
    at_once = max(1.0, (_READ_WAITS_S - drive.read_access_s) / one_s)
    share = min(1.0, at_once * one_s / drive.alone_s(size_bytes, write=True))
    return 1 / (1 - _THROTTLED + _THROTTLED / share)
