"""fio in a practice machine, on a whole disk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from ..kit.practice import Practice

_FIO = [
    "fio",
    "--name=disk",
    "--output-format=json",
    "--ioengine=libaio",
    "--direct=1",
    "--zero_buffers",  # which take no space on the host
    "--group_reporting",
    "--norandommap",  # a map of 8 TB takes fio longer than the measurement
    "--randrepeat=0",  # else every seed gives the same offsets
]


@dataclass(frozen=True, slots=True)
class Measured:
    """Rate and IOPS of all commands together; ``ms`` is the mean of fio's ``lat``."""

    mb_s: float
    iops: float
    ms: float


@dataclass(frozen=True, slots=True)
class Bench(Practice):
    """A practice machine to measure in, and fio's seed."""

    seed: int

    def fio(self, device: str, how: str, *, seconds: float, settle_seconds: float = 0.3) -> Measured:
        """Run fio for ``seconds``; ``how`` has its options (``rw=read bs=1M iodepth=4``)."""
        options = [f"--{word}" for word in how.split()]
        times = ["--time_based", f"--runtime={seconds * 1000:.0f}ms", f"--ramp_time={settle_seconds * 1000:.0f}ms"]
        return _measured(self.lab.exec([*self._asked(device, how), *times, *options]).stdout)

    def fio_once(self, device: str, how: str) -> Measured:
        """Run fio once over the size that ``how`` gives."""
        options = [f"--{word}" for word in how.split()]
        return _measured(self.lab.exec([*self._asked(device, how), *options]).stdout)

    def _asked(self, device: str, how: str) -> list[str]:
        """Return fio's command with its own offsets: a shingled disk's log is emptied sooner where writes gather."""
        return [*_FIO, f"--filename={device}", f"--randseed={self.seed + crc32(how.encode())}"]


def _measured(said: bytes) -> Measured:
    text = said.decode()
    jobs: list[dict[str, Any]] = json.loads(text[text.index("{") :])["jobs"]
    (way,) = [job[name] for job in jobs for name in ("read", "write") if job[name]["total_ios"]]
    return Measured(way["bw_bytes"] / 1e6, way["iops"], way["lat_ns"]["mean"] / 1e6)
