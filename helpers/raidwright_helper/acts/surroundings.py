"""Context of a measurement that may change its figures: versions, and sysfs settings of array and disks.

Read from sysfs, except for mdadm's version and the processors' load. Sources: the kernel's
``Documentation/ABI/stable/sysfs-block`` (read_ahead_kb, scheduler, write_cache, nr_requests),
``Documentation/admin-guide/md.rst`` (sync_action, degraded, bitmap). md itself is of the kernel's version.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator

from raidwright.core.json_fields import printable
from raidwright.core.system.load_before import DISKS_BUSY, LOOK_SECONDS, PRESSURE, WAITING, percent, waited_us
from raidwright.core.system.tuning import ARRAY_ATTRIBUTES, SCHEDULER_ATTRIBUTE

from raidwright_helper.host import md
from raidwright_helper.host.disk_settings import value_of
from raidwright_helper.host.host import Host

from .alongside import io_ticks_ms, read_celsius, sensor_of

_OF_ARRAY = {
    **ARRAY_ATTRIBUTES,
    "degraded": "md/degraded",
    "bitmap": "md/bitmap/location",
    "bitmap_chunk_bytes": "md/bitmap/chunksize",
}
_OF_DISK = {
    "scheduler": SCHEDULER_ATTRIBUTE,
    "read_ahead_kib": "queue/read_ahead_kb",
    "nr_requests": "queue/nr_requests",
}
_SYNC_ACTION = "md/sync_action"


async def surroundings_of(host: Host, number: int, fio: str) -> dict[str, str]:
    """Return the present context of an array or disk by name, a disk's as ``sda/scheduler``; absent values are omitted.

    ``used_fraction``: usage of its file system, if mounted. Raises JobFailed if mdadm isn't installed.
    """
    mdadm = str(await md.mdadm_version())
    told = {"kernel": printable(os.uname().release), "mdadm": mdadm, "fio": fio, **dict(_read(host, number))}
    return {name: value for name, value in {**told, **await _load(host, number)}.items() if value}


async def _load(host: Host, number: int) -> dict[str, str]:
    """Return how busy the processors and the disks are before the measurement, which isn't part of it."""
    began_s, *before = time.monotonic(), *_counters(host, number)
    await asyncio.sleep(LOOK_SECONDS)
    passed_us = (time.monotonic() - began_s) * 1e6
    shares = [
        "" if first is None or last is None else percent(first, last, passed_us)
        for first, last in zip(before, _counters(host, number), strict=True)
    ]
    waited, *busy = shares
    return {WAITING: waited, DISKS_BUSY: max(busy, key=lambda share: int(share or 0), default="")}


def _counters(host: Host, number: int) -> list[int | None]:
    """Return the time waited for a processor, and the one for which each disk had requests, in µs."""
    try:
        waited = waited_us((host.root / PRESSURE).read_text(encoding="ascii"))
    except OSError:
        waited = None
    stats = (io_ticks_ms(host.block_dir(disk) / "stat") for disk in sorted(host.leaves(number)))
    return [waited, *(None if ticks is None else 1000 * ticks for ticks in stats)]


def surroundings_after(host: Host, number: int) -> dict[str, str]:
    """Return the context that may have changed during the run: md's sync_action."""
    action = host.attribute(number, _SYNC_ACTION)
    return {"sync_action_after": action} if action else {}


def _read(host: Host, number: int) -> Iterator[tuple[str, str]]:
    if (host.block_dir(number) / "md").exists():
        yield "sync_action", host.attribute(number, _SYNC_ACTION)
        for name, attribute in _OF_ARRAY.items():
            yield name, value_of(host, number, attribute)
    yield "used_fraction", _used(host, number)
    for disk in sorted(host.leaves(number)):
        kernel_name = host.kernel_name(disk)
        for name, attribute in _OF_DISK.items():
            yield f"{kernel_name}/{name}", value_of(host, disk, attribute)
        yield f"{kernel_name}/write_cache", host.attribute(disk, "queue/write_cache")  # "write back": one value
        yield f"{kernel_name}/warns_at_celsius", _warns_at(host, disk)


def _warns_at(host: Host, disk: int) -> str:
    """Return the disk's own warning temperature (temp1_max)."""
    sensor = sensor_of(host, disk)
    celsius = sensor and read_celsius(sensor.with_name("temp1_max"))
    return f"{celsius:g}" if celsius else ""


def _used(host: Host, number: int) -> str:
    place = host.mount_point(number)
    try:
        room = os.statvfs(host.root / place.lstrip("/")) if place else None
    except OSError:
        return ""  # unmounted just now, or not visible in this namespace
    return f"{1 - room.f_bfree / room.f_blocks:.3f}" if room and room.f_blocks else ""
