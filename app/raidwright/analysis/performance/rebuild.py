"""How fast md rebuilds and checks, and what it leaves to others meanwhile.

Sources: kernel ``md.c``: ``speed_limit_min`` 1000 KiB/s, ``speed_limit_max`` 200,000 KiB/s a member; ``md_do_sync``
sleeps half a second while others use the array and the mean of the last half minute (``SYNC_MARKS`` of
``SYNC_MARK_STEP``) exceeds the least speed. ``is_mddev_idle`` takes others to be there once they moved 64 sectors more
of a member than the rebuild has asked for and not yet got: few small requests are long in being noticed, and wait
behind the rebuild's until then. Since 6.16 it looks at the array's own requests.
"""

from __future__ import annotations

from math import log

from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern
from raidwright.core.units import SECTOR_BYTES

from .array import Array
from .bounds import Bound, least
from .drive import MEAN_DISTANCE
from .host import COPY_S, PAGE_BYTES, Host
from .links import link_bounds
from .stripes import stripe_parts

MOST_B_S = 200_000 * 1024
LEAST_B_S = 1000 * 1024
_SLEEP_S, _MEAN_OF_S = 0.5, 30.0
_NOTICED_BYTES = 64 * SECTOR_BYTES
_NOTICES_ALL = (6, 16)
# What a rebuild has asked of a member at once: 32 pieces of 64 KiB (``raid1-10.c`` RESYNC_DEPTH), a stripe cache full.
_ASKED_OF_COPIES_BYTES, _ASKED_OF_STRIPES_BYTES = 2**21, 2**20


def rebuild_mb_s(array: Array) -> Bound:
    """The speed along each member, over its whole length, while nobody else uses the array."""
    return least((Bound(MOST_B_S, say("md's limit")), *_along(array, writes=True)))


def check_mb_s(array: Array) -> Bound:
    """The same for a check, at the members' beginning: all are read."""
    return least((Bound(MOST_B_S, say("md's limit")), *_along(array, writes=False)))


def _along(array: Array, *, writes: bool) -> list[Bound]:
    """Each member reads or writes on and on; links carry all of them; stripes take the processor."""
    bounds = []
    for drive in array.working:
        mean = mean_share(drive.inner_share) if writes else 1.0
        slower = min(drive.read_b_s, drive.write_b_s) if writes else drive.read_b_s
        bounds.append(Bound(slower * mean, say("the slowest member")))
    bounds += link_bounds(array, [1.0 if drive else 0.0 for drive in array.drives], write=False)
    if array.parities:
        along_b_s = stripes_b_s(array.slots, array.host)
        bounds.append(Bound(along_b_s, say("md's thread on stripes"), spread=array.host.spread))
    return bounds


def stripes_b_s(slots: int, host: Host) -> float:
    """Along each of ``slots`` members, as far as md's threads get with stripes that nothing is copied to or from."""
    page_s = host.stripe_page_s - COPY_S
    return PAGE_BYTES * host.stripe_threads / (slots * page_s)


def mean_share(inner_share: float) -> float:
    """A full pass's mean rate by that at the beginning, where the rate falls evenly to the end."""
    return 1.0 if inner_share >= 1 else (1 - inner_share) / -log(inner_share)


def share_left(array: Array, pattern: Pattern, b_s: float) -> float:
    """What a rebuild leaves of the ``b_s`` that ``pattern`` gets without one, in the long run.

    In each turn the rebuild goes elsewhere for what makes up its least speed, runs on until it has noticed the others,
    and sleeps until its mean is the least speed, or as long as it notices them.
    """
    drive, members = array.slowest, len(array.working)
    asked_bytes = _ASKED_OF_STRIPES_BYTES if array.parities else _ASKED_OF_COPIES_BYTES
    waiting = max(1.0, pattern.depth / members)
    if pattern.is_random:
        ours_s = waiting * drive.access_s(pattern.block_bytes, waiting, write=pattern.writes)
    else:
        ours_s = waiting * pattern.block_bytes / drive.stream_b_s(write=pattern.writes)
    competing = ours_s / (ours_s + asked_bytes / drive.read_b_s)
    moved_b_s = _moved(array, pattern) * b_s / members
    away_s = LEAST_B_S * _SLEEP_S / drive.read_b_s + 2 * drive.reposition_s(MEAN_DISTANCE)
    unnoticed_s = 0.0
    if array.host.kernel < _NOTICES_ALL:
        unnoticed_s = (_NOTICED_BYTES + asked_bytes) / (moved_b_s * competing)
    asleep_s = _SLEEP_S
    if moved_b_s * _SLEEP_S > _NOTICED_BYTES:
        asleep_s = min(_MEAN_OF_S, _SLEEP_S + unnoticed_s * drive.read_b_s / LEAST_B_S)
    return (unnoticed_s * competing + asleep_s) / (away_s + unnoticed_s + asleep_s)


def _moved(array: Array, pattern: Pattern) -> float:
    """Bytes of members' requests for a byte of the array's."""
    if not pattern.writes:
        return 1.0
    if array.parities and pattern.is_random:
        parts = stripe_parts(array, pattern.block_bytes)
        return (parts.reads + parts.writes) * parts.part_bytes / pattern.block_bytes
    return array.slots * array.copies.total / array.data_slots
