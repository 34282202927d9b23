"""Counters of a block device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceLoad:
    """Requests to a block device since the machine started, their bytes, and how long it was busy with them.

    ``waited_ms`` is the busy time weighted by the requests in flight.
    """

    device: str
    reads: int = 0
    read_bytes: int = 0
    writes: int = 0
    written_bytes: int = 0
    busy_ms: int = 0
    waited_ms: int = 0
