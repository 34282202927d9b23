"""Writes all over an array: what one waits for, what keeps the members at work, and what notes in a bitmap cost.

Sources: kernel ``raid5.c raid5d``, ``raid1.c raid1_unplug``, ``md-bitmap.c`` (``bitmap``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, sqrt

from raidwright.core.messages import Message, say
from raidwright.core.system.workload import Pattern

from ..array import Array
from ..blocks import uneven
from ..bounds import Bound, spread_rate
from ..drive import Drive, latest
from ..stripes import Parts
from . import bitmap
from .members import access_s, asked, stripes_s, wait_s, written

_OF_NOTES = 0.3  # how many writes share one differs by so much (``_gathered``)


def writes(array: Array, pattern: Pattern, span: float, seconds: float) -> Bound:
    """Writes, with a note in the bitmap before those to regions that were clean."""
    load = _write_load(array, pattern, span)
    if not array.has_bitmap:
        return Bound(load.a_second(0.0, 0.0) * pattern.block_bytes, load.reason(0.0, 0.0))
    at = bitmap.noting(array, span)
    rate = bitmap.settled(lambda noted: load.a_second(noted, at.write_s), at, seconds)
    noted = at.newly_dirty(rate * min(seconds, bitmap.HELD_S))
    of_notes = 1 - rate / load.a_second(0.0, 0.0)  # the share of the time that they take
    return Bound(rate * pattern.block_bytes, load.reason(noted, at.write_s), spread=_OF_NOTES * of_notes)


@dataclass(frozen=True, slots=True)
class _WriteLoad:
    """Writes: what one waits for ``alone_s``, and for how long it keeps the members at work, all of them together.

    ``gathered`` writes share a note in the bitmap; its flush then waits for ``batch_s``, their work on the member that
    has most of it. ``heads``: each member has some, which are at one place only.
    """

    depth: int
    alone_s: float
    work_s: float
    gathered: float
    batch_s: float
    heads: bool

    def a_second(self, noted: float, note_s: float) -> float:
        """Writes a second when a share of them is ``noted`` first, which takes ``note_s`` each time.

        Of several in flight each waits for the work of all others (balanced job bounds: Zahorjan et al., CACM 1982);
        flash works on many at once, which its rate at a depth says already. One note holds up all that are gathered,
        which tells where few are noted, as on flash.
        """
        others_s = (self.depth - 1) * self.work_s if self.heads else 0.0
        plain_s = max(self.work_s, (self.alone_s + others_s) / self.depth)
        noted_s = max((note_s + self.batch_s) / self.gathered, (note_s + self.alone_s) / self.depth)
        held_up = noted if self.heads else 1 - (1 - noted) ** self.gathered
        return 1 / ((1 - held_up) * plain_s + held_up * max(plain_s, noted_s))

    def reason(self, noted: float, note_s: float) -> Message:
        """What they wait for most."""
        if noted * note_s / self.gathered > max(self.work_s, self.alone_s / self.depth):
            return say("the bitmap")
        return say("the members") if self.depth / self.alone_s > 1 / self.work_s else say("the members' answers")


def _write_load(array: Array, pattern: Pattern, span: float) -> _WriteLoad:
    drive, depth = array.slowest, pattern.depth
    parts = written(array, pattern.block_bytes)
    if not drive.cached_writes:
        most = parts.part_bytes * uneven(array, pattern.block_bytes, depth, write=True)
        parts = replace(parts, part_bytes=most)
    span *= array.size_bytes / drive.size_bytes
    # What isn't done once it is in a cache is written after all has been read: never both at once.
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
        batch_s=_batch_s(array, parts, gathered, span),
        heads=drive.spins,
    )


def _alone_s(array: Array, parts: Parts, span: float) -> float:
    """What one write waits for where no other is in flight."""
    drive, host = array.slowest, array.host
    if drive.cached_writes and not parts.reads:
        return 1e-6  # done when in the disks' caches: what they get rid of counts
    reads_s = wait_s(array, parts.reads, parts.read_bytes, span) + 2 * host.wake_s if parts.reads else 0.0
    if drive.cached_writes:  # the disks get rid of it as soon as they can, and the next one's reads come in between
        members_s = reads_s + _until_written_s(array, parts, span)
    else:  # whole stripes among it don't wait for what the others read
        after_s = reads_s + wait_s(array, parts.writes, parts.read_bytes, span, write=True)
        members_s = max(after_s, wait_s(array, parts.writes, parts.part_bytes, span, write=True))
    return members_s + host.member_request_s * parts.writes + (stripes_s(array, parts) if array.parities else 0.0)


def _work_of_heads_s(array: Array, parts: Parts, depth: int, requests: float, span: float) -> float:
    """For how long one write keeps heads at work, all that are busy together."""
    cached, members = array.slowest.cached_writes, len(array.working)
    busy = members if cached else members * (1 - (1 - 1 / members) ** (depth * requests))
    busy = min(members, max(busy, parts.reads, parts.writes))
    each = max(1.0, depth * requests / busy)
    drives = asked(array, each, write=True)
    if not parts.reads and depth == 1:
        drives, busy = _filled(drives, parts, busy)
    read_s = access_s(drives, parts.read_bytes, each, write=False, span=span)
    write_s = access_s(drives, parts.part_bytes, each, write=True, span=span)
    return (parts.reads * read_s + parts.writes * write_s) / busy


def _turns(array: Array, pattern: Pattern, parts: Parts, requests: float) -> tuple[float, float]:
    """How long one of a write's requests keeps flash from others, and how many in turn it takes at a member."""
    drive = array.slowest
    read_s = drive.served_s(parts.read_bytes, write=False)
    write_s = drive.served_s(parts.part_bytes, write=True)
    turns = max(1.0, requests / len(array.working))
    if pattern.depth == 1:  # far copies of a chunk lie where the chunk after has its own
        turns = max(turns, min(array.copies.far, ceil(pattern.block_bytes / array.chunk_bytes)))
    return (parts.reads * read_s + parts.writes * write_s) / requests, turns


