"""Later changes of an array: the growths, reshapes and level changes that stay possible, with their conditions.

All rules assume an array that is clean and has nothing under way; mdadm defers or refuses the rest. Sources: mdadm
``Grow.c`` (``Grow_reshape``, ``analyse_change``, ``impose_level``, ``Grow_Add_device``); kernel ``raid0.c
raid0_takeover``, ``raid1.c raid1_reshape`` and ``raid1_takeover``, ``md-linear.c linear_add``, ``md.c
update_raid_disks``. Parity levels are in ``parity_levels``, raid10 in ``raid10``. ``make prove`` tries every level and
layout × every change with mdadm 4.2 and 4.4 on kernel 6.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raidwright.core.md.capacity import Capacity, capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.superblock import MAX_MEMBERS
from raidwright.core.messages import say
from raidwright.core.model.plan import MdArray

from .parity_levels import parity
from .possibility import (
    Condition,
    Needs,
    Possibility,
    finish,
    more_arrays,
    more_disks,
    never,
    no,
    yes,
)
from .raid10 import raid10
from .room import NO_CACHE, TOO_SMALL, Restripe, component_sectors, restriped_chunk, room_of

_NOT_4_4 = Condition(
    Needs.MDADM, say("Not with mdadm 4.4, which refuses it by mistake; others do it."), "4.4"
)  # fmt: skip


def possibilities(plan: MdArray, capacity: Capacity | None = None) -> tuple[Possibility, ...]:
    """List every change that ``mdadm --grow`` could or couldn't make to the built array, each with its reason.

    For a nested plan these are changes of the outer array. Raises PlanRefused as ``capacity_of`` does.
    """
    found = _RULES[plan.level](plan, capacity or capacity_of(plan))
    if plan.is_nested:
        found = [_with_arrays(plan, one) for one in found]
    return tuple(_with_a_slot(plan, one) if one.change == "more-members" else one for one in found)


def _with_arrays(plan: MdArray, change: Possibility) -> Possibility:
    """Ask for whole inner arrays instead of disks: a bare disk as a member would lose the outer array when it fails."""
    inner = plan.inner[0]
    conditions = tuple(
        more_arrays(int(one.value or 0), inner.level, len(inner.members)) if one.needs is Needs.DISKS else one
        for one in change.conditions
    )
    if conditions == change.conditions:
        return change
    reason = say("Members are arrays here. A bare disk beside them would be without redundancy of its own.")
    return replace(change, reason=reason, conditions=conditions)


def _with_a_slot(plan: MdArray, growth: Possibility) -> Possibility:
    """Refuse ``growth`` if the metadata has no slot left; the kernel leaves 0.90's last slot unused."""
    most = MAX_MEMBERS[plan.metadata] - 1
    if len(plan.members) < most:
        return growth
    return no(
        growth.change, say("md adds members up to {most} with metadata {metadata}.", most=most, metadata=plan.metadata)
    )


