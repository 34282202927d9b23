"""Zeroing the first MiB of an empty array, so that the measurement's data isn't taken for content.

Random bytes are sometimes taken for a partition table: that of ADFS has one byte to check (kernel
``block/partitions/acorn.c`` adfs_checkbblk), so one of 256 passes, and the array then seems to be in use.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time

from raidwright.core.errors import JobFailed
from raidwright.core.messages import say

from .guards import Exclusive, Pinned, pinned
from .host import Host

_HEAD_BYTES = 2**20
_READ_PARTITIONS = 0x125F  # ``linux/fs.h`` BLKRRPART
_PAUSES_S = (0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)


def clear_head(host: Host, device: Pinned, claim: Exclusive) -> None:
    """Zero the array's first MiB and make the kernel re-read it. ``claim`` must be writable; raises JobFailed."""
    try:
        os.pwrite(claim.fd, bytes(min(_HEAD_BYTES, host.size_bytes(device.number))), 0)
        os.fsync(claim.fd)
    except OSError as error:
        raise JobFailed(
            "{node} can't be written ({why}).", code="array-unwritable", node=device.node, why=error.strerror
        ) from error
    for pause_s in _PAUSES_S:  # udev may be probing the supposed partition
        time.sleep(pause_s)
        with contextlib.suppress(OSError):
            fcntl.ioctl(claim.fd, _READ_PARTITIONS)
        if not host.partitions(device.number):
            return
    raise JobFailed("Something uses what looks like a partition of {node}.", code="array-in-use", node=device.node)


def clear_new(host: Host, node: str) -> None:
    """Apply ``clear_head`` to the new array at ``node``, for its disks' former contents; raises DiskRefused, too."""
    with pinned(host, node, who=node) as device, Exclusive(host, device, say("The array"), writable=True) as claim:
        clear_head(host, device, claim)
