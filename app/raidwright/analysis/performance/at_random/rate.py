"""Random I/O rates: the members busy at a queue depth, and each member's time per request.

With q random requests in flight, n members have on average n(1 − (1 − 1/n)^q) of them busy, each with its share of the
queue to sort.

Source: kernel ``raid5.c raid5_read_one_chunk``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import hypot

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern

from ..array import ModelledArray
from ..blocks import in_pairs, of_stripes, pieces, uneven
from ..bounds import Bound, least, spread_rate
from ..constants import A_FIFTH, MINUTE_S, TWOFOLD
from ..drive import Drive
from ..links import link_bounds
from ..locks import lock_bounds
from ..stripes import Parts
from .members import asked, stripes_s, wait_s, written
from .writes import writes


@dataclass(frozen=True, slots=True)
class _Load:
    """Member requests of one request: ``parts`` of ``part_bytes``, issued together.

    ``busiest`` is the share of all member requests that the busiest member gets; ``servers`` members can serve them.
    """

    parts: float
    part_bytes: float
    servers: int
    busiest: float


def random_rate(array: ModelledArray, pattern: Pattern, span: float = 1.0, seconds: float = MINUTE_S) -> Bound:
    """Return the mean rate of the first ``seconds``, in bytes per second, and its bottleneck.

    Requests fall at random within ``span`` (a share) of the array.
    """
    bound = _writes(array, pattern, span, seconds) if pattern.writes else _reads(array, pattern, span)
    return least((bound, *_ceilings(array, pattern)))


def _writes(array: ModelledArray, pattern: Pattern, span: float, seconds: float) -> Bound:
    bound = writes(array, pattern, span, seconds)
    return replace(bound, spread=hypot(bound.spread, max(drive.writes_spread for drive in array.working)))


def _reads(array: ModelledArray, pattern: Pattern, span: float) -> Bound:
    """Rate of reads: a clean array reads the data alone; a degraded one also the chunks that rebuild lost ones."""
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
        busiest = 2 / array.slots  # the failed member's neighbour serves the reads of both
        if parts > 1 and array.copies.offset:  # whose copies are in the next row: both in one request
            touched = min(1.0, parts * array.lost / array.slots)  # the share of blocks with a chunk on a lost member
            parts, part_bytes, busiest = parts - touched, part_bytes * (1 + touched), 1 / servers
    load = _Load(parts, part_bytes, servers, min(1.0, busiest))
    return _queued(array, pattern, load, wait_s(array, parts, part_bytes, near_span), near_span)


def _queued(array: ModelledArray, pattern: Pattern, load: _Load, alone_s: float, span: float) -> Bound:
    """Rate of reads at a queue depth: requests spread over the members, each member sorting its own queue."""
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
        slowest = max(array.working, key=lambda drive: drive.served_s(load.part_bytes, write=False))
        a_second = _flash_reads(array, slowest, load, depth, alone_s)
    rate = a_second if len(served) > 1 and depth > 1 else min(a_second, depth / alone_s)
    return Bound(rate * pattern.block_bytes, say("the members' answers") if depth == 1 else say("the members"))


def _flash_reads(array: ModelledArray, drive: Drive, load: _Load, depth: int, alone_s: float) -> float:
    """Return reads per second of flash: members with copies of the same data serve one queue, others their own."""
    together = array.copies.total if array.reads_any_copy else 1
    served_s = drive.served_s(load.part_bytes, write=False)
    queues = max(1.0, load.servers / load.parts / together)
    return min(spread_rate(depth, queues, alone_s, served_s / together), 1 / load.busiest / served_s / load.parts)


def _parts(array: ModelledArray, pattern: Pattern) -> Parts:
    """Return the member requests of one request to a clean array."""
    if pattern.writes:
        return written(array, pattern.block_bytes)
    members, part_bytes = pieces(array, pattern.block_bytes, write=False)
    return Parts(members, 0, part_bytes, part_bytes)


def computer_s(array: ModelledArray, pattern: Pattern) -> float:
    """Return the computer's time per request, as measured with all disks at once; 0 if that wasn't measured.

    Each member request costs it as much, plus md's own overhead.
    """
    parts = _parts(array, pattern)
    reads = parts.reads
    if array.parities and not pattern.writes:  # lost chunks are computed from all other members
        reads *= 1 + array.lost / array.slots * (len(array.working) - 1)
    members_s = max(reads * drive.read_computer_s + parts.writes * drive.write_computer_s for drive in array.working)
    return members_s + (reads + parts.writes) * array.host.member_request_s if members_s else 0.0


def _ceilings(array: ModelledArray, pattern: Pattern) -> Iterator[Bound]:
    """Yield the ceilings of links, processor, and the measured computer."""
    host, block = array.host, pattern.block_bytes
    parts = _parts(array, pattern)
    if measured_s := computer_s(array, pattern):
        yield Bound(block / measured_s, say("the processor"), spread=A_FIFTH)
    requests = parts.reads + parts.writes
    request_s = max(drive.request_s for drive in array.working) + requests * host.member_request_s
    yield Bound(pattern.jobs * block / request_s, say("the processor"), spread=host.spread_of(pattern.jobs))
    yield from lock_bounds(array, pattern)
    if array.parities and (pattern.writes or array.lost):
        # Lost chunks are computed from this many members.
        computed = 1.0 if pattern.writes else array.lost / array.slots * len(array.working)
        thread_s = stripes_s(array, parts) * computed
        yield Bound(block / thread_s, say("md's thread on stripes"), spread=TWOFOLD)
    each = parts.moved_bytes / block / len(array.working)
    yield from link_bounds(array, [each if drive else 0.0 for drive in array.drives], write=pattern.writes)