def _linear(_: MdArray, __: Capacity) -> list[Possibility]:
    return [
        yes("more-members", say("A disk can be added at the end."), more_disks(1), _NOT_4_4),
        no("larger-members", say("Each member is used to its end as it was when the array was made.")),
        *never(
            ("chunk", "layout", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10"),
            say("linear changes into nothing else."),
        ),
    ]


def _raid0(plan: MdArray, capacity: Capacity) -> list[Possibility]:
    chunk_kib = plan.effective_chunk_kib
    fixed = [
        no("larger-members", say("raid0 keeps the size that its members had.")),
        no("layout", say("raid0's layout is what it was made with.")),
        no("raid1", say("md has no way from raid0 to raid1.")),
        no("raid6", say("Only by way of raid5, in two steps.")),
    ]
    moving = ("more-members", "chunk", "raid4", "raid5", "raid10")
    if len(set(capacity.member_sectors)) > 1:
        return [*never(moving, say("Its members differ in size, and md changes only a raid0 of one zone.")), *fixed]
    if chunk_kib & (chunk_kib - 1):
        odd = say(
            "A chunk of {chunk_kib} KiB is no power of two, which every way from here wants.", chunk_kib=chunk_kib
        )
        return [*never(moving, odd), *fixed]
    members = len(plan.members)
    return [
        _raid0_grown(plan, capacity),
        _raid0_chunk(plan, capacity),
        yes("raid10", say("As near copies, two of each."), more_disks(members)),
        yes("raid4", say("The disk takes the parity."), more_disks(1)),
        _raid0_to_raid5(plan, capacity),
        *fixed,
    ]


def _raid0_grown(plan: MdArray, capacity: Capacity) -> Possibility:
    """Grow raid0 through raid4; without headroom the new disk holds the backup, and mdadm omits the last step."""
    members, chunk = len(plan.members), 2 * plan.effective_chunk_kib
    stripes = Restripe((members, members + 1), (chunk, chunk))
    if not stripes.fits_the_cache:
        return no("more-members", NO_CACHE)
    how = say("md turns it into raid4 for the time of the reshape, and back.")
    if stripes.finds(room_of(plan, capacity)):
        return yes("more-members", how, more_disks(1))
    if not stripes.fits_a_backup(component_sectors(capacity)):
        return no("more-members", TOO_SMALL)
    return yes("more-members", how, more_disks(1), finish("raid0"))


def _raid0_chunk(plan: MdArray, capacity: Capacity) -> Possibility:
    """Change raid0's chunk through raid4."""
    members, component = len(plan.members), component_sectors(capacity)
    if members == 1:
        return no("chunk", say("mdadm fails at it with a single member."))
    divisor_kib = component // 2 & -(component // 2)
    found = restriped_chunk(plan.effective_chunk_kib, divisor_kib, members, room_of(plan, capacity), component)
    found = replace(found, conditions=tuple(_never_larger(one, divisor_kib, members) for one in found.conditions))
    if any(need.needs is Needs.BACKUP_FILE for need in found.conditions):
        return yes(found.change, found.reason, *found.conditions, finish("raid0"))
    return found


def _never_larger(condition: Condition, divisor_kib: int, members: int) -> Condition:
    """Warn of a larger chunk: mdadm knows no size of raid0's members, and the kernel checks the array's size alone.

    A chunk that divides the array but not a member is begun; then reads fail, and the data is lost (seen with mdadm
    4.2, Linux 6.1: two members of 19 MiB, 512 KiB to 2 MiB).
    """
    if condition.needs is not Needs.CHUNK or condition.value != divisor_kib or members % 2:
        return condition
    sentence = say("{sizes} Never a larger one: md begins it and loses the data.", sizes=condition.sentence)
    return replace(condition, sentence=sentence)


def _raid0_to_raid5(plan: MdArray, capacity: Capacity) -> Possibility:
    chunk, members = 2 * plan.effective_chunk_kib, len(plan.members)
    stripes = Restripe((members, members), (chunk, chunk))
    if members == 1 or (stripes.fits_the_cache and stripes.finds(room_of(plan, capacity))):
        return yes("raid5", say("The disk takes the parity."), more_disks(1))
    last = Condition(
        Needs.LAYOUT, say("Say --layout=parity-last; from there any other layout is a step of its own."), "parity-last"
    )
    return yes("raid5", say("At once, with the parity on the new disk."), more_disks(1), last)


def _raid1(plan: MdArray, capacity: Capacity) -> list[Possibility]:
    whole_blocks = capacity.component_size_kib % 4 == 0
    to_raid5 = len(plan.members) == 2 and whole_blocks
    return [
        yes("more-members", say("Each more is one more copy, not more space."), more_disks(1)),
        yes("larger-members", say("When all members are replaced by larger ones.")),
        *never(("chunk", "layout"), say("raid1 has neither chunks nor a layout.")),
        _raid1_to_raid0(whole_blocks),
        yes("raid5", say("As raid5 of two, to which disks can be added."))
        if to_raid5
        else no("raid5", say("Only a mirror of exactly two members, of a multiple of 4 KiB, becomes raid5.")),
        *never(("raid4", "raid6"), say("Only by way of raid5.") if to_raid5 else say("md has no way there from here.")),
        no("raid10", say("md has no way from raid1 to raid10.")),
    ]


def _raid1_to_raid0(whole_blocks: bool) -> Possibility:
    if whole_blocks:
        return yes("raid0", say("As raid0 of one disk; the other copies are given up."))
    return no(
        "raid0", say("Its size is no multiple of 4 KiB. Don't ask: mdadm throws the copies out before it finds that.")
    )


_RULES: dict[Level, Callable[[MdArray, Capacity], list[Possibility]]] = {
    Level.LINEAR: _linear,
    Level.RAID0: _raid0,
    Level.RAID1: _raid1,
    Level.RAID4: parity,
    Level.RAID5: parity,
    Level.RAID6: parity,
    Level.RAID10: raid10,
}
