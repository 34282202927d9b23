"""Parser of ``/proc/diskstats``: what each block device was asked since the machine started.

Pure, and the standard library alone. Source: ``Documentation/admin-guide/iostats.rst``: requests, sectors of 512 bytes,
the time during which any request was in flight, and that time weighted by their number.
"""

from __future__ import annotations

from raidwright.core.protocol.device_load import DeviceLoad

PATH = "proc/diskstats"
_FIELDS = 14  # of the oldest kernels; newer ones append discards and flushes
_SECTOR_BYTES = 512


def device_loads(text: str) -> tuple[DeviceLoad, ...]:
    """Return the devices of the file's ``text``; lines that aren't understood are left out."""
    return tuple(load for line in text.splitlines() if (load := _load(line.split())) is not None)


def _load(words: list[str]) -> DeviceLoad | None:
    counts = [*words[:2], *words[3:_FIELDS]]
    if len(words) < _FIELDS or not all(one.isascii() and one.isdecimal() for one in counts):
        return None
    reads, _merged, read_sectors, _read_ms, writes, _merged, written_sectors, _write_ms, _now, busy_ms, waited_ms = map(
        int, words[3:_FIELDS]
    )
    return DeviceLoad(
        f"/dev/{words[2]}",
        reads,
        read_sectors * _SECTOR_BYTES,
        writes,
        written_sectors * _SECTOR_BYTES,
        busy_ms,
        waited_ms,
    )
