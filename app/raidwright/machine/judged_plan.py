"""The plan of any array, running or not, with what is known of its disks: to be assessed as a plan is.

A stopped array's geometry is in its superblocks; of a running one the kernel has it (``array_plan``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raidwright.core.errors import InputError
from raidwright.core.md.assembly import Assembly, MemberHere, MemberState
from raidwright.core.md.layouts import layout_name
from raidwright.core.md.member_superblock import HAS_BITMAP, HAS_JOURNAL, HAS_MANY_PPLS, HAS_PPL
from raidwright.core.model.assumed import ASSUMED
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Bitmap, Member, Plan
from raidwright.core.protocol.facts import ArrayFacts

from .array_plan import plan_of
from .states.volume import State
from .values import Array, ArrayDevice, Snapshot

_HOURS_A_YEAR = 8766.0


def judged_plan(array: State, snapshot: Snapshot) -> Plan:
    """Return the plan of ``array`` with its disks' ages; raises InputError, with the reason, if no plan can express it.

    A member that isn't here, or doesn't agree, is missing in the plan.
    """
    disks = {disk.id: disk for disk in snapshot.disks}
    if isinstance(array, Array) and not array.running and not array.make:
        array = _as_assembled(array, disks)
    return plan_of(array, snapshot.arrays).each_disk(lambda member: _aged(member, disks))


def judged_disks(snapshot: Snapshot) -> Mapping[str, Disk]:
    """Return the machine's disks by id as for an array of them that exists: what they hold is that array's own."""
    return {disk.id: replace(disk, uses=()) for disk in snapshot.disks}


def _aged(member: Member, disks: Mapping[str, Disk]) -> Member:
    disk = disks.get(member.disk or member.id)
    hours = disk.health.power_on_hours if disk is not None else None
    age_years = None if hours is None else round(hours / _HOURS_A_YEAR, 1)
    if age_years is None or ASSUMED["age_years"].refusal(age_years):
        return member
    return replace(member, age_years=age_years)


def _as_assembled(array: Array, disks: Mapping[str, Disk]) -> Array:
    """Return the stopped ``array`` as md would have it, from its superblocks."""
    known = array.assembly
    if known is None:
        raise InputError(
            "The superblocks of “{name}” couldn't be read, so nothing can be said of it.",
            code="card-unsayable",
            name=array.name,
        )
    members = {member.id: member for member in array.members}
    places = tuple(_place(one, members, disks) for one in known.here_in_detail if _counts(one))
    return replace(array, places=places, slots=known.slots, level=known.level, chunk_kib=known.geometry.chunk_kib,
                   size_bytes=0, facts=_facts(known, places))  # fmt: skip


def _counts(one: MemberHere) -> bool:
    return one.state in (MemberState.AGREES, MemberState.SPARE, MemberState.JOURNAL)


def _place(one: MemberHere, members: Mapping[str, Member], disks: Mapping[str, Disk]) -> ArrayDevice:
    member = members.get(one.id)
    disk = disks.get(member.disk or member.id) if member else None
    states = {MemberState.AGREES: "in_sync", MemberState.JOURNAL: "journal"}.get(one.state, "spare")
    slot = one.slot if one.state is MemberState.AGREES else None
    return ArrayDevice(slot, f"/dev/{one.id}", (states,), member, disk.link if disk else "")


def _facts(known: Assembly, places: tuple[ArrayDevice, ...]) -> ArrayFacts:
    shape, features = known.geometry, known.geometry.features
    offsets = {one.id: one.data_offset_sectors for one in known.here_in_detail}
    log = "journal" if features & HAS_JOURNAL else "ppl" if features & (HAS_PPL | HAS_MANY_PPLS) else ""
    bitmap = Bitmap.LOCKLESS if shape.is_lockless else Bitmap.INTERNAL if features & HAS_BITMAP else ""
    return ArrayFacts(
        level=known.level,
        layout=layout_name(known.level, shape.layout),
        metadata=known.metadata,
        bitmap=str(bitmap),
        consistency=log,
        component_size_kib=shape.component_sectors // 2,
        data_offset_sectors=tuple((place.device.removeprefix("/dev/"), offsets[place.device.removeprefix("/dev/")])
                                  for place in places),
        slots=known.slots,
        chunk_kib=shape.chunk_kib,
        reshapes=known.reshapes,
    )  # fmt: skip