def _until_written_s(array: Array, parts: Parts, span: float) -> float:
    """For how long reads find a disk at work on the write before, whose place was read then and comes round again.

    (Of whole stripes all but the last part are written meanwhile, and that lies next to them.)
    """
    drive = array.slowest
    hit: float = 1 - (1 - min(1.0, parts.writes / len(array.working))) ** parts.reads
    again_s = drive.turn_s + parts.read_bytes / drive.stream_b_s(write=True, place=span / 2)
    return hit * min(again_s, drive.access_s(parts.read_bytes, 1, write=False, span=span))


def _filled(drives: tuple[Drive, ...], parts: Parts, busy: float) -> tuple[tuple[Drive, ...], float]:
    """The drives with what their caches hold of writes that come one by one, and how many of ``busy`` have any.

    A writer waits for the fullest cache; how full each of the others is is a walk at random, from empty to full.
    """
    of_others = 1 - min(1.0, parts.writes / busy)
    held = [replace(drive, sorts_bytes=drive.sorts_bytes * (1 - of_others / 2)) for drive in drives]
    most = min(drive.sorts_bytes for drive in drives) / parts.part_bytes
    return tuple(held), busy * (1 - of_others / (most + 1))


def _gathered(array: Array, parts: Parts, depth: int) -> float:
    """How many writes share a note.

    raid5's thread (``raid5d``) is in the midst of a round, notes, has the reads done, then the writes, and ends them in
    the next: each round has a note of its own while there are new writes. What comes to a mirror one by one is noted
    by whoever submits it, who waits for that (``raid1.c raid1_unplug`` gathers what is submitted together).
    """
    return max(1.0, depth / (3.5 if parts.reads else 2.5)) if array.parities else 1.0


def _batch_s(array: Array, parts: Parts, writes: float, span: float) -> float:
    """How long the member with most of it works on a batch of so many writes, until nothing is left in its cache."""
    drive, members = array.slowest, len(array.working)
    touched = min(members, max(parts.reads, parts.writes))
    mean = writes * touched / members
    most = mean + sqrt(mean * (1 - touched / members)) * latest(members)
    requests = max(1.0, most * (parts.reads + parts.writes) / touched)
    at_once = requests / 2 if parts.reads else requests  # what is written was read in the round before
    return requests * drive.access_s(parts.part_bytes, at_once, write=not drive.spins, span=span)
