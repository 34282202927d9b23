"""Random writes: the latency of one write, the members' work per write, and the cost of bitmap updates.

Sources: kernel ``raid5.c raid5d``, ``raid1.c raid1_unplug``, ``md-bitmap.c`` (``bitmap``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, hypot, sqrt

from raidwright.core.messages import Message, say
from raidwright.core.system.workload import Pattern

from ..array import ModelledArray
from ..blocks import uneven
from ..bounds import Bound, spread_rate
from ..constants import FLUSH_SPREAD, NOTES_SPREAD
from ..drive import latest
from ..stripes import Parts, held_bytes
from . import bitmap
from .members import access_s, asked, stripes_s, wait_s, written


def writes(array: ModelledArray, pattern: Pattern, span: float, seconds: float) -> Bound:
    """Rate of random writes, with a bitmap update before each write to a clean region."""
    load = _write_load(array, pattern, span)
    unnoted = load.a_second(0.0)(0.0)
    if not array.has_bitmap:
        return Bound(unnoted * pattern.block_bytes, load.reason)
    at = bitmap.noting(array, span)
    rate = bitmap.settled(load.a_second(at.write_s), at, seconds)
    of_notes = 1 - rate / unnoted  # the share of time spent on bitmap updates
    spread = hypot(NOTES_SPREAD, FLUSH_SPREAD if array.slowest.flushes_vary else 0.0)
    reason = say("the bitmap") if rate < unnoted / 2 else load.reason
    return Bound(rate * pattern.block_bytes, reason, spread=spread * of_notes)


@dataclass(frozen=True, slots=True)
class _WriteLoad:
    """One write's latency ``alone_s`` at depth 1, and the time ``work_s`` for which it occupies the members together.

    ``gathered`` writes share a bitmap update, whose flush then waits ``batch_s``: their work on the busiest member.
    ``heads``: the members are spinning disks, each at one place at a time.
    """

    depth: int
    alone_s: float
    work_s: float
    gathered: float
    batch_s: float
    heads: bool

    def a_second(self, note_s: float) -> Callable[[float], float]:
        """Return a function of the share of writes that need a bitmap update of ``note_s`` first: writes per second.

        On spinning disks each write in flight waits for the work of all others (balanced job bounds: Zahorjan et al.,
        CACM 1982); flash serves many at once, which its rate at depth already includes. One update holds up all
        gathered writes.
        """
        others_s = (self.depth - 1) * self.work_s if self.heads else 0.0
        plain_s = max(self.work_s, (self.alone_s + others_s) / self.depth)
        noted_s = max((note_s + self.batch_s) / self.gathered, (note_s + self.alone_s) / self.depth)
        more_s = max(plain_s, noted_s) - plain_s
        gathered, singly_s = self.gathered, max(plain_s, note_s + self.batch_s / self.gathered) - plain_s
        return lambda noted: 1 / (plain_s + min((1 - (1 - noted) ** gathered) * more_s, noted * singly_s))

    @property
    def reason(self) -> Message:
        """The bottleneck of the writes themselves."""
        return say("the members") if self.depth / self.alone_s > 1 / self.work_s else say("the members' answers")


def _write_load(array: ModelledArray, pattern: Pattern, span: float) -> _WriteLoad:
    drive, depth = array.slowest, pattern.depth
    parts = written(array, pattern.block_bytes)
    if not drive.cached_writes:
        most = parts.part_bytes * uneven(array, pattern.block_bytes, depth, write=True)
        parts = replace(parts, part_bytes=most)
    span *= array.size_bytes / drive.size_bytes
    # Without a write cache the writes follow the reads: the two never overlap.
    requests = parts.reads + parts.writes if drive.cached_writes else max(parts.reads, parts.writes)
    alone_s = _alone_s(array, parts, span)
    if drive.spins:
        work_s = _work_of_heads_s(array, parts, depth, requests, span)
    else:
        turn_s, turns = _turns(array, pattern, parts, requests)
        alone_s += (turns - 1) * turn_s
        work_s = 1 / spread_rate(depth, max(1.0, len(array.working) / requests), alone_s, turns * turn_s)
    gathered = _gathered(array, parts, depth)
    return _WriteLoad(
        depth=depth,
        alone_s=alone_s,
        work_s=work_s,
        gathered=gathered,
        batch_s=batch_s(array, parts, gathered, span),
        heads=drive.spins,
    )


def _alone_s(array: ModelledArray, parts: Parts, span: float) -> float:
    """Return the latency of one write at queue depth 1."""
    drive, host = array.slowest, array.host
    if drive.cached_writes and not parts.reads:
        return 1e-6  # complete once in the disks' caches: the rate of destaging counts
    reads_s = wait_s(array, parts.reads, parts.read_bytes, span) + 2 * host.wake_s if parts.reads else 0.0
    if drive.cached_writes:  # the disks destage at once, and the next write's reads come in between
        members_s = reads_s + _until_written_s(array, parts, span)
    else:  # full-stripe writes don't wait for the reads of partial stripes
        after_s = reads_s + wait_s(array, parts.writes, parts.read_bytes, span, write=True)
        members_s = max(after_s, wait_s(array, parts.writes, parts.part_bytes, span, write=True))
    return members_s + host.member_request_s * parts.writes + (stripes_s(array, parts) if array.parities else 0.0)


def _work_of_heads_s(array: ModelledArray, parts: Parts, depth: int, requests: float, span: float) -> float:
    """Return the time for which one write occupies spinning members, over all busy members."""
    cached, members = array.slowest.cached_writes, len(array.working)
    busy = members if cached else members * (1 - (1 - 1 / members) ** (depth * requests))
    busy = min(members, max(busy, parts.reads, parts.writes))
    each = max(1.0, depth * requests / busy)
    drives = asked(array, each, write=True)
    read_s = access_s(drives, parts.read_bytes, each, write=False, span=span)
    write_s = access_s(drives, parts.part_bytes, each, write=True, span=span)
    return (parts.reads * read_s + parts.writes * write_s) / busy


def _turns(array: ModelledArray, pattern: Pattern, parts: Parts, requests: float) -> tuple[float, float]:
    """Return the time for which one member request occupies flash, and how many such requests a write makes in turn."""
    read_s = max(drive.served_s(parts.read_bytes, write=False) for drive in array.working)
    write_s = max(drive.served_s(parts.part_bytes, write=True) for drive in array.working)
    turns = max(1.0, requests / len(array.working))
    if pattern.depth == 1:  # a chunk's far copy is on the member that holds the next chunk
        turns = max(turns, min(array.copies.far, ceil(pattern.block_bytes / array.chunk_bytes)))
    return (parts.reads * read_s + parts.writes * write_s) / requests, turns


def _until_written_s(array: ModelledArray, parts: Parts, span: float) -> float:
    """Return how long reads wait for a disk that still writes the previous request to the place read before, one turn
    later.

    (Of full stripes all but the last part are written meanwhile, and that part is next to them.)
    """
    drive = array.slowest
    hit: float = 1 - (1 - min(1.0, parts.writes / len(array.working))) ** parts.reads
    again_s = drive.turn_s + parts.read_bytes / drive.mean_b_s(write=True, span=span)
    return hit * min(again_s, drive.access_s(parts.read_bytes, 1, write=False, span=span))


def _gathered(array: ModelledArray, parts: Parts, depth: int) -> float:
    """Return how many writes share a bitmap update.

    raid5's thread (``raid5d``) works in rounds, each with one bitmap update for the new writes: it issues their reads,
    in the next round the writes, and completes them in the one after that, whose update the writes that follow them are
    too late for. A mirror's single writes are flushed by their submitter, who waits for it (``raid1.c
    raid1_unplug`` gathers what is submitted together). No more writes are in work than the stripe cache holds.
    """
    if not array.parities:
        return 1.0
    in_work = min(depth, held_bytes(array) / max(parts.part_bytes, parts.read_bytes))
    return max(1.0, in_work / (4 if parts.reads else 3))


def batch_s(array: ModelledArray, parts: Parts, writes: float, span: float) -> float:
    """Return the seconds that the busiest member takes for a batch of ``writes``, until its cache is empty."""
    drive, members = array.slowest, len(array.working)
    touched = min(members, max(parts.reads, parts.writes))
    mean = writes * touched / members
    most = mean + sqrt(mean * (1 - touched / members)) * latest(members)
    requests = max(1.0, most * (parts.reads + parts.writes) / touched)
    at_once = requests / 2 if parts.reads else requests  # the reads were made in the previous round
    return requests * drive.access_s(parts.part_bytes, at_once, write=not drive.spins, span=span)
