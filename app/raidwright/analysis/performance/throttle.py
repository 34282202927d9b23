"""Write-back throttling: what the kernel takes from writes to flash while the same disk is read from.

Sources: kernel ``blk-wbt.c``, since 4.10. When even the quickest read of a tenth of a second took more than 2 ms, half
as many writes as before may be on their way to the disk, down to one; when none did, or nothing was read, more again.
Only what has REQ_SYNC and REQ_IDLE is spared (``wbt_should_throttle``), and md passes on the first alone
(``raid1.c raid1_write_request``, ``raid5.c ops_run_io``): so direct requests to an array aren't spared, either.
"""

from __future__ import annotations

from .array import Array

_SINCE = (4, 10)
_READ_WAITS_S = 2e-3  # on flash; what 75 ms make of spinning disks wasn't measured
# Of the time that it is read from, a disk is throttled for so long. It would have been 0.2 to 0.9 on fourteen arrays of
# emulated flash with parity that were written back to (Linux 6.1), the more the smaller their chunks; with the
# throttling switched off three of them got 95 and 96% of what their members take.
_THROTTLED = 1 / 2


def left_beside_reads(array: Array, size_bytes: float) -> float:
    """The share that is left of a stream of writes, of ``size_bytes`` to a member at once, while it is read from."""
    drive = array.slowest
    if drive.spins or array.host.kernel < _SINCE:
        return 1.0
    one_s = size_bytes / drive.write_b_s
    at_once = max(1.0, (_READ_WAITS_S - drive.read_access_s) / one_s)
    share = min(1.0, at_once * one_s / drive.alone_s(size_bytes, write=True))
    return 1 / (1 - _THROTTLED + _THROTTLED / share)
