"""Opening a disk only to look at it, without waking it and without opening anything else.

An array has a by-id name as well (``md-uuid-…``). Opened even for an instant it can't be stopped by anybody, so what
the name leads to is looked up before it is opened, and again on what was opened.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from raidwright.core.errors import DiskRefused

from .guards import Pinned, pinned
from .host import Host
from .power import PowerStates


@contextlib.asynccontextmanager
async def pinned_to_look(host: Host, power: PowerStates, disk_id: str, *, wake: bool) -> AsyncIterator[Pinned]:
    """The disk, or partition of one, that ``disk_id`` leads to, open until the end of the block.

    Raises DiskRefused for what is no disk, and, unless it may be woken, for one that sleeps (``Code.ASLEEP``).
    """
    path = f"/dev/disk/by-id/{disk_id}"
    if (number := host.number_of(path)) is not None:
        _verify_disk(host, number, disk_id)
        if not wake:
            await power.verify_awake(host, host.whole(number), disk_id)
    with pinned(host, path, who=disk_id) as device:
        _verify_disk(host, device.number, disk_id)
        yield device


def _verify_disk(host: Host, number: int, disk_id: str) -> None:
    if not host.is_disk(host.whole(number)):
        raise DiskRefused("{disk} is not a disk of hardware.", code="disk-kind", disk=disk_id)
