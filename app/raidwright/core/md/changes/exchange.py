"""Members exchanged for larger disks, one after the other, until the array can use what all of them have more.

md copies a member onto the disk that takes its place (``--replace``), so redundancy stays meanwhile. Which members have
been exchanged is seen from the array itself: a disk that is a member needs no step. Sources: mdadm(8), Manage mode
(``--replace``, ``--with``); kernel ``raid5.c`` and ``raid10.c`` (``*_spare_active``: the copied member becomes faulty).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from raidwright.core.errors import InputError
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import MdArray, Member

from .steps import exchange_step
from .transitions import largest
from .values import ChangeStep, ChangeWish

_WORTH = 1.01  # disks of one class differ by less


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The members that have more space than the array uses of each, of all of them."""

    count: int
    members: int

    @property
    def is_under_way(self) -> bool:
        """True if some members are larger, and others keep the array from using that."""
        return 0 < self.count < self.members


def exchanged(plan: MdArray) -> Exchanged:
    """Return how many members of ``plan`` (``shaped``) could hold a component worth growing to."""
    sizes = [member.size_bytes for member in plan.members if isinstance(member, Member)]
    return Exchanged(sum(_reaches(plan, size) for size in sizes), len(plan.members))


def _reaches(plan: MdArray, size_bytes: int) -> bool:
    members = tuple(
        replace(member, size_bytes=size_bytes) if isinstance(member, Member) else member for member in plan.members
    )
    try:
        most = largest(replace(plan, members=members)).component_size_kib or 0
    except InputError:  # too small for what the array uses
        return False
    return most > _WORTH * (plan.component_size_kib or 0)


def exchanges(plan: MdArray, new: Sequence[Member]) -> Iterator[ChangeStep]:
    """Yield the steps that bring ``new`` into the places of smaller members, the smallest and first one first.

    A disk that finds no smaller member yields none (``exchange_refusals`` says so).
    """
    for disk in new:
        if (slot := _slot_for(plan, disk, new)) is not None:
            step = exchange_step(plan, slot, disk)
            yield step
            plan = step.after


def exchange_refusals(plan: MdArray, wish: ChangeWish) -> Iterator[Message]:
    """Yield the reasons why the disks of ``wish`` can't take members' places."""
    is_shaped = wish.add or wish.layout or wish.chunk_kib or wish.consistency
    other = wish.level not in (None, plan.level) or wish.slots not in (None, len(plan.members))
    if is_shaped or other:
        yield say("Larger disks in members' places and another change at once: do one after the other.")
    if not plan.level.is_redundant:
        yield say("{level} has no copies or parity, so md can't copy a member onto another disk.", level=plan.level)
        return
    for step in exchanges(plan, wish.exchange):
        plan = step.after
    here = {member.id for member in plan.members if isinstance(member, Member)}
    for disk in wish.exchange:
        if disk.id not in here:
            yield say("{disk} has no place: no member is smaller than it.", disk=disk.serial or disk.id)


def under_way(plan: MdArray) -> Message:
    """Return the progress of an exchange: how many members are larger."""
    done = exchanged(plan)
    return say(
        "{count} of {members} members are larger than what the array uses of each; it can grow once all of them are.",
        count=done.count,
        members=done.members,
    )


def _slot_for(plan: MdArray, disk: Member, new: Sequence[Member]) -> int | None:
    """Return the slot of the smallest member that isn't among ``new``; None if ``disk`` is in, or no larger."""
    ours = {one.id for one in new}
    if any(isinstance(member, Member) and member.id == disk.id for member in plan.members):
        return None
    smaller = [
        (member.size_bytes, slot)
        for slot, member in enumerate(plan.members)
        if isinstance(member, Member) and member.id not in ours and member.size_bytes < disk.size_bytes
    ]
    return min(smaller)[1] if smaller else None
