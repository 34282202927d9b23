"""Content of an array or a volume, and the sectors that it claims, each asked of its owner.

Of what is mounted that is the file system (``owners``), never its superblock. Of what nobody uses the superblock is
read past the page cache, and counts only where no journal may know better. What somebody else has, such as another
namespace, a loop device, device-mapper or a virtual machine, has no known size, so nothing of it may be cut off.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, RaidwrightError
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.core.system.content_size import HEAD_BYTES, has_open_journal, lvm_start_sectors, used_sectors

from .device_users import loops_over
from .extents import bytes_at, forget_all_cached
from .guards import Exclusive, Pinned
from .host import Host
from .lvm import SIGNATURE
from .lvm_metadata import used_on
from .open_devices import lasting_writers
from .owners import claimed_sectors, mounted_file_system
from .runner import run
from .running_state import reshape_waits
from .signatures import found_on
from .unknown import find_unknown

_XFS_LOGPRINT = "/usr/sbin/xfs_logprint"
_LIMIT_SECONDS = 60.0
_PAUSES_S = (0.0, 0.1, 0.4)


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a device: libblkid's type ("" for none), a mount point, the sectors claimed (None: not known).

    ``start_sectors`` is the place of LVM's first extent; None if it isn't LVM's.
    """

    kind: str = ""
    mounted_at: str = ""
    used_sectors: int | None = 0
    start_sectors: int | None = None


async def content_of(host: Host, device: Pinned, *, claims: bool) -> Content:
    """Return the content of the open device; raises JobFailed.

    ``claims``: the kernel is asked for the device exclusively for a moment, which also shows users in other namespaces.
    Whoever only looks doesn't, since a mount in that moment would fail.
    """
    number = device.number
    if (mounted := mounted_file_system(host, number)) is not None:
        place = mounted.places[0] if mounted.places else ""
        return Content(mounted.kind, place, await claimed_sectors(host, device, mounted))
    if reshape_waits(host, number):  # a read could hang, and nothing is decided by it before md goes on
        return Content(UNKNOWN, "", None)
    forget_all_cached(device.fd)
    kind = ",".join(sorted({signature.kind for signature in await found_on(device.node)}))
    if (
        _is_used(host, number, kind)
        or await lasting_writers(host, (number, *host.partitions(number)))
        or (claims and not host.holders(number) and await _is_claimed(host, device))
    ):
        return Content(kind or UNKNOWN, host.mount_point(number) or "", None)
    if not kind:  # a virtual machine's disk or a closed plain dm-crypt has bytes that libblkid doesn't know
        unknown = await asyncio.to_thread(find_unknown, device.fd, host.size_bytes(number))
        return Content(UNKNOWN, "", None) if unknown else Content()
    head = await asyncio.to_thread(bytes_at, device.fd, 0, HEAD_BYTES)
    used = used_sectors(kind, head)
    if kind == SIGNATURE:
        used = await asyncio.to_thread(used_on, device.fd) or used
    elif has_open_journal(kind, head) or (kind == "xfs" and not await _is_log_clean(device)):
        used = None
    return Content(kind, "", used, lvm_start_sectors(head))


def _is_used(host: Host, number: int, kind: str) -> bool:
    """Return whether something has the device that isn't asked here."""
    by_lvm = [host.attribute(holder, "dm/uuid").startswith("LVM-") for holder in host.holders(number)]
    is_stacked = bool(by_lvm) and not (kind == SIGNATURE and all(by_lvm))
    in_use = host.mount_point(number) is not None or host.is_swap(number) or bool(host.partitions(number))
    return is_stacked or in_use or number in loops_over(host)


async def _is_claimed(host: Host, device: Pinned) -> bool:
    for pause_s in _PAUSES_S:
        await asyncio.sleep(pause_s)
        with contextlib.suppress(DiskRefused), Exclusive(host, device, device.node):
            return False
    return True


async def _is_log_clean(device: Pinned) -> bool:
    """Return whether XFS was unmounted in good order; else its log may know of a growth that its superblock doesn't."""
    try:
        told = await run((_XFS_LOGPRINT, "-t", device.node), limit_s=_LIMIT_SECONDS)
    except RaidwrightError:
        return False
    return "state: <CLEAN>" in told.output
