"""An array that runs as the plan that it is, so that a recovery card can be made of it at any time."""

from __future__ import annotations

from raidwright.core.errors import InputError
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, Consistency, Member, Metadata, Plan

from .values import Array

_POLICIES = {"ppl": Consistency.PPL}


def plan_of(array: Array) -> Plan:
    """The plan of ``array`` as it stands, members in their slots and what is missing left empty.

    Raises InputError for what a plan can't say exactly: it has to come to the array's very size.
    """
    facts = array.facts
    if facts is None or not array.slots:
        raise _unsayable(array, "its layout can't be read without the helper")
    if array.level not in set(Level) or facts.metadata not in set(Metadata):
        raise _unsayable(array, f"Raidwright doesn't know {array.level} with metadata {facts.metadata}")
    if facts.consistency == "journal" or facts.bitmap == "file":
        raise _unsayable(array, "it has a journal or a bitmap outside of it")
    if any(place.member is None for place in array.places):
        raise _unsayable(array, "other arrays are among its members")
    offsets = {sectors for _, sectors in facts.data_offset_sectors}
    if len(offsets) > 1:
        raise _unsayable(array, "the data begin at different places on its members")
    has_offset = facts.metadata in (Metadata.V1_1, Metadata.V1_2)
    plan = Plan(
        level=Level(array.level),
        members=tuple(_member(array, slot) for slot in range(array.slots)),
        name=array.name,
        layout=facts.layout or None,
        chunk_kib=array.chunk_kib or None,
        metadata=Metadata(facts.metadata),
        bitmap=Bitmap.INTERNAL if facts.bitmap == "internal" else Bitmap.NONE,
        component_size_kib=facts.component_size_kib or None,
        data_offset_kib=next(iter(offsets), 0) // 2 or None if has_offset else None,
        consistency=_POLICIES.get(facts.consistency),
        spares=tuple(place.member for place in array.places if place.is_spare and place.member),
    )
    if capacity_of(plan).array_sectors * 512 != array.size_bytes:
        raise _unsayable(array, "its size is another than these members make")
    return plan


def _member(array: Array, slot: int) -> Member | None:
    """Who works in the slot, or else who is about to; of two, the one that doesn't leave."""
    here = [place for place in array.places if place.slot == slot and not place.has_failed]
    here.sort(key=lambda place: (not place.works, "want_replacement" in place.states))
    return here[0].member if here else None


def _unsayable(array: Array, why: str) -> InputError:
    return InputError(
        "“{name}” can't be written down as a plan: {why}.", code="card-unsayable", name=array.name, why=why
    )
