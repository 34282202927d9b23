"""Growth of a joined volume onto the room that its disks have: a new disk's, or that of larger disks in others' places.

The boundaries of its arrays stay. From the lowest array up, each disk that isn't in it and has room for a slice of its
size widens it, if md can reshape it without a backup file; on what is left then, new arrays are made above, each where
one more disk has room than may fail. LVM's volume takes the new extents, and what is on it grows to the new end.

All of it follows from the volume as it is, so that whoever resumes a growth computes what is left: slices that are
spares of their arrays have joined already, and an array that isn't LVM's yet is made already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raidwright.core.errors import InputError
from raidwright.core.lvm.possibilities import volume_possibilities
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.changes.refusals import OVER_ARRAYS, standing_refusals
from raidwright.core.md.changes.steps import GROWN, ungrown
from raidwright.core.md.changes.values import (
    ArrayContent,
    ArrayStanding,
    ChangeKind,
    ChangeStep,
    ChangeWay,
    ChangeWish,
)
from raidwright.core.md.changes.ways import NOT_FEWER, way_of_shape
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import inner_name
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import JOINED, LinearVolume, MdArray, Member, Piece

from .bands import band_of, is_thin, slice_of
from .capacity import volume_capacity
from .joined import (
    EXTENT_SECTORS,
    data_start_sectors,
    extents_of,
    partitionable_bytes,
    sector_bytes_of,
)
from .values import VolumeGrowth, VolumeStep, VolumeWay
from .whole_disks import keeps_copies, tolerance_of, whole_disks

_AGAIN = say("What is done stays; the same change continues with what is left.")
_UNSEEN = ArrayStanding(content=ArrayContent("LVM2_member"))
_SHRINK_ONLY = say("Raidwright doesn't shrink joined volumes.")


@dataclass(frozen=True, slots=True)
class VolumeStanding:
    """Running state of a joined volume: that of each array, and the volume's content.

    ``starts`` are the first sectors of LVM's extents on the arrays, None for one that isn't LVM's yet; () where nobody
    has looked: as a new volume would have them. ``size_sectors`` is the volume's present size, 0 if unknown.
    """

    bands: tuple[ArrayStanding, ...] = ()
    starts: tuple[int | None, ...] = ()
    content: ArrayContent | None = None
    size_sectors: int = 0


@dataclass(slots=True)
class _Growing:
    """A volume being grown: the room of each disk, and the slices that it has been given so far."""

    plan: LinearVolume
    standing: VolumeStanding
    disks: Mapping[str, Member]
    used_bytes: dict[str, int]
    slices: dict[str, int]  # the number of each disk's slices
    given: list[Member] = field(default_factory=list)
    ways: dict[int, ChangeWay] = field(default_factory=dict)
    left_out: list[Message] = field(default_factory=list)

    @property
    def room(self) -> dict[str, int]:
        """Bytes free on each disk above its slices."""
        return {
            name: partitionable_bytes(disk.size_bytes, sector_bytes_of(disk)) - self.used_bytes[name]
            for name, disk in self.disks.items()
        }

    def give(self, name: str, size_bytes: int) -> Member:
        """Return the next slice of the disk."""
        self.slices[name] += 1
        self.used_bytes[name] += size_bytes
        made = slice_of(self.disks[name], self.slices[name], size_bytes)
        self.given.append(made)
        return made

    def give_back(self, slices: Sequence[Member]) -> None:
        """Undo ``give`` for the last ``slices``."""
        for one in slices:
            self.given.remove(one)
            self.slices[one.failure_unit] -= 1
            self.used_bytes[one.failure_unit] -= one.size_bytes


def refused_way(volume: LinearVolume, wish: ChangeWish) -> VolumeWay:
    """Return the way to another change than a growth, which no volume has, with the reasons."""
    reasons = {rule.change: rule.reason for rule in volume_possibilities() if not rule.possible}
    asked = (wish.level and str(wish.level), wish.chunk_kib and "chunk", wish.layout and "layout")
    refusals = tuple(dict.fromkeys(reasons[change] for change in asked if change in reasons))
    count, slots = len(volume.arrays), wish.slots
    if wish.level is None and slots is not None and slots <= count:
        refusals = (NOT_FEWER,) if slots < count else ()
    elif not refusals:
        refusals = (say("md has no way there from {level} on {slots} members.", level=JOINED, slots=count),)
    return VolumeWay(wish, volume, volume, (), (OVER_ARRAYS, *refusals))


def volume_way(plan: LinearVolume, wish: ChangeWish, standing: VolumeStanding | None = None) -> VolumeWay:
    """Return the way from the joined ``plan``, a volume as it is, to all that it can use with ``wish.add``.

    A way without steps and refusals is one whose end has been reached. Steps that are an array's have its plans before
    and after, under its own name; the others have the volume's.
    """
    standing = standing or VolumeStanding()
    refusals = [*_standing_refusals(plan, standing)]
    if refusals:
        return VolumeWay(wish, plan, plan, (), tuple(refusals))
    growing = _begun(plan, wish, standing)
    bands = [*_widened(growing)]
    made = len(bands)
    bands += _above(growing)
    unused = [disk for disk in wish.add if disk.id not in {one.failure_unit for band in bands for one in band.disks()}]
    if unused:
        return VolumeWay(wish, plan, plan, (), (*growing.left_out, *map(_useless, unused)))
    after = _with_starts(replace(plan, arrays=tuple(bands), pieces=()), standing)
    try:
        sectors = volume_capacity(after).array_sectors
    except InputError as error:
        return VolumeWay(wish, plan, plan, (), (error.sentence,))
    steps = (*_steps(growing, after, made, sectors),)
    notes = (*growing.left_out, *ungrown(standing.content, sectors))
    return VolumeWay(wish, plan, after, steps, left_out=notes)


def growth_goal(way: VolumeWay) -> VolumeGrowth:
    """Return the goal of ``way``, from which the helper works out the rest by the volume itself."""
    return VolumeGrowth(way.wish.add, len(whole_disks(way.after)), way.wish.larger)


def _standing_refusals(plan: LinearVolume, standing: VolumeStanding) -> Iterator[Message]:
    if any(member is None for band in plan.arrays for member in band.members):
        yield say("A disk is missing. Replace it first: a change without it would leave nothing to fall back on.")
        return
    for place, one in enumerate(standing.bands):
        if one.busy == "check":
            yield say("{array}: md checks it; pause that first.", array=inner_name(plan.name, place))
        for why in standing_refusals(plan.arrays[place], one, ChangeWish()):
            yield say("{array}: {why}", array=inner_name(plan.name, place), why=why)


def _begun(plan: LinearVolume, wish: ChangeWish, standing: VolumeStanding) -> _Growing:
    here = {disk.id: disk for disk in whole_disks(plan)}
    disks = {**here, **{disk.id: disk for disk in wish.add if disk.id not in here}}
    used, counts = dict.fromkeys(disks, 0), dict.fromkeys(disks, 0)
    for one in plan.disks():
        used[one.failure_unit] += one.size_bytes
        counts[one.failure_unit] += 1
    return _Growing(plan, standing, disks, used, counts)


def _widened(growing: _Growing) -> Iterator[MdArray]:
    """Yield each array as it becomes; its way is in ``growing.ways``."""
    for place, band in enumerate(growing.plan.arrays):
        named = replace(band, name=inner_name(growing.plan.name, place), homehost=growing.plan.homehost)
        inside = {one.failure_unit for one in band.disks()}
        size_bytes = min(one.size_bytes for one in band.disks())
        coming = [name for name, room in growing.room.items() if name not in inside and room >= size_bytes]
        slices = [growing.give(name, size_bytes) for name in coming]
        way = _band_way(growing, place, named, slices)
        if slices and not way.possible:
            growing.give_back(slices)
            growing.left_out.append(say("{array} stays as it is: {why}", array=named.name, why=way.refusals[0]))
            way = _band_way(growing, place, named, [])
        growing.ways[place] = way
        yield replace(way.after, name=band.name, homehost=band.homehost) if way.steps else band


def _band_way(growing: _Growing, place: int, band: MdArray, slices: Sequence[Member]) -> ChangeWay:
    add = (*band.spares, *slices)
    standing = growing.standing.bands[place] if place < len(growing.standing.bands) else _UNSEEN
    level = _level(growing.plan, band, len(add))
    if level is Level.RAID1:
        more = (say("Another copy would add no space, and md makes nothing else of these copies."),) if add else ()
        return ChangeWay(ChangeWish(), band, band, way_of_shape(band, ChangeWish(), standing).steps, more)
    way = way_of_shape(band, ChangeWish(add=add, level=level, slots=len(band.members) + len(add)), standing)
    if way.possible and way.takes_backup:
        return replace(way, refusals=(say("It would take a backup file, which joined volumes do without."),))
    return way


def _level(plan: LinearVolume, band: MdArray, count: int) -> Level:
    """Return the level of the array with ``count`` more members: a mirror of two becomes raid5 unless copies rule."""
    is_pair = band.level is Level.RAID1 and len(band.members) == 2
    return Level.RAID5 if count and is_pair and tolerance_of(plan) == 1 and not keeps_copies(plan) else band.level


def _above(growing: _Growing) -> Iterator[MdArray]:
    """Yield the new arrays, lowest first."""
    tolerance, copies = tolerance_of(growing.plan), keeps_copies(growing.plan)
    while True:
        room = {
            name: free
            for name, free in growing.room.items()
            if free > 0 and not is_thin(free, growing.used_bytes[name])
        }
        if len(room) <= tolerance:
            return
        size_bytes = min(room.values())
        slices = [growing.give(name, size_bytes) for name in room]
        band = band_of(slices, tolerance, copies=copies)
        if not _has_extents(band):
            growing.give_back(slices)
            return
        yield band


def _has_extents(band: MdArray) -> bool:
    try:
        return extents_of(band, capacity_of(band).array_sectors) > 0
    except InputError:  # too small for md
        return False


def _useless(disk: Member) -> Message:
    return say(
        "{disk} adds nothing: it has no room for a slice of an array that md can widen, and too few other disks have "
        "room beside it for a new one.",
        disk=disk.serial or disk.id,
    )


def _with_starts(plan: LinearVolume, standing: VolumeStanding) -> LinearVolume:
    """Return the plan with the arrays' true first extents, where they aren't those of a new volume."""
    starts = [
        data_start_sectors(band) if place >= len(standing.starts) or standing.starts[place] is None
        else standing.starts[place] or 0
        for place, band in enumerate(plan.arrays)
    ]  # fmt: skip
    if starts == [*map(data_start_sectors, plan.arrays)]:
        return plan
    pieces = []
    for place, (band, start) in enumerate(zip(plan.arrays, starts, strict=True)):
        extents = (capacity_of(band).array_sectors - start) // EXTENT_SECTORS
        pieces.append(Piece(place, start, extents * EXTENT_SECTORS))
    return replace(plan, pieces=tuple(pieces))


def _steps(growing: _Growing, after: LinearVolume, made: int, sectors: int) -> Iterator[ChangeStep | VolumeStep]:
    """Yield the steps; ``made`` is the number of arrays that are there, ``sectors`` the volume's size at the end."""
    plan = growing.plan
    survives = tolerance_of(plan)
    for name in dict.fromkeys(one.failure_unit for one in growing.given):
        own = tuple(one for one in growing.given if one.failure_unit == name)
        yield _partition_step(plan, after, own, survives)
    steps = [step for place in sorted(growing.ways) for step in growing.ways[place].steps]
    for wanted in (True, False):  # a disk's slices all join first
        for step in steps:
            if (step.kind is ChangeKind.ADD) is wanted:
                yield replace(step, survives=min(step.survives, survives))
    starts = growing.standing.starts
    new = tuple(place for place in range(len(after.arrays)) if place >= made)
    for place in new:
        yield _create_step(plan, after, place, survives)
    unjoined = (*(place for place, start in enumerate(starts) if start is None), *new)
    is_short = not growing.standing.size_sectors or growing.standing.size_sectors < sectors
    if unjoined or (is_short and (steps or growing.standing.size_sectors)):
        yield _extend_step(plan, after, unjoined, survives)
    if step_above := _content_step(after, growing.standing.content, sectors, survives):
        yield step_above


