"""The proof of a rescue's attempt: its members' stripes, compared on the disks before anything is laid over them.

A member that lost its superblock must prove by its data that it belongs there: a file system's check reads metadata
alone, which may lie on the other members.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.md.layouts import Level, layout_name
from raidwright.core.md.member_superblock import (
    RECOVERING,
    REPLACES,
    RESHAPES,
    MemberSuperblock,
    newest_superblock,
    raid0_layouts_agree,
)
from raidwright.core.md.rescue.search import shape_of
from raidwright.core.md.rescue.stripes import Compared, Proof, StripeShape
from raidwright.core.model.plan import MdArray, Member
from raidwright.core.model.rescue_attempt import RescueWay

from raidwright_helper.host.guards import person_name
from raidwright_helper.host.host import Host
from raidwright_helper.host.sampled import Part, blocks_at, compared
from raidwright_helper.host.superblocks import read_superblock

from .rescue_disks import HeldAttempt


@dataclass(frozen=True, slots=True)
class Proven:
    """The comparison, what it says, and the members that it contradicts, by name.

    ``is_needed``: a member has no superblock of the array. ``tells_order``: the members' places are proven as well;
    ``tells_order_by_start``: they are if the array begins with what belongs there.
    """

    found: Compared
    proof: Proof
    contradicted: tuple[str, ...] = ()
    is_needed: bool = False
    tells_order: bool = True
    tells_order_by_start: bool = True


async def prove(host: Host, held: HeldAttempt) -> Proven:
    """Compare stripes of the attempt's members, on the disks themselves, read-only."""
    superblocks = [read_superblock(one.fd, host.size_bytes(one.number)) for one in held.devices]
    if held.attempt.plan is not None:
        return await _of_plan(held, held.attempt.plan, superblocks)
    return await _of_superblocks(held, superblocks)


async def _of_plan(held: HeldAttempt, array: MdArray, superblocks: Sequence[MemberSuperblock | None]) -> Proven:
    uuid, begins = held.attempt.uuid, (array.data_offset_kib or 0) * 1024
    at = {member.id: place for place, member in enumerate(held.attempt.members)}
    slots = {slot: at[member.id] for slot, member in enumerate(array.members) if isinstance(member, Member)}
    own = {slot for slot, place in slots.items() if uuid and (one := superblocks[place]) and one.uuid == uuid}
    shape = shape_of(array)
    parts = {slot: Part(held.devices[place].fd, begins) for slot, place in slots.items()}
    found = await compared(shape, parts)
    starts = await asyncio.to_thread(_told_by_start, shape, parts)
    doubtful = slots.keys() - own
    blank = [held.attempt.members[slots[slot]] for slot in found.blank if slot in doubtful]
    return Proven(
        found,
        found.proof(doubtful),
        tuple(map(person_name, blank)),
        is_needed=bool(doubtful),
        tells_order=_tells_order(shape, found, doubtful, slots),
        tells_order_by_start=_tells_order(shape, found, doubtful, slots, starts),
    )


def _told_by_start(shape: StripeShape, parts: Mapping[int, Part]) -> set[int]:
    """Return the pairs of slots, numbered as in ``Compared``, without whose order the array would begin otherwise."""
    starts = {slot: blocks_at(part.fd, [part.begins]).get(part.begins) for slot, part in parts.items()}
    home = shape.first_slot
    if starts.get(home) is None:
        return set()
    others = {slot for slot, start in starts.items() if start is not None and start != starts[home]}
    return {min(home, slot) * shape.slots + max(home, slot) for slot in others}


def _tells_order(
    shape: StripeShape,
    found: Compared,
    doubtful: Collection[int],
    slots: Collection[int],
    told: Collection[int] = (),
) -> bool:
    """Return whether the comparison also says which disk is in which slot, or there is no choice."""
    has_choice = shape.has_places and (len(doubtful) > 1 or (bool(doubtful) and len(slots) < shape.slots))
    missing = set(range(shape.slots)) - set(slots)
    if found.by_content:
        return not has_choice or found.tells_order(doubtful)
    return not has_choice or shape.tells_order or found.tells_order({*doubtful, *missing}, told)


async def _of_superblocks(held: HeldAttempt, superblocks: Sequence[MemberSuperblock | None]) -> Proven:
    known = {place: one for place, one in enumerate(superblocks) if one is not None and one.uuid == held.attempt.uuid}
    newest = newest_superblock(known.values()) if known else None
    if newest is None or newest.feature_map & RESHAPES or newest.level not in set(Level):
        return Proven(Compared(), Proof.UNTOLD)
    level = Level(newest.level)
    shape = StripeShape(
        level,
        newest.slots,
        newest.component_sectors * 512,
        newest.chunk_sectors * 512,
        layout_name(level, newest.layout) or None,
    )
    parts = {
        one.slot: Part(held.devices[place].fd, one.data_offset_sectors * 512)
        for place, one in known.items()
        if one.slot is not None and one.slot < newest.slots and not one.feature_map & (RECOVERING | REPLACES)
    }
    found = await compared(shape, parts)
    return Proven(
        found, found.proof(()), is_needed=held.attempt.way.is_layout and not raid0_layouts_agree(known.values())
    )


def is_refuted(held: HeldAttempt, proven: Proven) -> bool:
    """Return whether the stripes rule out superblocks made anew in this way."""
    return held.attempt.way is RescueWay.CREATE and proven.proof is Proof.CONTRADICTS
