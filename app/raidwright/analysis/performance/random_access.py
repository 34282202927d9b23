"""Requests all over an array: which members are busy at a depth, and what each of them takes for its part.

With q requests in flight, drawn at random, n members have on average n(1 − (1 − 1/n)^q) of them at work, each with its
share of the queue to choose from.

Sources: kernel ``raid1.c`` and ``raid10.c read_balance`` (the first copy that is idle; far and offset the first copy),
``raid5.c raid5_read_one_chunk``, ``handle_stripe_dirtying`` (``stripes``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, sqrt

from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message, say
from raidwright.core.system.workload import Pattern

from . import bitmap
from .array import Array
from .blocks import in_pairs, of_stripes, pieces, uneven
from .bounds import OF_THE_MEASURED, Bound, least, spread_rate
from .drive import Drive, latest
from .host import PAGE_BYTES
from .links import link_bounds
from .stripes import Parts, stripe_parts

MINUTE_S = 60.0  # which is how long measurements last
_OF_NOTES = 0.3  # how many writes share one differs by so much (``_gathered``)


@dataclass(frozen=True, slots=True)
class _Load:
    """What one request asks of the members: ``parts`` requests of ``part_bytes``, at once.

    ``busiest`` is the share of all member requests that the busiest member gets; ``servers`` may take them.
    """

    parts: float
    part_bytes: float
    servers: int
    busiest: float


def random_rate(array: Array, pattern: Pattern, span: float = 1.0, seconds: float = MINUTE_S) -> Bound:
    """The mean rate of so many ``seconds``, in bytes a second, and what limits it.

    Requests fall anywhere in a ``span`` (a share) of the array.
    """
    bound = _writes(array, pattern, span, seconds) if pattern.writes else _reads(array, pattern, span)
    return least((bound, *_ceilings(array, pattern)))


def _reads(array: Array, pattern: Pattern, span: float) -> Bound:
    """Reads of a whole array touch their data; of a degraded one, for what is lost, all that it is computed from."""
    far = array.copies.far if not array.copies.offset and array.spins else 1
    near_span = span * array.size_bytes / array.slowest.size_bytes / (far if not array.lost else 1)
    servers = len(array.working) - (array.level is Level.RAID4 and not array.lost)
    if array.parities:
        shares = of_stripes(array, pattern)
        parts = sum(one.share * one.members for one in shares)
        part_bytes = sum(one.share * one.members * one.part_bytes for one in shares) / parts
        alone_s = sum(one.share * _wait_s(array, one.members, one.part_bytes, near_span) for one in shares)
        computed = shares[1]
        stripes = Parts(computed.members, 0, 0, computed.part_bytes)
        alone_s += computed.share * (_stripes_s(array, stripes) + array.host.wake_s)
        return _queued(array, pattern, _Load(parts, part_bytes, servers, 1 / servers), alone_s, near_span)
    parts, part_bytes = pieces(array, pattern.block_bytes, write=False)
    part_bytes *= uneven(array, pattern.block_bytes, pattern.depth, write=False)
    busiest = 1 / servers
    if array.lost and array.level is Level.RAID10 and (in_pairs(array) or not array.reads_any_copy):
        busiest = 2 / array.slots  # the neighbour of what is lost answers for both
        if parts > 1 and array.copies.offset:  # whose copies lie in the row after: both in one go
            touched = min(1.0, parts * array.lost / array.slots)  # the share of blocks with a chunk on a lost member
            parts, part_bytes, busiest = parts - touched, part_bytes * (1 + touched), 1 / servers
    load = _Load(parts, part_bytes, servers, min(1.0, busiest))
    return _queued(array, pattern, load, _wait_s(array, parts, part_bytes, near_span), near_span)


def _wait_s(array: Array, parts: float, part_bytes: float, span: float, *, write: bool = False) -> float:
    """One request alone: the last of its parts."""
    one_s = _access_s(_asked(array, parts, write=write), part_bytes, 1, write=write, span=span)
    return one_s + array.slowest.slowest_turn_s(parts) + array.host.member_request_s


def _asked(array: Array, at_once: float, *, write: bool) -> tuple[Drive, ...]:
    """The drives that tell how long an answer takes: any may be the one, but of several the slowest is waited for."""
    if at_once > 1 and array.reads_any_copy and not write:  # that has fewest waiting: as much as each can
        return array.working
    if array.level is Level.RAID1 and not write:  # the first that is idle
        return array.working[:1]
    return (array.slowest,) if at_once > 1 else array.working


def _access_s(drives: tuple[Drive, ...], size_bytes: float, depth: float, *, write: bool, span: float) -> float:
    return sum(drive.access_s(size_bytes, depth, write=write, span=span) for drive in drives) / len(drives)


def _queued(array: Array, pattern: Pattern, load: _Load, alone_s: float, span: float) -> Bound:
    """Reads at a depth: the queue spread over the members, each sorting its own."""
    depth = pattern.depth
    waiting = depth * load.parts
    served = _asked(array, waiting, write=False)
    if array.spins:
        busy = load.servers * (1 - (1 - 1 / load.servers) ** waiting) if load.servers > 1 else 1.0
        busy = max(busy, min(load.parts, load.servers))
        rates = [1 / drive.access_s(load.part_bytes, waiting / busy, write=False, span=span) for drive in served]
        a_second = min(busy, 1 / load.busiest) * sum(rates) / len(rates) / load.parts
    elif len(served) > 1:
        alone = [drive.alone_s(load.part_bytes, write=False) + array.host.member_request_s for drive in served]
        rates = [_flash_reads(array, drive, load, depth, one) for drive, one in zip(served, alone, strict=True)]
        a_second = sum(rates) / len(rates)
    else:
        a_second = _flash_reads(array, served[0], load, depth, alone_s)
    rate = a_second if len(served) > 1 and depth > 1 else min(a_second, depth / alone_s)
    return Bound(rate * pattern.block_bytes, say("the members' answers") if depth == 1 else say("the members"))


def _flash_reads(array: Array, drive: Drive, load: _Load, depth: int, alone_s: float) -> float:
    """Reads a second: those that hold copies of the same work through one queue, each of the others has its own."""
    together = array.copies.total if array.reads_any_copy else 1
    served_s = drive.served_s(load.part_bytes, write=False)
    queues = max(1.0, load.servers / load.parts / together)
    return min(spread_rate(depth, queues, alone_s, served_s / together), 1 / load.busiest / served_s / load.parts)


def _writes(array: Array, pattern: Pattern, span: float, seconds: float) -> Bound:
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
    drive, depth, host = array.slowest, pattern.depth, array.host
    parts = _written(array, pattern.block_bytes)
    if not drive.cached_writes:
        most = parts.part_bytes * uneven(array, pattern.block_bytes, depth, write=True)
        parts = replace(parts, part_bytes=most)
    span *= array.size_bytes / drive.size_bytes
    members = len(array.working)
    # What isn't done once it is in a cache is written after all has been read: never both at once.
    requests = parts.reads + parts.writes if drive.cached_writes else max(parts.reads, parts.writes)
    busy = members if drive.cached_writes else members * (1 - (1 - 1 / members) ** (depth * requests))
    busy = min(members, max(busy, parts.reads, parts.writes))
    each = max(1.0, depth * requests / busy)
    drives = _asked(array, each, write=True)
    alone_s = host.member_request_s * parts.writes + (_stripes_s(array, parts) if array.parities else 0.0)
    reads_s = _wait_s(array, parts.reads, parts.read_bytes, span) + 2 * host.wake_s if parts.reads else 0.0
    if not drive.cached_writes:  # whole stripes among it don't wait for what the others read
        after_s = reads_s + _wait_s(array, parts.writes, parts.read_bytes, span, write=True)
        alone_s += max(after_s, _wait_s(array, parts.writes, parts.part_bytes, span, write=True))
    elif parts.reads:  # the disks get rid of each write as soon as they can, and the next one's reads come in between
        alone_s += reads_s + _until_written_s(drive, parts, members, span)
    else:
        alone_s = 1e-6  # done when in the disks' caches: what they get rid of counts
    if drive.spins:
        if not parts.reads and depth == 1:
            drives, busy = _filled(drives, parts, busy)
        read_s = _access_s(drives, parts.read_bytes, each, write=False, span=span)
        write_s = _access_s(drives, parts.part_bytes, each, write=True, span=span)
        work_s = (parts.reads * read_s + parts.writes * write_s) / busy
    else:
        read_s = drive.served_s(parts.read_bytes, write=False)
        write_s = drive.served_s(parts.part_bytes, write=True)
        served_s = (parts.reads * read_s + parts.writes * write_s) / requests
        turns = max(1.0, requests / members)  # that one write takes at a member
        if depth == 1:  # far copies of a chunk lie where the chunk after has its own
            turns = max(turns, min(array.copies.far, ceil(pattern.block_bytes / array.chunk_bytes)))
        alone_s += (turns - 1) * served_s
        work_s = 1 / spread_rate(depth, max(1.0, members / requests), alone_s, turns * served_s)
    gathered = _gathered(array, parts, depth)
    return _WriteLoad(
        depth=depth,
        alone_s=alone_s,
        work_s=work_s,
        gathered=gathered,
        batch_s=_batch_s(array, parts, gathered, span),
        heads=drive.spins,
    )


def _until_written_s(drive: Drive, parts: Parts, members: int, span: float) -> float:
    """For how long reads find a disk at work on the write before, whose place was read then and comes round again.

    (Of whole stripes all but the last part are written meanwhile, and that lies next to them.)
    """
    hit: float = 1 - (1 - min(1.0, parts.writes / members)) ** parts.reads
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
    by whoever submits it, who waits for that (``raid1.c raid1_unplug`` gathers what is submitted together). On four
    arrays of emulated spinning disks Linux 6.1 noted 1.3 to 2 at a time after some seconds, at any depth; on flash one.
    """
    if not array.parities:
        return min(float(depth), 2.0) if array.spins else 1.0
    return max(1.0, depth / (3.5 if parts.reads else 2.5))


