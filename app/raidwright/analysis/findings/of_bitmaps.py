"""Findings on the write-intent bitmap: the cost of its updates for small writes, and the chunk that reduces it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Bitmap, Plan
from raidwright.core.system.workload import Workload

from .finding import Facts, Finding, PlanChange, Severity, Stake, Verify

_LARGER_KIB = (2**18, 2**20, 2**21)  # chunks of a bitmap: mdadm's maximum is 2 GiB
_TELLS = 2 / 3  # of the rate without a bitmap: no finding above
_CURES = 1 / 2
_BETTERS = 2.0
_GAINS = 1.2  # a larger chunk that gains less isn't worth its longer resyncs


def verify_bitmap_cost(facts: Facts) -> Iterator[Finding]:
    """Find random small writes slowed by a bitmap update before each (``md-bitmap.c``), if its chunk can be chosen."""
    plan = facts.plan
    if plan.array.bitmap is not Bitmap.INTERNAL or not plan.array.level.is_redundant or plan.top.is_nested:
        return
    without = _small_writes(plan.on(replace(plan.array, bitmap=Bitmap.NONE, bitmap_chunk_kib=None)))
    with_it = _small_writes(plan)
    if not without or with_it > _TELLS * without:
        return
    chunk_kib, pace = _cure(plan, without, with_it)
    yield Finding(
        Severity.NOTE,
        "bitmap-cost",
        _cost(plan, with_it / without),
        say(
            "A write to a region that nobody wrote to for some seconds waits until its bit is on the disks. Programs "
            "that come back to the same regions don't wait. Predicted: {with_it:,.0f} IOPS with the bitmap, "
            "{without:,.0f} without (4 KiB, queue depth 32).",
            with_it=float(f"{with_it:.2g}"),
            without=float(f"{without:.2g}"),
        ),
        _remedy(chunk_kib, pace / without),
        at_stake=Stake.SPEED,
        change=PlanChange("bitmap_chunk_kib", chunk_kib) if chunk_kib else None,
    )


def _cost(plan: Plan, share: float) -> Message:
    """Return what the bitmap costs, and where flash of either kind may be meant, of which kind that is said."""
    from raidwright.analysis.performance.typical import has_unknown_flushes  # noqa: PLC0415 -- not needed for disks

    if any(map(has_unknown_flushes, plan.disks())):
        return say(
            "The bitmap slows small writes all over the array to {share:.0%} of their speed, unless the SSDs are "
            "protected against power loss.",
            share=share,
        )
    return say("The bitmap slows small writes all over the array to {share:.0%} of their speed.", share=share)


def _cure(plan: Plan, without: float, with_it: float) -> tuple[int | None, float]:
    """Return the smallest chunk, in KiB, that restores half of the rate, else the largest if it at least doubles it."""
    pace = with_it
    for chunk_kib in (size for size in _LARGER_KIB if size > (plan.array.bitmap_chunk_kib or 0)):
        pace = _small_writes(plan.on(replace(plan.array, bitmap_chunk_kib=chunk_kib)))
        if pace >= max(_CURES * without, _GAINS * with_it) or (
            chunk_kib == _LARGER_KIB[-1] and pace >= _BETTERS * with_it
        ):
            return chunk_kib, pace
    return None, pace


def _remedy(chunk_kib: int | None, share: float) -> Message:
    if chunk_kib is None:
        return say("Nothing to do where programs come back to the same places; measure yours before you leave it out.")
    return say(
        "Take a bitmap chunk of {chunk:binary}: {share:.0%} of the speed. After a crash md then resyncs so much "
        "for each place that was being written.",
        chunk=chunk_kib * 1024,
        share=share,
    )


def _small_writes(plan: Plan) -> float:
    from raidwright.analysis.performance.typical import without_name  # noqa: PLC0415 -- not needed for disks

    return _small_writes_of(plan.each_disk(without_name).on(replace(plan.each_disk(without_name).array, name="")))


@lru_cache(maxsize=256)
def _small_writes_of(nameless: Plan) -> float:
    """Return the IOPS; inner arrays of a plan are mostly alike, and candidates in the same arrays."""
    from raidwright.analysis.performance.prediction import predict  # noqa: PLC0415 -- imports numpy, not needed for disks

    found = predict(nameless, Workload.RANDOM_WRITE_4K_Q32)
    return found.iops if found is not None else 0.0


BITMAP_CHECKS: tuple[Verify, ...] = (verify_bitmap_cost,)  # of each array