def _partition_step(plan: LinearVolume, after: LinearVolume, slices: tuple[Member, ...], survives: int) -> VolumeStep:
    is_new = slices[0].partition == 1
    kept = say("The old table is kept in /var/lib/raidwright/tables; the partitions are free until they join.")
    erased = say("Until the first slice has joined, what the disk held at the places written to is put back.")
    return VolumeStep(
        ChangeKind.PARTITION,
        plan,
        after,
        disks=slices,
        survives=survives,
        power_cut=_AGAIN,
        way_back=erased if is_new else kept,
    )


def _create_step(plan: LinearVolume, after: LinearVolume, place: int, survives: int) -> ChangeStep:
    band = replace(after.arrays[place], name=inner_name(plan.name, place), homehost=plan.homehost)
    return ChangeStep(
        ChangeKind.CREATE,
        band,
        band,
        disks=tuple(band.disks()),
        survives=survives,
        power_cut=_AGAIN,
        way_back=say("Until LVM has it, it is an empty array that can be taken apart."),
    )


def _extend_step(plan: LinearVolume, after: LinearVolume, places: tuple[int, ...], survives: int) -> VolumeStep:
    return VolumeStep(
        ChangeKind.EXTEND,
        plan,
        after,
        bands=places,
        survives=survives,
        power_cut=say("LVM's metadata are as before or as after it."),
        way_back=_SHRINK_ONLY,
    )


def _content_step(after: LinearVolume, content: ArrayContent | None, sectors: int, survives: int) -> VolumeStep | None:
    if content is None or content.kind not in GROWN or not content.mounted_at:
        return None
    if content.sectors is not None and content.sectors >= sectors - sectors // 1000 - 2048:
        return None
    return VolumeStep(
        ChangeKind.GROW_CONTENT,
        after,
        after,
        survives=survives,
        power_cut=say("The file system's journal keeps it whole; it is grown once more if it hasn't grown."),
        way_back=_SHRINK_ONLY,
    )
