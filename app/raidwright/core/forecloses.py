"""What a choice forecloses: which reshapes, level changes and growths stay possible.

Sources: mdadm ``Grow.c analyse_change`` and ``set_new_data_offset``; kernel ``raid10.c raid10_check_reshape`` and
``raid10_resize``, ``raid5.c check_reshape``, the takeover functions. Tried with mdadm 4.2, 4.4 and 4.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .capacity import Capacity, capacity_of
from .layouts import Level, parse_copies
from .plan import Bitmap, Consistency, Metadata, Plan


@dataclass(frozen=True, slots=True)
class Possibility:
    """One later change. ``change`` is ``more-members``, ``larger-members``, ``chunk``, ``layout`` or a level's name."""

    change: str
    possible: bool
    reason: str


def possibilities(plan: Plan, capacity: Capacity | None = None) -> tuple[Possibility, ...]:
    """What ``mdadm --grow`` could still do to the built array, and what not, each with its reason.

    For a nested plan they are the outer array's. Raises PlanRefused as ``capacity_of`` does.
    """
    return tuple(_RULES[plan.level](plan, capacity or capacity_of(plan)))


def _yes(change: str, reason: str) -> Possibility:
    return Possibility(change, possible=True, reason=reason)


def _no(change: str, reason: str) -> Possibility:
    return Possibility(change, possible=False, reason=reason)


def _linear(_: Plan, __: Capacity) -> list[Possibility]:
    return [
        _yes("more-members", "A disk can be added at the end (with mdadm 4.2 or 4.6; 4.4 has a bug here)."),
        _no("larger-members", "Each member is used to its end as it was when the array was made."),
        *(
            _no(change, "linear changes into nothing else.")
            for change in ("chunk", "raid0", "raid10", "raid5", "raid6")
        ),
    ]


def _raid0(plan: Plan, capacity: Capacity) -> list[Possibility]:
    if len(set(capacity.member_sectors)) > 1:
        why = "Its members differ in size, and md reshapes only a raid0 of one zone."
        return [
            _no(change, why)
            for change in ("more-members", "larger-members", "chunk", "raid10", "raid4", "raid5", "raid6")
        ]
    members = len(plan.members)
    return [
        _yes("more-members", "md turns it into raid4 for the time of the reshape, and back."),
        _no("larger-members", "raid0 keeps the size that its members had."),
        _yes("chunk", "By way of raid4, if the new chunk divides the members."),
        _yes("raid10", f"With {members} more disks, as near copies and with the same chunk."),
        _yes("raid4", "With one more disk."),
        _yes("raid5", "With one more disk."),
        _yes("raid6", "With two more disks."),
    ]


def _raid1(plan: Plan, capacity: Capacity) -> list[Possibility]:
    to_raid5 = len(plan.members) == 2 and capacity.component_size_kib % 4 == 0
    why_not = "Only a mirror of exactly two members, of a multiple of 4 KiB, becomes raid5."
    return [
        _yes("more-members", "Each more is one more copy, not more space."),
        _yes("larger-members", "When all members are replaced by larger ones."),
        _yes("raid5", "As raid5 of two, to which disks can be added.") if to_raid5 else _no("raid5", why_not),
        _yes("raid0", "As raid0 of one disk; the other copies are given up."),
        _no("raid10", "md has no way from raid1 to raid10."),
        _no("raid6", "Only by way of raid5, in two steps." if to_raid5 else "md has no way from here to raid6."),
    ]


