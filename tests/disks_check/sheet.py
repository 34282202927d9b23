"""Figures that fio must find on a disk, derived from its data sheet alone, without any part of the model."""

from __future__ import annotations

from math import sqrt
from random import Random

from raidwright.lab.disks.timing import Flash, Spinning

_DRAWS = 20_000
_BLOCK_MB = 4096 / 1e6
_MISSED_MS = 0.5  # a sector that comes round sooner after a seek is missed, and costs a turn: as much on average


def rate_mb_s(disk: Spinning, at: float) -> float:
    """The rate at the share ``at`` of a disk: bits as dense everywhere, so bytes go with the square of the radius."""
    return sqrt(disk.outside_mb_s**2 - (disk.outside_mb_s**2 - disk.inside_mb_s**2) * at)


def access_ms(disk: Spinning, begin: float, end: float, *, is_write: bool = False) -> float:
    """A command of 4 KiB at random between two shares of the disk, one by one: seek, half a turn, transfer, command."""
    random = Random(7)  # noqa: S311  # draws, no secrets
    turn_ms = 60_000 / disk.rpm
    seeks = sum(_seek_ms(disk, random.uniform(begin, end), random.uniform(begin, end)) for _ in range(_DRAWS)) / _DRAWS
    extra = disk.write_seek_ms if is_write else 0.0
    transfer = _BLOCK_MB / rate_mb_s(disk, (begin + end) / 2) * 1000
    slow = 0.0 if is_write else slow_ms(disk, begin, end)
    return seeks + turn_ms / 2 + _MISSED_MS + extra + transfer + disk.command_ms + slow


def slow_ms(disk: Spinning, begin: float, end: float) -> float:
    """Return the mean ms that the retries of a failing disk's slow region add to a random read between two shares."""
    met = max(0.0, min(end, disk.slow_until_share) - max(begin, disk.slow_from_share)) / (end - begin)
    return met * disk.slow_turns * 60_000 / disk.rpm


def slowed_iops(disk: Spinning, iops: float) -> float:
    """Return the IOPS left of random reads all over the disk when some hit its slow region."""
    return 1000 / (1000 / iops + slow_ms(disk, 0, 1))


def _seek_ms(disk: Spinning, one: float, other: float) -> float:
    stroke = disk.outside_mb_s - disk.inside_mb_s  # the rate goes with the radius
    share = abs(rate_mb_s(disk, one) - rate_mb_s(disk, other)) / stroke
    return disk.settle_ms + disk.seek_root_ms * sqrt(share) + disk.seek_linear_ms * share


def flash_write_ms(disk: Flash) -> float:
    """Return the ms of a single 4 KiB write and its flush."""
    return 1000 / disk.random_write_iops + disk.flush_ms
