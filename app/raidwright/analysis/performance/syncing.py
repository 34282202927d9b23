"""A check or a resync of a whole array: the share left to other I/O, and its own rate beside it.

Sources: kernel ``md.c md_do_sync`` (``sync_speed_min`` and ``sync_speed_max``, along each member), ``raid1.c
raid1_sync_request`` (a check reads every copy, a resync reads one and writes the others), ``raid1.c read_balance``
(what isn't synced yet is read from the first disk), ``raid5.c`` (parity is compared; it is written where it differs).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, hypot, log

from raidwright.core.messages import say

from .array import ModelledArray
from .constants import A_HALF, LIMIT_PASSED, NINETY, SYNC_MAX_B_S, SYNC_MIN_B_S, TWOFOLD
from .question import Sync
from .rebuild import SyncRound, left_at, rebuild_mb_s, sync_mb_s

CHECKING, RESYNCING = say("the check beside it"), say("the resync beside it")
REBUILDING = say("the rebuild beside it")


@dataclass(frozen=True, slots=True)
class SyncSpeed:
    """MB/s along each member with its 90% band, and the hours for the whole array."""

    mb_s: float
    low_mb_s: float
    high_mb_s: float
    hours: float


def left_beside(array: ModelledArray, each: SyncRound) -> float:
    """Return the share of others' rate that is left beside a sync at md's limit."""
    return each.moving * left_at(each, array.host.sync_limit_b_s or SYNC_MAX_B_S)


def spread_beside(left: float) -> float:
    """Return the uncertainty of the share left, beyond that of measured rebuilds."""
    return hypot(TWOFOLD, -log(left) / 4) if left < 1 else TWOFOLD


def speed_beside(array: ModelledArray, sync: Sync, each: SyncRound) -> SyncSpeed:
    """Return how fast ``array`` is synced while others use it, a ``SyncRound`` after the other."""
    writes = sync is Sync.RESYNC and not array.parities
    alone = rebuild_mb_s(array) if writes else sync_mb_s(array)
    limit_b_s = array.host.sync_limit_b_s or SYNC_MAX_B_S
    beside_b_s = max(each.theirs_bytes / (each.ours_s + each.theirs_s), SYNC_MIN_B_S)
    b_s = min(alone.b_s, beside_b_s)
    factor = exp(NINETY * hypot(A_HALF, alone.spread, TWOFOLD))
    high_b_s = min(b_s * factor, LIMIT_PASSED * limit_b_s)
    return SyncSpeed(b_s / 1e6, b_s / factor / 1e6, high_b_s / 1e6, array.size_bytes / b_s / 3600)
