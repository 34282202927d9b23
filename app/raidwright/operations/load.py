"""Load of an array or a disk, watched for a while, and the workload that asks for as much.

The kernel counts requests, bytes and the time in flight, but not places: small requests are taken as random, large ones
as a stream.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from raidwright.core.errors import InputError
from raidwright.core.protocol import looking
from raidwright.core.protocol.device_load import DeviceLoad
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.own_workload import MAX_BLOCK_KIB, MAX_DEPTH, OwnWorkload
from raidwright.core.system.workload import Pattern
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.runs.run import array_meant

from .operation import Operation, Request

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_LOOK_SECONDS = 1.0
_MIN_BLOCK_KIB, _STREAM_KIB = 4, 256
_ALMOST_ALL = 0.995  # of the requests: then the others are left out
MAX_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class ExamineLoad(Request[tuple[DeviceLoad, ...]]):
    """Read the counters of all block devices. Never prompts."""

    verb = looking.EXAMINE_LOAD


@dataclass(frozen=True, slots=True)
class WatchedLoad:
    """Requests to a device within ``seconds``. ``peak_iops`` is the most within one look."""

    seconds: float
    reads: int
    writes: int
    read_bytes: int
    written_bytes: int
    busy_s: float
    waited_s: float
    peak_iops: float = 0.0

    @property
    def count(self) -> int:
        """Number of requests."""
        return self.reads + self.writes

    @property
    def iops(self) -> float:
        """Requests a second, over all of the time."""
        return self.count / self.seconds if self.seconds else 0.0

    @property
    def mb_s(self) -> float:
        """Rate over all of the time."""
        return (self.read_bytes + self.written_bytes) / 1e6 / self.seconds if self.seconds else 0.0

    @property
    def read_share(self) -> float:
        """Share of the requests that read; 0 without any."""
        return self.reads / self.count if self.count else 0.0

    @property
    def busy_share(self) -> float:
        """Share of the time in which something was in flight."""
        return min(1.0, self.busy_s / self.seconds) if self.seconds else 0.0

    @property
    def depth(self) -> float:
        """Mean number of requests in flight while there were any; 0 if the kernel doesn't say."""
        return self.waited_s / self.busy_s if self.busy_s else 0.0

    @property
    def block_kib(self) -> float:
        """Mean size of a request; 0 without any."""
        return (self.read_bytes + self.written_bytes) / self.count / 1024 if self.count else 0.0

    @property
    def workload(self) -> OwnWorkload | None:
        """The workload of that size, read share and depth; None without any request."""
        return self._workload(self.read_share) if self.count else None

    @property
    def reading(self) -> OwnWorkload | None:
        """Its reads alone, which can be measured on an array that holds something; None without any."""
        return self._workload(1.0) if self.reads else None

    def _workload(self, read_share: float) -> OwnWorkload:
        block_kib = min(MAX_BLOCK_KIB, max(_MIN_BLOCK_KIB, 2 ** round(log2(max(1.0, self.block_kib)))))
        depth = min(MAX_DEPTH, max(1, round(self.depth)))
        place = "" if block_kib >= _STREAM_KIB else "rand"
        if read_share >= _ALMOST_ALL:
            return OwnWorkload(Pattern(f"{place}read", block_kib, depth))
        if read_share <= 1 - _ALMOST_ALL:
            return OwnWorkload(Pattern(f"{place}write", block_kib, depth))
        percent = min(99, max(1, round(100 * read_share)))
        return OwnWorkload(Pattern(f"{place}rw", block_kib, depth, read_percent=percent))


@dataclass(frozen=True, slots=True)
class LoadProgress(JobProgress):
    """Progress of a watch, and the load so far."""

    so_far: WatchedLoad


@dataclass(frozen=True, slots=True)
class WatchLoad(Operation[WatchedLoad]):
    """Watch what the array or disk ``target`` is asked for ``seconds``, without reading from it or prompting."""

    target: str
    seconds: float

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> WatchedLoad:
        """As ``Operation.perform``; InputError for a target whose load the kernel doesn't count."""
        device, loop = _device(machine, self.target), asyncio.get_running_loop()
        first, begun = await _counters(machine, device), loop.time()
        last, last_at, peak = first, begun, 0.0
        while (passed := loop.time() - begun) < self.seconds:
            await asyncio.sleep(min(_LOOK_SECONDS, self.seconds - passed))
            now, now_at = await _counters(machine, device), loop.time()
            if now_at > last_at:
                peak = max(peak, (now.reads + now.writes - last.reads - last.writes) / (now_at - last_at))
            last, last_at = now, now_at
            found = watched(first, last, now_at - begun, peak)
            share = min(1.0, (now_at - begun) / self.seconds)
            on_update(LoadProgress(str(JobStep.MEASURE), share, found))
        return watched(first, last, last_at - begun, peak)


def watched(first: DeviceLoad, last: DeviceLoad, seconds: float, peak_iops: float = 0.0) -> WatchedLoad:
    """Return the load between two looks."""
    return WatchedLoad(
        seconds,
        last.reads - first.reads,
        last.writes - first.writes,
        last.read_bytes - first.read_bytes,
        last.written_bytes - first.written_bytes,
        (last.busy_ms - first.busy_ms) / 1000,
        (last.waited_ms - first.waited_ms) / 1000,
        peak_iops,
    )


def _device(machine: Machine, target: str) -> str:
    array = array_meant(machine.snapshot, target)
    if array is not None:
        return array.device
    return next((disk.device for disk in machine.snapshot.disks if target in (disk.id, *disk.by_id)), target)


async def _counters(machine: Machine, device: str) -> DeviceLoad:
    loads = await ExamineLoad().perform(machine)
    found = next((one for one in loads if one.device == device), None)
    if found is None:
        raise InputError("The kernel counts no requests of {device}.", code="load", device=device)
    return found