def _batch_s(array: Array, parts: Parts, writes: float, span: float) -> float:
    """How long the member with most of it works on a batch of so many writes, until nothing is left in its cache."""
    drive, members = array.slowest, len(array.working)
    touched = min(members, max(parts.reads, parts.writes))
    mean = writes * touched / members
    most = mean + sqrt(mean * (1 - touched / members)) * latest(members)
    requests = max(1.0, most * (parts.reads + parts.writes) / touched)
    at_once = requests / 2 if parts.reads else requests  # what is written was read in the round before
    return requests * drive.access_s(parts.part_bytes, at_once, write=not drive.spins, span=span)


def _written(array: Array, block_bytes: int) -> Parts:
    """What one write reads and writes on the members."""
    if array.parities:
        return stripe_parts(array, block_bytes)
    members, part_bytes = pieces(array, block_bytes, write=True)
    writes = max(1.0, members * array.copies.total / array.copies.near * len(array.working) / array.slots)
    return Parts(0, writes, part_bytes, part_bytes)


def _parts(array: Array, pattern: Pattern) -> Parts:
    """What one request reads and writes on the members of a whole array."""
    if pattern.writes:
        return _written(array, pattern.block_bytes)
    members, part_bytes = pieces(array, pattern.block_bytes, write=False)
    return Parts(members, 0, part_bytes, part_bytes)


