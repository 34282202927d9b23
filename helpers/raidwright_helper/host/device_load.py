"""Counters of the machine's block devices since it started. No device is opened, and none is woken."""

from __future__ import annotations

from raidwright.core.protocol.device_load import DeviceLoad
from raidwright.core.system.disk_stats import PATH, device_loads

from .host import Host


def examine_load(host: Host) -> tuple[DeviceLoad, ...]:
    """Return the counters of each device; () where the kernel keeps none."""
    try:
        text = (host.root / PATH).read_text(encoding="ascii", errors="replace")
    except OSError:
        return ()
    return device_loads(text)
