"""What a write-intent bitmap costs: before data go to a region that was clean, its bit is written to every member.

Sources: kernel ``md-bitmap.c`` (``md_bitmap_unplug``, ``bitmap_daemon_work``: a bit is cleared after two rounds of
``daemon_sleep``, 5 s each, without a write), ``md.c md_super_write`` (with a flush before it, and past the cache);
mdadm(8), ``--bitmap-chunk``: 64 MiB at least, as many bits as find room behind the superblock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

from raidwright.core.md.layouts import Level

from .array import Array
from .drive import latest

_LEAST_CHUNK_BYTES = 64 * 2**20
_MOST_BITS = 128 * 1024 * 8 - 256 * 8  # mdadm ``super1.c``: 128 KiB kept for it, less its own superblock
_HELD_S = 7.5  # how long a bit stays set after the last write: until the daemon's second round, every five seconds
_ROUNDS = 8  # in a minute, which is how long measurements last
_FLUSHES_VARY = 0.3  # their standard deviation by their mean: the slowest of several is waited for


@dataclass(frozen=True, slots=True)
class Noting:
    """``chunks`` regions that writes fall into; ``write_s`` until a bit has reached the slowest member."""

    chunks: float
    write_s: float

    def newly_dirty(self, writes_a_second: float) -> float:
        """The share of writes that find their region clean, when they come at random."""
        return exp(-min(700.0, writes_a_second * _HELD_S / self.chunks))


def noting(array: Array, span: float) -> Noting:
    """What noting costs ``array`` when writes fall anywhere within a ``span`` (a share) of it.

    Flash flushes what it holds, then writes past its cache: twice the wait.
    """
    covered = array.user_bytes if array.level is Level.RAID10 else array.size_bytes  # ``md_bitmap_create``
    chunk = array.host.bitmap_chunk_bytes or _LEAST_CHUNK_BYTES
    while covered / chunk > _MOST_BITS:
        chunk *= 2
    drive = max(array.working, key=lambda each: each.read_access_s + each.flush_s)
    if not drive.spins:
        flush_s = drive.flush_s * (1 + _FLUSHES_VARY * latest(len(array.working)))
        return Noting(max(1.0, span * covered / chunk), drive.write_access_s + 2 * flush_s)
    there_s = drive.far_s(span * array.size_bytes / drive.size_bytes, len(array.working))
    return Noting(max(1.0, span * covered / chunk), there_s + drive.flush_s)


def settled(rate_with: Callable[[float], float], at: Noting) -> float:
    """The mean rate of a minute that begins with all regions clean.

    ``rate_with`` gives the rate for a share of writes that are noted first. The more writes come, the more regions are
    dirty already, and the faster they come: from one round of md's daemon to the next the two make each other.
    """
    rate = rate_with(1.0)
    rates = [rate]
    for _ in range(_ROUNDS - 1):
        following = rate_with(at.newly_dirty(rate))
        if abs(following - rate) <= 1e-3 * rate:
            rates += [following] * (_ROUNDS - len(rates))
            break
        rate = following
        rates.append(rate)
    return sum(rates) / len(rates)