def _parity(plan: Plan, capacity: Capacity) -> list[Possibility]:
    levels = [level for level in ("raid0", "raid4", "raid5", "raid6", "raid1") if level != plan.level]
    if plan.journal is not None or plan.consistency is Consistency.PPL:
        why = "The kernel reshapes and resizes no array with a journal or a partial parity log; take that off first."
        return [_no(change, why) for change in ("more-members", "larger-members", "chunk", "layout", *levels)]
    how = _how_parity_moves(plan, capacity)
    result = [
        _yes("more-members", f"One or several at a time. {how}"),
        _yes("larger-members", "When all members are replaced by larger ones."),
        _yes("chunk", f"If the new chunk divides the component size. {how}"),
    ]
    if plan.level is Level.RAID4:
        result.append(_no("layout", "raid4 has no other layout; as raid5 it does."))
    else:
        result.append(_yes("layout", how))
    return [
        *result,
        *(_parity_level(plan, level) for level in levels),
        _no("raid10", "md has no way to raid10 from here."),
    ]


def _parity_level(plan: Plan, level: str) -> Possibility:
    if plan.level is Level.RAID6:
        if level == "raid5":
            return _yes(level, "One disk is set free.")
        return _no(level, "Only by way of raid5." if level in ("raid0", "raid4") else "md has no way there from raid6.")
    if level == "raid1":
        if len(plan.members) == 2:
            return _yes(level, "Two members hold the same already.")
        return _no(level, "Only with exactly two members.")
    reasons = {
        "raid0": "The parity disk is given up.",
        "raid4": "The parity moves to the last disk.",
        "raid5": "At once, with the parity staying on the last disk.",
        "raid6": "With one more disk.",
    }
    return _yes(level, reasons[level])


def _how_parity_moves(plan: Plan, capacity: Capacity) -> str:
    """Whether a reshape can shift the data offset, or needs a file to keep what it is about to overwrite."""
    room = _headroom_sectors(plan, capacity)
    needed = 2 * plan.effective_chunk_kib * (len(plan.members) + 1)
    if room >= needed:
        return "The head-room before the data makes a backup file needless."
    return "It needs a backup file on another disk (--backup-file)."


def _headroom_sectors(plan: Plan, capacity: Capacity) -> int:
    if plan.metadata not in (Metadata.V1_1, Metadata.V1_2):
        return 0
    offset = next(offset for offset in capacity.data_offset_sectors if offset is not None)
    return offset - 24 - (256 if plan.bitmap is Bitmap.INTERNAL else 0)


def _raid10(plan: Plan, capacity: Capacity) -> list[Possibility]:
    copies, members = parse_copies(plan.effective_layout or "n2"), len(plan.members)
    others = [_no(level, "raid10 turns into nothing but raid0.") for level in ("raid5", "raid6")]
    if copies.far > 1 and not copies.offset:
        why = "md reshapes no far layout."
        return [
            *(_no(change, why) for change in ("more-members", "larger-members", "chunk", "layout", "raid0")),
            *others,
        ]
    can_move = _headroom_sectors(plan, capacity) >= 2 * plan.effective_chunk_kib * copies.far
    no_room = "A reshape of raid10 needs room before the data, which this metadata or data offset doesn't leave."
    other = f"o{copies.total}" if copies.near > 1 else f"n{copies.total}"

    def moving(change: str, reason: str) -> Possibility:
        return _yes(change, reason) if can_move else _no(change, no_room)

    if copies.offset:
        to_raid0 = _no("raid0", "Only near layouts become raid0.")
    elif members % copies.near:
        to_raid0 = _no("raid0", f"Only with a number of members that is a multiple of {copies.near}.")
    else:
        to_raid0 = _yes("raid0", "One copy is kept, and the other disks are set free.")
    return [
        moving("more-members", "Any number, odd ones too."),
        _yes("larger-members", "When all members are replaced by larger ones."),
        moving("chunk", "If the new chunk divides the component size."),
        moving("layout", f"To {other}; not to far, and not to another number of copies."),
        to_raid0,
        *others,
    ]


_RULES: dict[Level, Callable[[Plan, Capacity], list[Possibility]]] = {
    Level.LINEAR: _linear,
    Level.RAID0: _raid0,
    Level.RAID1: _raid1,
    Level.RAID4: _parity,
    Level.RAID5: _parity,
    Level.RAID6: _parity,
    Level.RAID10: _raid10,
}
