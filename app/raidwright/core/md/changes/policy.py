"""The consistency policy of a running array: what switches it, and why it can't be.

Sources: mdadm ``Grow.c`` (``Grow_consistency_policy`` takes resync and ppl alone, and neither beside a bitmap;
``Grow_addbitmap``) and ``super1.c`` (the room that it looks for), mdadm(8) (``--add-journal`` replaces a lost journal,
on a read-only array).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidwright.core.errors import InputError
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.superblock import bitmap_reserve
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Bitmap, Consistency, MdArray

from .steps import bitmap_step, log_step
from .values import ArrayStanding, ChangeKind, ChangeStep, ChangeWish

_MIN_LOG_SECTORS = 16  # its header, and 4 KiB of parity


def policy_of(plan: MdArray) -> Consistency:
    """Return the policy that md reports for an array of ``plan`` (``consistency_policy``)."""
    if plan.journal is not None:
        return Consistency.JOURNAL
    if plan.consistency is Consistency.PPL:
        return Consistency.PPL
    return Consistency.RESYNC if plan.bitmap is Bitmap.NONE else Consistency.BITMAP


def policy_at_end(start: MdArray, end: Level, wish: ChangeWish) -> Consistency | None:
    """Return the policy to end with: the one wished for, or the log that ``start`` has if ``end`` can have one."""
    keeps_log = start.consistency is Consistency.PPL and end is Level.RAID5
    return wish.consistency or (Consistency.PPL if keeps_log else None)


def policy_steps(plan: MdArray, wanted: Consistency | None) -> Iterator[ChangeStep]:
    """Yield the steps from the policy of ``plan`` to ``wanted``; one policy is dropped before another is put."""
    now = policy_of(plan)
    if wanted in (None, now):
        return
    bare = replace(plan, consistency=None, bitmap=Bitmap.NONE, bitmap_chunk_kib=None)
    if now is Consistency.PPL:
        yield log_step(plan, bare, ChangeKind.DROP_LOG)
    if now is Consistency.BITMAP:
        yield bitmap_step(plan, bare)
    if wanted is Consistency.PPL:
        yield log_step(bare, replace(bare, consistency=Consistency.PPL), ChangeKind.PUT_LOG_BACK)
    if wanted is Consistency.BITMAP:
        yield bitmap_step(bare, replace(bare, bitmap=Bitmap.INTERNAL))


def policy_refusal(start: MdArray, end: MdArray, wish: ChangeWish, standing: ArrayStanding) -> Message | None:
    """Return the reason why an array of ``start`` that becomes ``end`` can't have the policy wished for."""
    wanted, now = wish.consistency, policy_of(start)
    if wanted in (None, policy_of(end)):
        return None
    if Consistency.JOURNAL in (wanted, now):
        return say(
            "A write journal is chosen when an array is built: md doesn't take one into a running array, nor let it go."
        )
    if not end.level.is_redundant:
        return say("{level} has neither copies nor parity that could disagree after a power cut.", level=end.level)
    try:
        for step in policy_steps(end, wanted):
            capacity_of(step.after)
    except InputError as error:
        return error.sentence
    if wanted is Consistency.PPL is not now and _log_room_sectors(start, standing) < _MIN_LOG_SECTORS:
        return say(
            "mdadm left no room for a partial parity log beside its members' superblocks; an array that is to have one "
            "is built with it, or on members of more than 8 GiB."
        )
    return None


def _log_room_sectors(plan: MdArray, standing: ArrayStanding) -> int:
    """Return the room that the members have, or what mdadm leaves for a bitmap."""
    known = standing.log_room_sectors
    return bitmap_reserve(2 * (plan.component_size_kib or 0)) if known is None else known
