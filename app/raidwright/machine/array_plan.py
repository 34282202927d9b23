"""Plan of a running array, so that a recovery card can be made of it at any time.

The geometry comes from the kernel (the helper's facts, from sysfs): udev's, which UDisks2 reports, isn't updated by any
event after a --grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.joined import EXTENT_SECTORS, UNTOLD, VOLUME, data_start_sectors, extents_of
from raidwright.core.md.foreign_make import make_name
from raidwright.core.md.layouts import Level
from raidwright.core.md.superblock import own_bitmap_chunk_kib
from raidwright.core.messages import Message, say
from raidwright.core.model.names import is_array_name, is_host_name
from raidwright.core.model.plan import FLAGS, Bitmap, Consistency, LinearVolume, MdArray, Member, Metadata, Piece, Plan
from raidwright.core.protocol.facts import ArrayFacts

from .states.volume import State, Volume
from .values import Array, ArrayDevice

_POLICIES = {"ppl": Consistency.PPL}


def plan_of(array: State, arrays: Sequence[State] = ()) -> Plan:
    """Return the plan of ``array`` as it is now, members in their slots and empty slots left empty.

    ``arrays`` are the machine's, among which the inner arrays of ``array`` are found. Raises InputError for an array
    that a plan can't express exactly: its capacity must equal the array's size. Of a joined volume the plan is that of
    all of its arrays.
    """
    if isinstance(array, Volume):
        return _joined_plan(array, arrays)
    facts = _sayable(array)
    has_offset = facts.metadata in (Metadata.V1_1, Metadata.V1_2)
    plan = Plan(
        MdArray(
            level=Level(facts.level or array.level),
            members=tuple(_member(array, slot, arrays) for slot in range(array.slots)),
            name=plan_name(array),
            layout=facts.layout or None,
            chunk_kib=array.chunk_kib or None,
            metadata=Metadata(facts.metadata),
            bitmap=Bitmap(facts.bitmap or Bitmap.NONE),
            component_size_kib=facts.component_size_kib or None,
            data_offset_kib=_offset_sectors(array, facts) // 2 or None if has_offset else None,
            consistency=_POLICIES.get(facts.consistency),
            journal=_journal(array),
            spares=tuple(member for place in array.places if place.is_spare and (member := _flagged(place))),
            homehost=array.homehost if is_host_name(array.homehost) else "",
        )
    )
    plan = plan.on(replace(plan.array, bitmap_chunk_kib=_bitmap_chunk_kib(plan, facts)))
    size_bytes = facts.size_bytes or array.size_bytes
    if (size_bytes or array.running) and capacity_of(plan.top).array_sectors * 512 != size_bytes:
        raise _unsayable(array, say("its size is another than these members make"))
    return plan


def _joined_plan(volume: Volume, arrays: Sequence[State]) -> Plan:
    if not volume.running:
        raise _unsayable(volume, say("its volume isn't active, so nothing tells how LVM joins its arrays; start it"))
    own = f"{volume.name.replace('-', '--')}-{VOLUME}"  # as device-mapper calls it
    others = {name for band in volume.bands if band.facts for name in band.facts.holders} - {own}
    if others:
        why = say("LVM has other than one linear volume on its arrays ({names:and})", names=sorted(others))
        raise _unsayable(volume, why)
    if (kind := volume.other_kind) == UNTOLD:
        raise _unsayable(volume, say("neither LVM's backup nor device-mapper's table tells how LVM joins its arrays"))
    if kind:
        raise _unsayable(
            volume, say("LVM doesn't join its arrays one after the other; the volume is {kind}", kind=kind)
        )
    bands = tuple(replace(plan_of(band, arrays).array, name="md0", homehost="") for band in volume.bands)
    lost = _partly_here(bands)
    bands = tuple(
        replace(band, members=tuple(None if _is_of(member, lost) else member for member in band.members))
        for band in bands
    )
    homehost = volume.homehost if is_host_name(volume.homehost) else ""
    plan = Plan(LinearVolume(bands, volume.name, homehost, _pieces(volume, bands)))
    try:
        sectors = capacity_of(plan.top).array_sectors
    except PlanRefused as refused:
        raise InputError(
            "“{name}” can't be written down as a plan. {why}",
            code="card-unsayable",
            name=volume.name,
            why=refused.sentence,
        ) from refused
    if volume.size_bytes and sectors * 512 != volume.size_bytes:
        raise _unsayable(volume, say("its size is another than one volume over all of its arrays has"))
    return plan


def _pieces(volume: Volume, bands: Sequence[MdArray]) -> tuple[Piece, ...]:
    """Return the volume's pieces; () if they are those of a new one, or unknown."""
    placed = []
    for place, band in enumerate(volume.bands):
        told = band.facts.pieces if band.facts else ()
        if not told:
            return ()
        placed += [(at, Piece(place, start, sectors)) for at, start, sectors in _by_threes(told)]
    found = tuple(piece for _, piece in sorted(placed, key=lambda one: one[0]))
    built = (
        Piece(place, data_start_sectors(band), extents_of(band, capacity_of(band).array_sectors) * EXTENT_SECTORS)
        for place, band in enumerate(bands)
    )
    return () if found == tuple(built) else found


