"""Three ways to more space or more safety for an array that exists: a disk more, larger disks, a safer level.

Each is worked out with the free disks, or, where they don't suffice, with imagined ones to buy. Ways that don't exist
keep md's reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.analysis.layers.survival import survival_of
from raidwright.core.errors import PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.values import AnyWay, VolumeWay
from raidwright.core.lvm.volume_changes import VolumeStanding, volume_way
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.changes.exchange import exchanged
from raidwright.core.md.changes.transitions import largest, shaped
from raidwright.core.md.changes.values import ArrayStanding, ChangeWay, ChangeWish
from raidwright.core.md.changes.ways import way_to
from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Layer, LinearVolume, MdArray, Member

TO_BUY = "disk-to-buy-"  # begins the id of an imagined disk
_WORTH = 1.01  # a gain or loss of space below this is rounding
_LARGER_BY = 1.5
_SIZES_TB = (0.5, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
_NO_REST = say(
    "Nothing is unused on its disks. Replace one by a larger disk; what that has more can be used as soon as enough "
    "others are as large."
)
_SMALL_SPARE = say("Its spare has room for no more than now; take it out of the array first.")
_SAME_SAFETY = say("A joined volume keeps the number of disks that may fail; plan a new one for another.")


class GrowthKind(StrEnum):
    """The kinds, in the order in which they are shown."""

    MORE = "more"
    LARGER = "larger"
    SAFER = "safer"


@dataclass(frozen=True, slots=True)
class GrowthChoice:
    """A way of one kind. ``here`` are free disks that it takes, ``lacking`` imagined ones that have to be bought.

    ``begin`` is the way that can be begun with what is here: all of ``way``, or the first of its exchanges; None if
    none can. A ``way`` with ``refusals`` doesn't exist.
    """

    kind: GrowthKind
    way: AnyWay
    here: tuple[Member, ...] = ()
    lacking: tuple[Member, ...] = ()
    begin: AnyWay | None = None

    @property
    def is_possible(self) -> bool:
        """True if md can make the change, be it with disks to buy."""
        return self.way.possible and bool(self.way.steps)


def growth_choices(
    top: Layer, free: Sequence[Member], standing: ArrayStanding | VolumeStanding | None = None
) -> tuple[GrowthChoice, ...]:
    """Return a choice of each kind for ``top``, an array as it is, and the ``free`` disks beside it."""
    if isinstance(top, LinearVolume):
        return _of_volume(top, free, standing if isinstance(standing, VolumeStanding) else None)
    known = standing if isinstance(standing, ArrayStanding) else None
    return _more(top, free, known), _larger(top, free, known), _safer(top, free, known)


def advised(choices: Iterable[GrowthChoice]) -> GrowthChoice | None:
    """Return the first choice that makes the array bigger and can be begun now."""
    return next((one for one in choices if one.begin is not None and one.kind is not GrowthKind.SAFER), None)


def _more(array: MdArray, free: Sequence[Member], standing: ArrayStanding | None) -> GrowthChoice:
    level = Level.RAID5 if array.level is Level.RAID1 else None  # another copy would add no space
    return _with_a_disk(GrowthKind.MORE, array, free, standing, (level,))


def _safer(array: MdArray, free: Sequence[Member], standing: ArrayStanding | None) -> GrowthChoice:
    levels: dict[Level, tuple[Level | None, ...]] = {
        Level.RAID0: (Level.RAID5,),
        Level.RAID1: (None,),
        Level.RAID6: (),
    }
    found = levels.get(array.level, (Level.RAID6,))
    if not found:
        return GrowthChoice(GrowthKind.SAFER, _refused(array, _not_safer(array)))
    return _with_a_disk(GrowthKind.SAFER, array, free, standing, found)


def _with_a_disk(
    kind: GrowthKind,
    array: MdArray,
    free: Sequence[Member],
    standing: ArrayStanding | None,
    levels: Sequence[Level | None],
) -> GrowthChoice:
    """Return the way with a spare of the array's own, else with the smallest free disk that serves, else with a new."""
    more = len(array.members) + 1
    if array.spares:
        for level in levels:
            way = _way(array, ChangeWish(level=level, slots=more), standing)
            if _serves(kind, way):
                return GrowthChoice(kind, way, begin=way)
    for disk in _candidates(array, free):
        for level in levels:
            way = _way(array, ChangeWish(add=(disk,), level=level), standing)
            if _serves(kind, way):
                return GrowthChoice(kind, way, (disk,), begin=way)
    bought = _to_buy(array, 1)
    ways = [_way(array, ChangeWish(add=bought, level=level), standing) for level in levels]
    served = next((way for way in ways if _serves(kind, way)), None)
    if served is not None:
        return GrowthChoice(kind, served, lacking=bought)
    return GrowthChoice(kind, next((way for way in ways if not way.possible), _refused(array, _no_gain(kind, array))))


def _no_gain(kind: GrowthKind, array: MdArray) -> Message:
    if kind is GrowthKind.SAFER:
        return _not_safer(array)
    return say("Another disk would add no space to {level} here.", level=array.level)


def _serves(kind: GrowthKind, way: AnyWay) -> bool:
    """Return whether the way leads to more space without less safety, or to more safety without less space."""
    if not way.possible or not way.steps:
        return False
    before, after = (capacity_of(layer).array_bytes for layer in (way.before, way.after))
    was, becomes = (survival_of(layer).most() for layer in (way.before, way.after))
    if kind is GrowthKind.SAFER:
        return becomes > was and after * _WORTH >= before
    return after >= before * _WORTH and becomes >= was


