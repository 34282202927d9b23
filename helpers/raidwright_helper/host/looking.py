"""Opening a disk for reading, without waking it and without opening anything else.

An array has a by-id name as well (``md-uuid-…``). While it is open, even for an instant, nobody can stop it, so the
name's target is checked before it is opened, and again on the open device.
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
    """Open the disk, or partition of one, at ``disk_id`` until the end of the block.

    Raises DiskRefused for anything but a disk, and for a disk in standby (``Code.ASLEEP``) unless ``wake``.
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
