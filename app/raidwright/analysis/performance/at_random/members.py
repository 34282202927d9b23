"""Members' part of one random request: the members it is sent to, and their response times.

Sources: kernel ``raid1.c`` and ``raid10.c read_balance`` (the first idle copy; far and offset the first copy),
``raid5.c handle_stripe_dirtying`` (``stripes``).
"""

from __future__ import annotations

from raidwright.core.md.layouts import Level

from ..array import ModelledArray
from ..blocks import pieces
from ..constants import PAGE_BYTES
from ..drive import Drive
from ..stripes import Parts, stripe_parts


def written(array: ModelledArray, block_bytes: int) -> Parts:
    """Return the member requests of one write."""
    if array.parities:
        return stripe_parts(array, block_bytes)
    members, part_bytes = pieces(array, block_bytes, write=True)
    writes = max(1.0, members * array.copies.total / array.copies.near * len(array.working) / array.slots)
    return Parts(0, writes, part_bytes, part_bytes)


def wait_s(array: ModelledArray, parts: float, part_bytes: float, span: float, *, write: bool = False) -> float:
    """Return the time of one request at queue depth 1: its last part's."""
    one_s = access_s(asked(array, parts, write=write), part_bytes, 1, write=write, span=span)
    return one_s + array.slowest.slowest_turn_s(parts) + array.host.member_request_s


def asked(array: ModelledArray, at_once: float, *, write: bool) -> tuple[Drive, ...]:
    """Return the drives whose mean determines the response time: with several parts the slowest is waited for."""
    if at_once > 1 and array.reads_any_copy and not write:  # the copy with the fewest pending: each at its own rate
        return array.working
    if array.level is Level.RAID1 and not write:  # the first idle member
        return array.working[:1]
    return (array.slowest,) if at_once > 1 else array.working


def access_s(drives: tuple[Drive, ...], size_bytes: float, depth: float, *, write: bool, span: float) -> float:
    """Return the mean time of ``drives`` for one request at queue ``depth`` each, within ``span`` of the drive."""
    return sum(drive.access_s(size_bytes, depth, write=write, span=span) for drive in drives) / len(drives)


def stripes_s(array: ModelledArray, parts: Parts) -> float:
    """Return the time of md's threads for one request's stripe pages."""
    pages = max(parts.reads + parts.writes, parts.moved_bytes / PAGE_BYTES)
    return pages * array.page_s / array.host.stripe_threads
