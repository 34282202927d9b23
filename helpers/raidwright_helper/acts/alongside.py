"""Monitoring beside a running workload: each disk's utilisation and temperature, and md's sync_action.

Read from sysfs alone, which wakes nothing. Sources: the kernel's ``Documentation/block/stat.rst`` (io_ticks),
``Documentation/admin-guide/md.rst`` (sync_action), ``Documentation/hwmon/sysfs-interface.rst`` and ``drivetemp.rst``
(an ATA disk says how warm it is where the module drivetemp is loaded, one of NVMe always),
``drivers/nvme/host/hwmon.c`` (temp1_max is the temperature from which the disk itself warns, WCTEMP).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from raidwright.core.protocol.measured import Sample

from raidwright_helper.host.host import Host

_LOOK_SECONDS = 1.0
_CELSIUS_SECONDS = 10.0  # drivetemp asks the disk itself, by a command that waits for all others
_IO_TICKS = 9  # of the fields of ``stat``, in ms
_SENSORS = ("device/hwmon*/temp1_input", "device/hwmon/hwmon*/temp1_input", "device/device/hwmon/hwmon*/temp1_input")


class Alongside:
    """Sample the array or disk ``number`` and the disks below it, about once a second of ``clock``."""

    def __init__(self, host: Host, number: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        disks = {host.kernel_name(disk): disk for disk in sorted(host.leaves(number))}
        # The sysfs paths are resolved once: resolving them for each sample would cost more than reading them.
        self._stats = {name: host.block_dir(disk) / "stat" for name, disk in disks.items()}
        self._sensors = {name: path for name, disk in disks.items() if (path := sensor_of(host, disk))}
        self._action = host.block_dir(number) / "md/sync_action"
        self._asked_s = -_CELSIUS_SECONDS
        self._asking: asyncio.Future[dict[str, float]] | None = None
        self._ask(self._clock())
        self.begin()

    def begin(self) -> None:
        """Start the counters now."""
        self._looked_s, self._ticks_ms = self._clock(), self._io_ticks_ms()

    def with_what_is_beside(self, sample: Sample) -> Sample:
        """Return ``sample`` with the values since the last reading, if a reading is due."""
        now_s = self._clock()
        passed_s = now_s - self._looked_s
        if passed_s < _LOOK_SECONDS:
            return sample
        before_ms = self._ticks_ms
        self.begin()
        gone_by_ms = ((name, ticks - before_ms.get(name, ticks)) for name, ticks in self._ticks_ms.items())
        busy = {name: min(1.0, max(0, ticks) / 1000 / passed_s) for name, ticks in gone_by_ms}
        return replace(sample, busy=busy, celsius=self._answer(now_s), sync_action=_read(self._action).strip())

    def _io_ticks_ms(self) -> dict[str, int]:
        told = {name: io_ticks_ms(path) for name, path in self._stats.items()}
        return {name: ticks for name, ticks in told.items() if ticks is not None}

    def _answer(self, now_s: float) -> dict[str, float] | None:
        """Return the temperatures once read; None while they are being read, and until the next reading is due."""
        if self._asking is None or not self._asking.done():
            self._ask(now_s)
            return None
        answer, self._asking = self._asking.result(), None
        return answer

    def _ask(self, now_s: float) -> None:
        """Read them in a thread, since a hung disk delays its answer."""
        if self._sensors and self._asking is None and now_s - self._asked_s >= _CELSIUS_SECONDS:
            loop = asyncio.get_running_loop()
            self._asking, self._asked_s = loop.run_in_executor(None, lambda: dict(self._celsius())), now_s

    def _celsius(self) -> Iterator[tuple[str, float]]:
        for name, path in self._sensors.items():
            if (celsius := read_celsius(path)) is not None:
                yield name, celsius


def io_ticks_ms(stat: Path) -> int | None:
    """Return the time for which a disk had requests, from its ``stat``; None if there is none."""
    words = _read(stat).split()
    return int(words[_IO_TICKS]) if len(words) > _IO_TICKS else None


def sensor_of(host: Host, disk: int) -> Path | None:
    """Return the path of a disk's temperature in sysfs (hwmon), ``temp1_input``; None without a sensor."""
    folder = host.block_dir(disk)
    return next((path for pattern in _SENSORS for path in sorted(folder.glob(pattern))), None)


def _read(path: Path) -> str:
    """Return the contents of a sysfs file, "" if it doesn't exist or its device has gone."""
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return ""


def read_celsius(path: Path) -> float | None:
    """Return the value of a file in thousandths; None if there is none, or the disk doesn't answer."""
    try:
        return int(path.read_text(encoding="ascii")) / 1000
    except (OSError, ValueError):
        return None