def _larger(array: MdArray, free: Sequence[Member], standing: ArrayStanding | None) -> GrowthChoice:
    kind, now = GrowthKind.LARGER, shaped(array)
    if not array.level.is_redundant or array.is_nested:
        first = free[:1] or _to_buy(array, 1)
        return GrowthChoice(kind, _way(array, ChangeWish(larger=True, exchange=tuple(first)), standing))
    done = exchanged(now)
    if done.count == done.members and largest(now).component_size_kib != now.component_size_kib:
        way = _way(array, ChangeWish(larger=True), standing)
        return GrowthChoice(kind, way, begin=way if way.possible else None)
    least = _smallest(array).size_bytes
    needed = done.members - done.count
    here = tuple(disk for disk in _candidates(array, free, each=True) if disk.size_bytes > _WORTH * least)[:needed]
    size_bytes = min((disk.size_bytes for disk in here), default=_next_size(least))
    lacking = _to_buy(array, needed - len(here), size_bytes)
    way = _way(array, ChangeWish(larger=True, exchange=(*here, *lacking)), standing)
    if way.possible and not _serves(kind, way):
        return GrowthChoice(kind, _refused(array, _SMALL_SPARE))
    begun = way if not lacking else _way(array, ChangeWish(larger=True, exchange=here), standing)
    begin = begun if here and begun.possible and begun.steps and way.possible else None
    return GrowthChoice(kind, way, here, lacking, begin)


def _of_volume(
    volume: LinearVolume, free: Sequence[Member], standing: VolumeStanding | None
) -> tuple[GrowthChoice, ...]:
    return (
        _volume_with_a_disk(volume, free, standing),
        _rest_of_volume(volume, standing),
        GrowthChoice(GrowthKind.SAFER, VolumeWay(ChangeWish(), volume, volume, (), (_SAME_SAFETY,))),
    )


def _volume_with_a_disk(volume: LinearVolume, free: Sequence[Member], standing: VolumeStanding | None) -> GrowthChoice:
    kind, own = GrowthKind.MORE, whole_disks(volume)
    ordered = _each_size(sorted(free, key=lambda disk: (disk.size_bytes, disk.id)))
    ways = [(disk, volume_way(volume, ChangeWish(add=(disk,)), standing)) for disk in ordered]
    served = [(disk, way) for disk, way in ways if _serves(kind, way)]
    if served:
        disk, way = max(served, key=lambda one: capacity_of(one[1].after).array_bytes)
        return GrowthChoice(kind, way, (disk,), begin=way)
    bought = (_new(max(own, key=lambda disk: disk.size_bytes), 1),)
    way = volume_way(volume, ChangeWish(add=bought), standing)
    return GrowthChoice(kind, way, lacking=bought if way.possible else ())


def _rest_of_volume(volume: LinearVolume, standing: VolumeStanding | None) -> GrowthChoice:
    way = volume_way(volume, ChangeWish(larger=True), standing)
    if not way.possible or _serves(GrowthKind.LARGER, way):
        return GrowthChoice(GrowthKind.LARGER, way, begin=way if way.possible else None)
    return GrowthChoice(GrowthKind.LARGER, VolumeWay(ChangeWish(larger=True), volume, volume, (), (_NO_REST,)))


def _candidates(array: MdArray, free: Sequence[Member], *, each: bool = False) -> Iterator[Member]:
    """Yield the free disks of the members' kind first, the smallest first; one of each size, unless ``each``."""
    is_flash = _smallest(array).is_flash
    ordered = sorted(free, key=lambda disk: (disk.is_flash is not is_flash, disk.size_bytes, disk.id))
    yield from ordered if each else _each_size(ordered)


def _each_size(disks: Iterable[Member]) -> Iterator[Member]:
    seen = set[tuple[int, int | None, bool]]()
    for disk in disks:
        key = disk.size_bytes, disk.sector_bytes, disk.is_flash
        if key not in seen:
            seen.add(key)
            yield disk


def _smallest(array: MdArray) -> Member:
    """Return the array's smallest disk."""
    return min(array.disks(), key=lambda disk: disk.size_bytes)


def _next_size(size_bytes: int) -> int:
    """Return the size that is sold next, at least half as large again."""
    least = _LARGER_BY * size_bytes / _WORTH  # a disk has a little more than its label says
    return next((int(tb * 1e12) for tb in _SIZES_TB if tb * 1e12 >= least), int(least))


def _to_buy(array: MdArray, count: int, size_bytes: int | None = None) -> tuple[Member, ...]:
    """Return new disks like the array's smallest one, or as large as ``size_bytes``."""
    like = _smallest(array)
    return tuple(_new(like, number, size_bytes) for number in range(1, count + 1))


def _new(like: Member, number: int, size_bytes: int | None = None) -> Member:
    whole = size_bytes or like.size_bytes
    return replace(
        like, id=f"{TO_BUY}{number}", serial="", disk=None, partition=None, disk_size_bytes=None,
        size_bytes=whole, age_years=None,
    )  # fmt: skip


def _way(array: MdArray, wish: ChangeWish, standing: ArrayStanding | None) -> ChangeWay:
    """Return the way; a disk that md refuses, since it is too small, is a refusal of the way."""
    try:
        return way_to(array, wish, standing)
    except PlanRefused as refused:
        return ChangeWay(wish, array, array, (), (refused.sentence,))


def _not_safer(array: MdArray) -> Message:
    return say("md makes nothing of {level} in which more disks may fail than now.", level=array.level)


def _refused(array: MdArray, why: Message) -> ChangeWay:
    return ChangeWay(ChangeWish(), array, array, (), (why,))
