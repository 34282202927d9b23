"""How fast md rebuilds and checks, and what it leaves to others meanwhile.

Sources: kernel ``md.c`` (``speed_limit_min`` 1000 KiB/s, ``speed_limit_max`` 200,000 KiB/s a member; ``md_do_sync``
sleeps half a second each time that others use the array and the least speed is exceeded).
"""

from __future__ import annotations

from math import log

from raidwright.core.messages import say

from .array import Array
from .bounds import Bound, least
from .host import COPY_S, PAGE_BYTES, Host
from .links import link_bounds

MOST_B_S = 200_000 * 1024
LEAST_B_S = 1000 * 1024
_A_SECOND_BURSTS = 2  # half a second's sleep between them


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


def share_left(array: Array) -> float:
    """What a rebuild leaves of the members' time to others: it goes on at its least speed, in bursts between sleeps."""
    drive = array.slowest
    burst_s = LEAST_B_S / _A_SECOND_BURSTS / drive.read_b_s
    if drive.spins:
        burst_s += 2 * (drive.mean_seek_s + drive.turn_s / 2)
    return max(0.0, 1 - _A_SECOND_BURSTS * burst_s)