def _by_threes(told: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the numbers by threes."""
    yield from zip(told[::3], told[1::3], told[2::3], strict=True)


def _partly_here(bands: Sequence[MdArray]) -> frozenset[str]:
    """Return the disks of which a slice is missing before another: they count as lost in all arrays."""
    numbers: dict[str, list[int]] = {}
    for band in bands:
        for member in band.disks():
            numbers.setdefault(member.failure_unit, []).append(member.partition or 0)
    return frozenset(disk for disk, found in numbers.items() if sorted(found) != list(range(1, len(found) + 1)))


def _is_of(member: Member | MdArray | None, disks: frozenset[str]) -> bool:
    return isinstance(member, Member) and member.failure_unit in disks


def plan_name(array: State) -> str:
    """Return the name of ``array`` in a plan: its own, or its device node's if it has none (metadata 0.90)."""
    return array.name if is_array_name(array.name) else array.device.rpartition("/")[2]


def inner_uuids(array: State, arrays: Sequence[State]) -> tuple[str, ...]:
    """Return the UUIDs of the inner arrays of ``array``, in slot order; "" for a slot without one."""
    if isinstance(array, Volume):
        return tuple(band.uuid for band in array.bands)
    found = (_inner(place, arrays) if (place := _of_slot(array, slot)) else None for slot in range(array.slots))
    uuids = tuple(one.uuid if one else "" for one in found)
    return uuids if any(uuids) else ()


def _sayable(array: Array) -> ArrayFacts:
    """Return the array's facts; raises InputError, with the reason, for an array that no plan can express."""
    facts = array.facts
    if facts is None or not (array.slots or array.make):
        raise _unsayable(array, say("its layout can't be read without the helper"))
    if facts.reshapes:
        raise _unsayable(array, say("it is being reshaped, so it has two shapes; try again when that has ended"))
    if array.make:
        why = say("it is {make}, which the firmware and mdmon look after", make=make_name(array.make))
        raise _unsayable(array, why)
    if (facts.level or array.level) not in set(Level) or facts.metadata not in set(Metadata):
        why = say(
            "Raidwright doesn't know {level} with metadata {metadata}", level=array.level, metadata=facts.metadata
        )
        raise _unsayable(array, why)
    if facts.bitmap and facts.bitmap not in set(Bitmap):
        raise _unsayable(array, say("plans don't support its bitmap ({kind})", kind=facts.bitmap))
    if facts.consistency == "journal" and _journal(array) is None:
        raise _unsayable(array, say("it has a write journal that is no disk or partition"))
    return facts


def _offset_sectors(array: Array, facts: ArrayFacts) -> int:
    """Return the data offset common to all members; a journal's and spares' don't count."""
    devices = {place.device.rpartition("/")[2] for place in array.places if place.slot is not None}
    known = {sectors for name, sectors in facts.data_offset_sectors if name in devices}
    if len(known) > 1:
        raise _unsayable(array, say("the data begin at different places on its members"))
    return next(iter(known), 0)


def _journal(array: Array) -> Member | None:
    return next((place.member for place in array.places if "journal" in place.states and place.member), None)


def _bitmap_chunk_kib(plan: Plan, facts: ArrayFacts) -> int | None:
    """Return the bitmap's chunk if it differs from mdadm's default."""
    capacity = capacity_of(plan.top)
    component = 2 * (capacity.component_size_kib or 0)
    covered = capacity.array_sectors if plan.array.level is Level.RAID10 else component
    own_kib = own_bitmap_chunk_kib(covered, component)
    is_internal = plan.array.bitmap is Bitmap.INTERNAL
    return facts.bitmap_chunk_kib if is_internal and facts.bitmap_chunk_kib not in (0, own_kib) else None


def _member(array: Array, slot: int, arrays: Sequence[State]) -> Member | MdArray | None:
    """Return the device that works in the slot, else the one being rebuilt: a disk, a partition, or an array."""
    place = _of_slot(array, slot)
    if place is None:
        return None
    if place.member is not None:
        return _flagged(place)
    if not place.device:
        raise _unsayable(array, say("UDisks2 doesn't tell yet which device is in slot {slot}; look again", slot=slot))
    inner = _inner(place, arrays)
    if inner is None:
        why = say("its member {device} is no disk, no partition and no array", device=place.device)
        raise _unsayable(array, why)
    return replace(plan_of(inner, arrays).array, name="md0", homehost="")


def _flagged(place: ArrayDevice) -> Member | None:
    """The member with md's flags on it (sysfs ``md/dev-*/state``)."""
    flags = {state.replace("_", "-") for state in place.states}
    return place.member and place.member.flagged(flags & set(FLAGS))


def _of_slot(array: Array, slot: int) -> ArrayDevice | None:
    """Return the working one of two devices in a slot; of two working ones the one that isn't being replaced."""
    here = [place for place in array.places if place.slot == slot and not place.has_failed]
    here.sort(key=lambda place: (not place.works, "want_replacement" in place.states))
    return here[0] if here else None


def _inner(place: ArrayDevice, arrays: Sequence[State]) -> Array | None:
    return next((one for one in arrays if isinstance(one, Array) and one.device == place.device), None)


def _unsayable(array: State, why: Message) -> InputError:
    return InputError(
        "“{name}” can't be written down as a plan: {why}.", code="card-unsayable", name=array.name, why=why
    )