def computer_s(array: Array, pattern: Pattern) -> float:
    """What the computer takes for one request, by what was measured of it with all disks at once; 0 where it wasn't.

    Each request to a member costs it as much, and md's own share of it comes on top.
    """
    parts = _parts(array, pattern)
    reads = parts.reads
    if array.parities and not pattern.writes:  # what is lost is computed from all others
        reads *= 1 + array.lost / array.slots * (len(array.working) - 1)
    members_s = max(reads * drive.read_computer_s + parts.writes * drive.write_computer_s for drive in array.working)
    return members_s + (reads + parts.writes) * array.host.member_request_s if members_s else 0.0


def _stripes_s(array: Array, parts: Parts) -> float:
    """What md's threads take for one request's pages of stripes."""
    pages = max(parts.reads + parts.writes, parts.moved_bytes / PAGE_BYTES)
    return pages * array.host.stripe_page_s / array.host.stripe_threads


def _ceilings(array: Array, pattern: Pattern) -> Iterator[Bound]:
    """Links, the processor, and the computer as it was measured."""
    host, block = array.host, pattern.block_bytes
    parts = _parts(array, pattern)
    if measured_s := computer_s(array, pattern):
        yield Bound(block / measured_s, say("the processor"), spread=OF_THE_MEASURED)
    requests = parts.reads + parts.writes
    request_s = max(drive.request_s for drive in array.working) + requests * host.member_request_s
    yield Bound(block / request_s, say("the processor"), spread=host.spread)
    if array.parities and (pattern.writes or array.lost):
        # What is lost is computed from so many.
        computed = 1.0 if pattern.writes else array.lost / array.slots * len(array.working)
        stripes_s = _stripes_s(array, parts) * computed
        yield Bound(block / stripes_s, say("md's thread on stripes"), spread=host.spread)
    each = parts.moved_bytes / block / len(array.working)
    yield from link_bounds(array, [each if drive else 0.0 for drive in array.drives], write=pattern.writes)
