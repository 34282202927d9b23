"""fio in a practice machine, on a disk as it is."""

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
    "--zero_buffers",  # which take no room on the host
    "--group_reporting",
    "--norandommap",  # a map of 8 TB takes it longer than the measuring
    "--randrepeat=0",  # else every seed gives the same places
]


@dataclass(frozen=True, slots=True)
class Measured:
    """Of all commands together; the time of one is what fio calls ``lat``."""

    mb_s: float
    iops: float
    ms: float


@dataclass(frozen=True, slots=True)
class Bench(Practice):
    """A practice machine to measure in, and fio's seed."""

    seed: int

    def fio(self, device: str, how: str, *, seconds: float, settle_seconds: float = 0.3) -> Measured:
        """What fio finds: ``how`` is written as its options are (``rw=read bs=1M iodepth=4``)."""
        options = [f"--{word}" for word in how.split()]
        times = ["--time_based", f"--runtime={seconds * 1000:.0f}ms", f"--ramp_time={settle_seconds * 1000:.0f}ms"]
        return _measured(self.lab.exec([*self._asked(device, how), *times, *options]).stdout)

    def fio_once(self, device: str, how: str) -> Measured:
        """What fio finds over a size, once."""
        options = [f"--{word}" for word in how.split()]
        return _measured(self.lab.exec([*self._asked(device, how), *options]).stdout)

    def _asked(self, device: str, how: str) -> list[str]:
        """Each measurement has places of its own: a shingled disk's log is emptied sooner where pieces gather."""
        return [*_FIO, f"--filename={device}", f"--randseed={self.seed + crc32(how.encode())}"]


def _measured(said: bytes) -> Measured:
    text = said.decode()
    jobs: list[dict[str, Any]] = json.loads(text[text.index("{") :])["jobs"]
    (way,) = [job[name] for job in jobs for name in ("read", "write") if job[name]["total_ios"]]
    return Measured(way["bw_bytes"] / 1e6, way["iops"], way["lat_ns"]["mean"] / 1e6)
