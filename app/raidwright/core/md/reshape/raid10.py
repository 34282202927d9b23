"""Later changes of raid10.

Sources: mdadm ``Grow.c`` (``analyse_change``, ``raid10_reshape``); kernel ``raid10.c`` (``raid10_check_reshape``,
``raid10_start_reshape``, ``raid10_resize``), ``raid0.c raid0_takeover_raid10``. A raid10 reshape always moves the data
offset; it can't use a backup file.
"""

from __future__ import annotations

from raidwright.core.md.capacity import Capacity
from raidwright.core.md.layouts import Copies
from raidwright.core.md.superblock import usable_sectors
from raidwright.core.messages import say
from raidwright.core.model.plan import MdArray

from .possibility import Condition, Needs, Possibility, chunk_up_to, more_disks, never, no, yes
from .room import Room, device_sectors, room_of

_LOSES = say("Don't: mdadm begins it without a word, and the data is lost. {why} (tried on Linux 6.1).")
# ``raid10_start_reshape`` has set the new geometry by the time it refuses to shrink the array, and keeps it.
_SCRAMBLES = say(
    "Don't: the kernel refuses it, and yet reads and writes by the new layout until the array is stopped and started; "
    "what is written meanwhile spoils the data (tried on Linux 6.1)."
)


def raid10(plan: MdArray, capacity: Capacity) -> list[Possibility]:
    """List raid10's changes: near and offset can grow, offset can become near with as many copies, far can't change."""
    copies, room = plan.copies, room_of(plan, capacity)
    others = never(("raid1", "raid4", "raid5", "raid6"), say("md can change raid10 into raid0 alone."))
    if copies.far > 1 and not copies.offset:
        moving = ("more-members", "larger-members", "chunk", "layout", "raid0")
        return [*never(moving, say("md can't reshape a far layout.")), *others]
    return [
        _grown(plan, copies, room),
        yes("larger-members", say("When all members are replaced by larger ones.")),
        _chunk(plan, capacity, copies, room),
        _layout(plan, capacity, copies, room),
        _raid0(plan, capacity, copies),
        *others,
    ]


def _least_move(plan: MdArray, copies: Copies) -> int:
    return 2 * plan.effective_chunk_kib * copies.far


def _grown(plan: MdArray, copies: Copies, room: Room) -> Possibility:
    if room.before < _least_move(plan, copies):
        return no(
            "more-members", say("It needs room before the data, which this metadata or data offset doesn't leave.")
        )
    return yes("more-members", say("Any number, odd ones too."), more_disks(1))


def _no_room(change: str) -> Possibility:
    return no(change, say("It needs room beside the data, which this metadata or data offset doesn't leave."))


def _chunk(plan: MdArray, capacity: Capacity, copies: Copies, room: Room) -> Possibility:
    chunk_kib = plan.effective_chunk_kib
    if room.either < _least_move(plan, copies):
        return _no_room("chunk")
    if copies.offset:
        why = say("The kernel goes on placing the copies by the old chunk")
        return Possibility("chunk", possible=False, reason=say(_LOSES, why=why), loses_data=True)
    divisors = capacity.component_size_kib | capacity.array_sectors // 2
    most = min(divisors & -divisors, 1 << (room.either // 2).bit_length() - 1)
    return chunk_up_to(most, chunk_kib)


def _layout(plan: MdArray, capacity: Capacity, copies: Copies, room: Room) -> Possibility:
    chunk = 2 * plan.effective_chunk_kib
    if room.either < chunk * copies.total:
        return _no_room("layout")
    if copies.offset:
        only = say("Only --layout=n{total}: neither far nor another number of copies.", total=copies.total)
        to = Condition(Needs.LAYOUT, only, f"n{copies.total}")
        return yes("layout", say("To near, with the same {total} copies.", total=copies.total), to, _RESTART)
    if room.after >= room.before and 2 * capacity.component_size_kib % (chunk * copies.total):
        return Possibility("layout", possible=False, reason=_SCRAMBLES, loses_data=True)
    why = say("The kernel writes the copies beyond the members' end")
    return Possibility("layout", possible=False, reason=say(_LOSES, why=why), loses_data=True)


_RESTART = Condition(
    Needs.RESTART,
    say("Stop and start the array right afterwards: a disk replaced before that crashes the kernel (tried on 6.1)."),
)


def _raid0(plan: MdArray, capacity: Capacity, copies: Copies) -> Possibility:
    if copies.offset:
        return no("raid0", say("Only the layout n2 becomes raid0; an offset layout becomes near first."))
    if copies.near != 2 or len(plan.members) % 2:
        return no("raid0", say("Only the layout n2 on an even number of members becomes raid0."))
    chunk = 2 * plan.effective_chunk_kib
    offset = next(offset for offset in capacity.data_offset_sectors if offset is not None)
    kept = [
        usable_sectors(plan.metadata, sectors, offset, 0) // chunk for sectors in device_sectors(plan, capacity)[::2]
    ]
    if sum(chunks > min(kept) for chunks in kept) > 1:
        return no(
            "raid0", say("The members differ in size, and the kernel starts no raid0 of theirs without a layout.")
        )
    return yes("raid0", say("One copy is kept, and the other disks are set free."))
