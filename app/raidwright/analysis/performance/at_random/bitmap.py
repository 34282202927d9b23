"""Cost of a write-intent bitmap: before a write to a clean region, the region's bit is written to every member.

Sources: kernel ``md-bitmap.c`` (``md_bitmap_unplug``; ``bitmap_daemon_work``: a bit is cleared after two rounds of
``daemon_sleep``, 5 s each, without a write; ``md_bitmap_endwrite``: never if the write missed a failed member), ``md.c
md_super_write`` (with preflush and FUA); mdadm(8), ``--bitmap-chunk``: at least 64 MiB, with as many bits as fit after
the superblock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, exp

from raidwright.core.md.layouts import Level

from ..array import ModelledArray
from ..constants import BITMAP_CHUNK_BYTES, BITMAP_HELD_S, BITMAP_MAX_BITS, BITMAP_STEP_S
from ..drive import latest


@dataclass(frozen=True, slots=True)
class Noting:
    """Bitmap updates: writes fall into ``chunks`` regions; setting a bit on the slowest member takes ``write_s``.

    ``kept`` is the share of writes that a failed member missed: their bits stay set.
    """

    chunks: float
    write_s: float
    kept: float = 0.0

    def newly_dirty(self, writes: float) -> float:
        """Return the share of random writes that hit a clean region after ``writes`` within the time a bit is held."""
        return exp(-min(700.0, writes / self.chunks))


def noting(array: ModelledArray, span: float) -> Noting:
    """Return the bitmap cost of ``array`` for random writes within ``span`` (a share) of it.

    Flash flushes its cache, then writes with FUA: twice the wait, and for typical (unmeasured) flush times that of the
    slowest member.
    """
    covered = array.user_bytes if array.level is Level.RAID10 else array.size_bytes  # ``md_bitmap_create``
    chunk = array.host.bitmap_chunk_bytes or (array.plan.array.bitmap_chunk_kib or 0) * 1024 or BITMAP_CHUNK_BYTES
    while covered / chunk > BITMAP_MAX_BITS:
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
    """Return the mean rate of the first ``seconds``, starting with all regions clean.

    ``rate_with`` gives the rate for a share of writes that set a bit first. The more writes, the more regions are dirty
    already, and the faster the writes.
    """
    steps = ceil(seconds / BITMAP_STEP_S)
    step_s = seconds / steps
    held = round(BITMAP_HELD_S / step_s)
    written: list[float] = []
    total = recent = 0.0  # writes in all, and those of the last ``held`` steps
    for step in range(steps):
        one = step_s * rate_with(at.newly_dirty(at.kept * total + (1 - at.kept) * recent))
        written.append(one)
        total += one
        recent += one
        if step >= held:
            recent = max(0.0, recent - written[step - held])
    return total / seconds
