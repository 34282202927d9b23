"""Disks and arrays in a practice machine, measured by fio as the program itself would."""

from __future__ import annotations

import time
from dataclasses import dataclass

from raidwright.core.model.plan import Member, Plan
from raidwright.core.system.workload import Status, StatusReader, fio_argv

from ..kit.practice import Practice
from .drawn import Cell, Pool

# Predictions of random writes with a bitmap are means over some seconds, which begin slow; those beside a rebuild are
# for its steady state: md takes a while to notice small requests.
_MINUTE = 60
_CLEAN_WITHIN_S = 300  # of the host's: md's daemon runs every 5 s, four times as long in slow motion
_STREAM_BYTES = 8 * 2**30
_BUFFERED_SECONDS = 5.0
_MIN_BUFFERED_BYTES = 256 * 2**20
_HELD_BYTES = 2**30
_ALIGNED = 2**20


@dataclass(frozen=True, slots=True)
class Times:
    """Durations of measurements; ``settle_seconds`` before each are left out, while a cache improves the figures."""

    stream_seconds: int
    random_seconds: int
    settle_seconds: float
    long_seconds: int


SPINNING, FLASH = Times(3, 6, 1.5, _MINUTE), Times(1, 1, 0.3, _MINUTE // 10)


def times_of(pool: Pool) -> Times:
    """Return the durations for the pool's kind of disks."""
    return SPINNING if pool.disks[0].is_rotational else FLASH


class Bench(Practice):
    """A practice machine to measure in; a plan's members are named for their serials."""

    __slots__ = ()

    def node_of(self, member: Member) -> str:
        """Return the node of a member."""
        return self.device(member.id)

    def size_bytes(self, node: str) -> int:
        """Return the size of a disk or an array."""
        return int(self.shell(f"blockdev --getsize64 {node}"))

    def fail(self, node: str, serial: str) -> None:
        """Fail a member, remove it, and clear its superblock."""
        device = self.device(serial)
        self.shell(f"mdadm {node} --fail {device}; sleep 0.2; mdadm {node} --remove {device}; "
                   f"mdadm --zero-superblock {device}")  # fmt: skip

    def rebuild(self, node: str, serial: str) -> None:
        """Add the member back and wait until its rebuild has begun; raises RuntimeError when it doesn't."""
        self.shell(f"mdadm {node} --add {self.device(serial)}")
        for _ in range(100):
            if "recover" in self.shell(f"cat /sys/block/$(basename $(readlink -f {node}))/md/sync_action"):
                return
            time.sleep(0.05)
        raise RuntimeError(f"{node} doesn't rebuild: {self.shell('cat /proc/mdstat')}")

    def wait_until_clean(self, plan: Plan) -> None:
        """Wait until md has cleared the bitmap's bits, all of which are set in a new one; raises RuntimeError."""
        member = self.node_of(next(plan.disks()))
        deadline = time.monotonic() + _CLEAN_WITHIN_S
        while " 0 dirty" not in (said := self.shell(f"mdadm -X {member} | grep Bitmap")):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{member} doesn't get clean: {said}")
            time.sleep(1)

    def mb_s(self, node: str, cell: Cell, times: Times, *, expected_mb_s: float = 0, slow_start: bool = False) -> float:
        """Run fio; return its MB/s. ``expected_mb_s`` is a buffered stream's maximum rate, which sets its region."""
        pattern, size_bytes = cell.workload.pattern, self.size_bytes(node)
        seconds = times.long_seconds if slow_start else times.random_seconds
        seconds = seconds if pattern.is_random else times.stream_seconds
        if pattern.buffered:
            region = max(_MIN_BUFFERED_BYTES, int(expected_mb_s * 1e6 * _BUFFERED_SECONDS))
        else:
            region = size_bytes if pattern.is_random else _STREAM_BYTES
        region = min(region, cell.span_bytes or size_bytes, size_bytes) // _ALIGNED * _ALIGNED
        argv = [
            *fio_argv(cell.workload, node, seconds=seconds * 4 if pattern.buffered else seconds, region_bytes=region)
        ]
        if region > _HELD_BYTES:  # zeros take no space on the host, but time where a baseline has written
            argv.append("--zero_buffers")
        if not (pattern.buffered or (slow_start and pattern.is_random)):
            argv.append(f"--ramp_time={times.settle_seconds * 1000:.0f}ms")
        self.shell("sync; echo 3 > /proc/sys/vm/drop_caches")
        return _mb_s(self.lab.exec(argv).stdout.decode())


def _mb_s(said: str) -> float:
    reader, last = StatusReader(), None
    for line in said.splitlines():
        last = reader.feed(line) or last
    assert isinstance(last, Status)
    moved = last.read.size_bytes + last.write.size_bytes
    return moved / 1e3 / last.runtime_ms
