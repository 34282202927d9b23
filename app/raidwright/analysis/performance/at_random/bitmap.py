"""What a write-intent bitmap costs: before data go to a region that was clean, its bit is written to every member.

Sources: kernel ``md-bitmap.c`` (``md_bitmap_unplug``; ``bitmap_daemon_work``: a bit is cleared after two rounds of
``daemon_sleep``, 5 s each, without a write; ``md_bitmap_endwrite``: never where a lost member was missed), ``md.c
md_super_write`` (with a flush before it, and past the cache); mdadm(8), ``--bitmap-chunk``: 64 MiB at least, as many
bits as find room behind the superblock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, exp

from raidwright.core.md.layouts import Level

from ..array import Array
from ..drive import latest

_LEAST_CHUNK_BYTES = 64 * 2**20
_MOST_BITS = 128 * 1024 * 8 - 256 * 8  # mdadm ``super1.c``: 128 KiB kept for it, less its own superblock
HELD_S = 7.5  # how long a bit stays set after the last write: until the daemon's second round, every five seconds
_STEP_S = HELD_S / 10


@dataclass(frozen=True, slots=True)
class Noting:
    """``chunks`` regions that writes fall into; ``write_s`` until a bit has reached the slowest member.

    Of writes the share ``kept`` would have gone to a lost member, too: their bits stay set.
    """

    chunks: float
    write_s: float
    kept: float = 0.0

    def newly_dirty(self, writes: float) -> float:
        """The share of writes that find their region clean, when so many fell at random while bits are held."""
        return exp(-min(700.0, writes / self.chunks))


def noting(array: Array, span: float) -> Noting:
    """What noting costs ``array`` when writes fall anywhere within a ``span`` (a share) of it.

    Flash flushes what it holds, then writes past its cache: twice the wait; of disks whose flush nobody measured, for
    the slowest.
    """
    covered = array.user_bytes if array.level is Level.RAID10 else array.size_bytes  # ``md_bitmap_create``
    chunk = array.host.bitmap_chunk_bytes or _LEAST_CHUNK_BYTES
    while covered / chunk > _MOST_BITS:
        chunk *= 2
    drive = max(array.working, key=lambda each: each.read_access_s + each.flush_s)
    chunks = max(1.0, span * covered / chunk)
    kept = min(1.0, array.lost * (array.copies.total + array.parities) / array.slots)
    if not drive.spins:
        flush_s = drive.flush_s * (1 + drive.flushes_vary * latest(len(array.working)))
        return Noting(chunks, drive.write_access_s + 2 * flush_s, kept)
    there_s = drive.far_s(span * array.size_bytes / drive.size_bytes, len(array.working))
    return Noting(chunks, there_s + drive.flush_s, kept)


def settled(rate_with: Callable[[float], float], at: Noting, seconds: float) -> float:
    """The mean rate of the first ``seconds``, which begin with all regions clean.

    ``rate_with`` gives the rate for a share of writes that are noted first. The more writes come, the more regions are
    dirty already, and the faster they come.
    """
    steps = ceil(seconds / _STEP_S)
    step_s = seconds / steps
    held = round(HELD_S / step_s)
    written: list[float] = []
    for _ in range(steps):
        noted = at.kept * sum(written) + (1 - at.kept) * sum(written[-held:])
        written.append(step_s * rate_with(at.newly_dirty(noted)))
    return sum(written) / seconds
