"""Single moves that md can make from a plan: the mdadm options of each, and the plan that it results in.

The rules are those of ``reshape`` (``possibilities``), which ``make prove`` holds against real arrays; this module adds
the shape afterwards. Sources: kernel ``raid5.c`` (``raid5_takeover_raid1``: the chunk; ``raid6_takeover``,
``raid5_takeover_raid6``), ``raid0.c`` (``raid0_takeover_raid45``, ``raid0_takeover_raid10``), mdadm ``Grow.c``
(``analyse_change``, ``set_new_data_offset``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from raidwright.core.errors import InputError
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level, default_layout
from raidwright.core.md.reshape.possibility import Needs, Possibility, yes
from raidwright.core.md.reshape.room import Restripe, Room, component_sectors, room_of
from raidwright.core.messages import say
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Metadata

_TAKEOVER_CHUNK_KIB = 64  # raid5_takeover_raid1


@dataclass(frozen=True, slots=True)
class Transition:
    """One ``mdadm --grow``. ``possibility`` is its rule; ``disks`` are the spares that it makes members.

    ``restripes``: all data are laid out anew. ``freed`` are former members.
    """

    possibility: Possibility
    options: tuple[str, ...]
    after: MdArray
    disks: tuple[Member, ...] = ()
    restripes: bool = False
    takes_backup: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """End of a search: level, layout and chunk; None for any layout or chunk."""

    level: Level
    layout: str | None = None
    chunk_kib: int | None = None


def shaped(plan: MdArray) -> MdArray:
    """Return ``plan`` with chunk, layout, component size and data offset written out, as those of a running array."""
    capacity = capacity_of(plan)
    offsets = [offset for offset in capacity.data_offset_sectors if offset]
    has_offset = plan.metadata in (Metadata.V1_1, Metadata.V1_2)
    return replace(
        plan,
        layout=plan.effective_layout,
        chunk_kib=plan.effective_chunk_kib or None,
        component_size_kib=component_sectors(capacity) // 2 if plan.level is not Level.LINEAR else None,
        data_offset_kib=offsets[0] // 2 if has_offset and offsets else None,
    )


def without_log(plan: MdArray) -> MdArray:
    """Return the plan without its partial parity log, which the kernel reshapes nothing with."""
    return replace(plan, consistency=None) if plan.consistency is Consistency.PPL else plan


def transitions(
    plan: MdArray, rules: tuple[Possibility, ...], target: Target, waiting: tuple[Member, ...] = ()
) -> Iterator[Transition]:
    """Yield the moves from ``plan`` (``shaped``) that may lead to ``target``.

    ``waiting`` are the new disks for a level without spares, which takes disks with a move alone.
    """
    pool = plan.spares if plan.level.is_redundant else waiting
    for rule in rules:
        if not rule.possible:
            continue
        if rule.change == "more-members":
            yield from _grown(plan, rule, pool)
        elif rule.change == "chunk":
            if plan.level is target.level and target.chunk_kib and target.chunk_kib != plan.chunk_kib:
                yield from _with_chunk(plan, rule, target.chunk_kib)
        elif rule.change == "layout":
            if plan.level is target.level and target.layout and target.layout != plan.layout:
                yield from _with_layout(plan, rule, target.layout)
        elif rule.change in set(Level):
            yield from _with_level(plan, rule, Level(rule.change), pool)


def _needs(rule: Possibility, need: Needs) -> int | str | None:
    return next((each.value for each in rule.conditions if each.needs is need), None)


def _has(rule: Possibility, need: Needs) -> bool:
    return any(each.needs is need for each in rule.conditions)


def _grown(plan: MdArray, rule: Possibility, pool: tuple[Member, ...]) -> Iterator[Transition]:
    """Yield growths by every number of the spares; linear takes one at a time, by --add alone."""
    layout = _needs(rule, Needs.LAYOUT)
    is_linear = plan.level is Level.LINEAR
    for count in range(1, (min(len(pool), 1) if is_linear else len(pool)) + 1):
        spares = pool[count:] if plan.level.is_redundant else ()
        after = replace(plan, members=(*plan.members, *pool[:count]), spares=spares)
        options = [f"--raid-devices={len(after.members)}", *([f"--layout={layout}"] if layout else [])]
        options = [] if is_linear else options
        restripes = plan.level not in (Level.RAID1, Level.LINEAR)
        after = _moved(plan, after) if restripes else after
        if _is_sound(after):
            yield Transition(rule, tuple(options), after, pool[:count], restripes, _lacks_room(plan, after))


def _lacks_room(plan: MdArray, after: MdArray) -> bool:
    """Return whether a parity array's reshape can't move its data offset. (A growth then uses the new disk.)"""
    return False if len(after.members) > len(plan.members) else not _restripe(plan, after).finds(_room(plan))


def _room(plan: MdArray) -> Room:
    return room_of(plan, capacity_of(plan))


def _restripe(plan: MdArray, after: MdArray) -> Restripe:
    data = tuple(max(1, len(each.members) - each.level.parity_disks) for each in (plan, after))
    chunks = tuple(2 * (each.chunk_kib or 0) for each in (plan, after))
    return Restripe((data[0], data[1]), (chunks[0], chunks[1]))


def _moved(plan: MdArray, after: MdArray) -> MdArray:
    """Return ``after`` with the data offset that mdadm chooses, as far as it can be foreseen, so that rules use it."""
    if plan.data_offset_kib is None or not plan.chunk_kib:
        return after
    grows = len(after.members) > len(plan.members)
    step = _restripe(plan, after).unit // max(1, len(plan.members) - plan.level.parity_disks) // 2 if grows else 0
    room_kib = room_of(plan, capacity_of(plan)).before // 2
    moved_kib = step if grows else room_kib // 2 // plan.chunk_kib * plan.chunk_kib
    return replace(after, data_offset_kib=plan.data_offset_kib - moved_kib) if moved_kib <= room_kib else after


def _with_chunk(plan: MdArray, rule: Possibility, chunk_kib: int) -> Iterator[Transition]:
    most = _needs(rule, Needs.CHUNK)
    if most is None or chunk_kib > int(most) or chunk_kib & (chunk_kib - 1):
        return
    goes_without = _needs(rule, Needs.BACKUP_FILE)
    takes_backup = _has(rule, Needs.BACKUP_FILE) and (goes_without is None or chunk_kib > int(goes_without))
    layout = _needs(rule, Needs.LAYOUT)
    after = _moved(plan, replace(plan, chunk_kib=chunk_kib))
    options = (f"--chunk={chunk_kib}", *([f"--layout={layout}"] if layout else []))
    if _is_sound(after):
        yield Transition(rule, options, after, restripes=True, takes_backup=takes_backup)


def _with_layout(plan: MdArray, rule: Possibility, layout: str) -> Iterator[Transition]:
    required = _needs(rule, Needs.LAYOUT)
    if required is not None and required != layout:
        return
    at_once = plan.level is Level.RAID5 and len(plan.members) == 2
    after = replace(plan, layout=layout)
    yield Transition(
        rule,
        (f"--layout={layout}",),
        after if at_once else _moved(plan, after),
        restripes=not at_once,
        takes_backup=_has(rule, Needs.BACKUP_FILE),
    )


def _with_level(plan: MdArray, rule: Possibility, level: Level, pool: tuple[Member, ...]) -> Iterator[Transition]:
    """Yield the change of level; the disks that it gives up become spares, or are free where there are none."""
    count = int(_needs(rule, Needs.DISKS) or 0)
    if count > len(pool):
        return
    layout = _needs(rule, Needs.LAYOUT)
    members = _members_of(plan, level, pool[:count])
    kept = {member.id for member in members if isinstance(member, Member)}
    freed = tuple(one for one in plan.members if isinstance(one, Member) and one.id not in kept)
    after = replace(
        plan,
        level=level,
        members=members,
        spares=(*pool[count:], *freed) if level.is_redundant else (),
        layout=_layout_of(plan, level, str(layout) if layout else None),
        chunk_kib=_chunk_of(plan, level),
        bitmap=plan.bitmap if level.is_redundant else Bitmap.NONE,
        consistency=None,
    )
    restripes = _restripes(plan, level)
    options = [f"--level={level}"]
    if len(members) != len(plan.members) and level is not Level.RAID0:
        options.append(f"--raid-devices={len(members)}")
    options += [f"--layout={layout}"] if layout else []
    after = _moved(plan, after) if restripes else after
    if _is_sound(after):
        backup = _has(rule, Needs.BACKUP_FILE)
        yield Transition(rule, tuple(options), after, pool[:count], restripes, backup)


def _members_of(plan: MdArray, level: Level, new: tuple[Member, ...]) -> tuple[Member | MdArray | None, ...]:
    members = plan.members
    match plan.level, level:
        case (Level.RAID6, Level.RAID5) | (Level.RAID5 | Level.RAID4, Level.RAID0):
            return members[:-1]
        case (Level.RAID1, Level.RAID0):
            return members[:1]
        case (Level.RAID10, Level.RAID0):
            return members[::2]
        case (Level.RAID0, Level.RAID10):
            return tuple(each for pair in zip(members, new, strict=True) for each in pair)
    return (*members, *new)


def _layout_of(plan: MdArray, level: Level, said: str | None) -> str | None:
    if said == "preserve":
        return plan.layout if (plan.layout or "").endswith("-6") else f"{plan.layout}-6"
    if said:
        return said
    if plan.level is Level.RAID4 and level is Level.RAID5:
        return "parity-last"
    if plan.level is Level.RAID6 and level is Level.RAID5:
        return (plan.layout or "").removesuffix("-6")
    if plan.level is Level.RAID5 and level is Level.RAID6:
        return plan.layout
    return default_layout(level)


def _chunk_of(plan: MdArray, level: Level) -> int | None:
    """Return the chunk afterwards: raid5 made of raid1 takes 64 KiB, or the largest power of two below that fits."""
    if not level.is_chunked:
        return None
    if plan.level is Level.RAID1 and level is Level.RAID5:
        component = plan.component_size_kib or 0
        return min(_TAKEOVER_CHUNK_KIB, component & -component)
    if plan.level is Level.RAID1:
        return 4
    return plan.chunk_kib


def _restripes(plan: MdArray, level: Level) -> bool:
    """Return whether the change of level lays all data out anew; the others are takeovers within a moment."""
    match plan.level, level:
        case (Level.RAID5, Level.RAID6):
            return True  # even with --layout=preserve Q is computed, as a rebuild of the new disk
        case (Level.RAID6, Level.RAID5):
            return plan.layout != "parity-last" and not (plan.layout or "").endswith("-6")
        case (Level.RAID5, Level.RAID0 | Level.RAID4):
            return plan.layout != "parity-last"
        case (Level.RAID0, Level.RAID4 | Level.RAID5 | Level.RAID10):
            return True
    return False


def fewer(plan: MdArray, slots: int) -> Transition | None:
    """Return the parity array's shrinking to ``slots`` members, the freed ones becoming spares; None if md can't.

    The data offset can't move the way that this would need ("Cannot set new_offset", tried with mdadm 4.2), so mdadm
    is given a backup file.
    """
    lowest = plan.level.parity_disks + 1 + (plan.level is Level.RAID6)
    if not plan.level.parity_disks or slots < max(2, lowest) or plan.is_nested:
        return None
    freed = tuple(member for member in plan.members[slots:] if isinstance(member, Member))
    after = replace(plan, members=plan.members[:slots], spares=(*plan.spares, *freed))
    stripes = _restripe(plan, after)
    if not stripes.fits_the_cache or not stripes.fits_a_backup(2 * (plan.component_size_kib or 0)):
        return None
    rule = yes("fewer-members", say("What lies beyond the new end is cut off, so what is on the array shrinks first."))
    return Transition(rule, (f"--raid-devices={slots}",), after, (), restripes=True, takes_backup=True)


def largest(plan: MdArray) -> MdArray:
    """Return the plan with the largest component size that the members allow at their data offset."""
    capacity = capacity_of(replace(plan, component_size_kib=None))
    return replace(plan, component_size_kib=component_sectors(capacity) // 2)


def _is_sound(plan: MdArray) -> bool:
    try:
        capacity_of(plan)
    except InputError:
        return False
    return True
