"""Requests all over an array: which members are busy at a depth, and what each of them takes for its part.

With q requests in flight, drawn at random, n members have on average n(1 − (1 − 1/n)^q) of them at work, each with its
share of the queue to choose from.

Source: kernel ``raid5.c raid5_read_one_chunk``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern

from ..array import Array
from ..blocks import in_pairs, of_stripes, pieces, uneven
from ..bounds import OF_THE_MEASURED, Bound, least, spread_rate
from ..drive import Drive
from ..links import link_bounds
from ..stripes import Parts
from .members import asked, stripes_s, wait_s, written
from .writes import writes

MINUTE_S = 60.0  # which is how long measurements last


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
    bound = writes(array, pattern, span, seconds) if pattern.writes else _reads(array, pattern, span)
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
        alone_s = sum(one.share * wait_s(array, one.members, one.part_bytes, near_span) for one in shares)
        computed = shares[1]
        stripes = Parts(computed.members, 0, 0, computed.part_bytes)
        alone_s += computed.share * (stripes_s(array, stripes) + array.host.wake_s)
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
    return _queued(array, pattern, load, wait_s(array, parts, part_bytes, near_span), near_span)


def _queued(array: Array, pattern: Pattern, load: _Load, alone_s: float, span: float) -> Bound:
    """Reads at a depth: the queue spread over the members, each sorting its own."""
    depth = pattern.depth
    waiting = depth * load.parts
    served = asked(array, waiting, write=False)
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


def _parts(array: Array, pattern: Pattern) -> Parts:
    """What one request reads and writes on the members of a whole array."""
    if pattern.writes:
        return written(array, pattern.block_bytes)
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
        thread_s = stripes_s(array, parts) * computed
        yield Bound(block / thread_s, say("md's thread on stripes"), spread=host.spread)
    each = parts.moved_bytes / block / len(array.working)
    yield from link_bounds(array, [each if drive else 0.0 for drive in array.drives], write=pattern.writes)
