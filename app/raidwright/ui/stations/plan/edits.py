"""Transformations of plans: a change of level, layout or disks. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.errors import InputError
from raidwright.core.lvm.bands import banded
from raidwright.core.lvm.whole_disks import disk_ids, keeps_copies, slice_on, tolerance_of
from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB, Level
from raidwright.core.model.plan import FLAGS, Bitmap, Consistency, Layer, MdArray, Member, Metadata, Plan

from .chunks import with_chunk

# mdadm's default chunk (mdadm Create.c, since 3.1).
CHUNKS_KIB = tuple(4 << step for step in range(11))  # 4 KiB … 4 MiB
_MAX_COPIES = 4
_MIN_WORKING = {Level.RAID1: 2, Level.RAID4: 3, Level.RAID5: 3, Level.RAID6: 4, Level.RAID10: 2}
NESTED = {Level.RAID1: 2, Level.RAID5: 3, Level.RAID6: 4}  # levels of inner arrays, and their minimum numbers of disks

Members = tuple[Member, ...]


def first_plan(members: Members) -> Plan:
    """Return a plausible first plan for ``members``."""
    level = {2: Level.RAID1, 3: Level.RAID5, 4: Level.RAID10}.get(len(members), Level.RAID6)
    return with_level(Plan(MdArray(level, members, name="tank", bitmap=Bitmap.INTERNAL)), level, members)


def with_level(plan: Plan, level: Level, pool: Members) -> Plan:
    """Return ``plan`` at ``level``, without options that it doesn't support and with defaults for those it needs.

    A nested plan becomes a plain one on the whole ``pool``, as does one that leaves out disks of it.
    """
    plan, disks = plan.on(as_array(plan.top)), tuple(plan.disks())
    if plan.array.is_nested or {disk.id for disk in disks} != {disk.id for disk in pool}:
        disks = pool
    layout = plan.array.layout if level is plan.array.level and not plan.array.is_nested else None
    if layout is None and level is not Level.RAID4 and (level is Level.RAID10 or level.parity_disks):
        layout = "n2" if level is Level.RAID10 else "left-symmetric"
    if plan.array.journal is not None and not (level.parity_disks and plan.array.level.parity_disks):
        plan = _without_journal(plan)
    consistency = plan.array.consistency if level is plan.array.level or plan.array.journal else None
    bitmap = Bitmap.NONE if not level.is_redundant else plan.array.bitmap
    if level.is_redundant and (not plan.array.level.is_redundant or plan.array.consistency is not consistency):
        bitmap = Bitmap.INTERNAL
    chunk_kib = (chunk_of(plan) or DEFAULT_CHUNK_KIB) if level.is_chunked else None
    changed = plan.on(
        replace(plan.array, level=level, layout=layout, bitmap=bitmap, chunk_kib=chunk_kib, consistency=consistency)
    )
    return fit_flags(
        _with_members(changed, disks, len(plan.array.spares), missing_in(plan) if level is plan.array.level else 0)
    )


def _with_members(plan: Plan, disks: Members, spares: int, missing: int) -> Plan:
    """Return ``plan`` on ``disks``: the smallest ones as ``spares``, and ``missing`` empty slots at the end.

    A journal that is among the disks stays the journal; without it, a bitmap takes its place.
    """
    if plan.array.journal is not None:
        log_id = plan.array.journal.id
        journal = next((disk for disk in disks if disk.id == log_id), None)
        disks = tuple(disk for disk in disks if disk is not journal)
        plan = plan.on(replace(plan.array, journal=journal)) if journal is not None else _without_journal(plan)
    spares = min(spares, most_spares(plan.array.level, len(disks)))
    idle = sorted(disks, key=lambda disk: disk.size_bytes, reverse=True)[len(disks) - spares :]
    working = tuple(disk for disk in disks if disk not in idle)
    return plan.on(replace(plan.array, members=(*working, *(None,) * missing), spares=tuple(idle)))


def most_spares(level: Level, disks: int) -> int:
    """Return the maximum of spares for ``level`` on ``disks`` disks."""
    return max(0, disks - _MIN_WORKING[level]) if level in _MIN_WORKING else 0


def _without_journal(plan: Plan) -> Plan:
    bitmap = Bitmap.INTERNAL if plan.array.level.is_redundant else Bitmap.NONE
    return plan.on(replace(plan.array, journal=None, bitmap=bitmap, consistency=None))


def with_journal(plan: Plan, disk_id: str) -> Plan:
    """Return ``plan`` with that of its disks as the write journal, and the others as members and spares; "": without.

    The journal takes the place of a bitmap and of the partial parity log.
    """
    disks = tuple(plan.disks())
    journal = next((disk for disk in disks if disk.id == disk_id), None)
    changed = plan.on(replace(plan.array, bitmap=Bitmap.NONE, consistency=None, journal=journal))
    if journal is None:
        changed = _without_journal(plan)
    return fit_flags(_with_members(changed, disks, len(plan.array.spares), missing_in(plan)))


def can_spare_a_journal(plan: Plan) -> bool:
    """Return whether ``plan`` has a journal, or a disk more than its level needs."""
    array = as_array(plan.top)
    return array.journal is not None or most_spares(array.level, len(tuple(plan.disks()))) > 0


def missing_in(plan: Plan) -> int:
    """Return the number of empty slots."""
    return as_array(plan.top).members.count(None)


def with_spares(plan: Plan, spares: int) -> Plan:
    """Return ``plan`` with ``spares`` of its disks as spares."""
    return fit_flags(_with_members(plan, tuple(plan.disks()), spares, missing_in(plan)))


def with_missing(plan: Plan, missing: int) -> Plan:
    """Return ``plan`` with ``missing`` empty slots in addition to its disks, for disks added later."""
    return _with_members(plan, tuple(plan.disks()), len(plan.array.spares), missing)


def with_resync(plan: Plan, how: str) -> Plan:
    """Return ``plan`` resynced after a crash by a bitmap (``internal``), a partial parity log (``ppl``) or in full.

    A journal gives way to the first two.
    """
    if plan.array.journal is not None:
        if how == "none":
            return plan
        plan = with_journal(plan, "")
    if how == "ppl":
        return plan.on(replace(plan.array, bitmap=Bitmap.NONE, consistency=Consistency.PPL))
    return plan.on(replace(plan.array, bitmap=Bitmap(how), consistency=None))


def resync_of(plan: Plan) -> str:
    """Return ``internal``, ``lockless``, ``ppl`` or ``none``."""
    return "ppl" if as_array(plan.top).consistency is Consistency.PPL else str(as_array(plan.top).bitmap)


def with_first_sync(plan: Plan, how: str) -> Plan:
    """Return ``plan`` with an initial resync (``run``), or with --assume-clean (``skip``)."""
    return plan.on(replace(plan.array, assume_clean=how == "skip"))


def group_counts(level: Level, disks: int) -> tuple[int, ...]:
    """Return the numbers of equal arrays of ``level`` that ``disks`` disks can be divided into."""
    most = disks // NESTED[level]
    return tuple(count for count in range(2, most + 1) if disks % count == 0)


def first_groups(level: Level, disks: int) -> int:
    """Return the default number of groups: pairs for mirrors, as few as possible for parity."""
    counts = group_counts(level, disks)
    return counts[-1] if level is Level.RAID1 else counts[0]


def groups_of(plan: Plan) -> str:
    """Return “2 × 4”: the inner arrays of a nested ``plan`` and the disks of the first."""
    members = as_array(plan.top).members
    return f"{len(members)} × {len(members[0].members)}" if isinstance(members[0], MdArray) else ""


def nested(plan: Plan, level: Level, groups: int, pool: Members) -> Plan:
    """Return a raid0 over ``groups`` equal arrays of ``level``, on the whole ``pool``."""
    width = len(pool) // groups
    inner = tuple(
        MdArray(level, pool[start : start + width], bitmap=Bitmap.INTERNAL) for start in range(0, width * groups, width)
    )
    chunk_kib = chunk_of(plan) or DEFAULT_CHUNK_KIB
    array = MdArray(
        Level.RAID0,
        inner,
        name=plan.name,
        homehost=plan.homehost,
        chunk_kib=chunk_kib,
        metadata=as_array(plan.top).metadata,
    )
    return Plan(array, assumptions=plan.assumptions)


def joined(plan: Plan, pool: Members, tolerance: int, *, copies: bool = False) -> Plan | None:
    """Return the arrays on slices of the ``pool`` that survive any ``tolerance`` failures, joined to one volume.

    The name, the chunk and the assumptions are the present ``plan``'s. None where one array on whole disks does as
    much, or there are too few disks.
    """
    try:
        bands = banded(pool, tolerance, copies=copies)
    except InputError:
        return None
    if not bands.is_worthwhile:
        return None
    return adopt(Plan(bands.plan), plan)


def chunk_of(plan: Plan) -> int:
    """Return the chunk in KiB of ``plan``, or of the first of a joined plan's arrays that has one; else 0."""
    arrays = (plan.top,) if isinstance(plan.top, MdArray) else plan.top.arrays
    return next((array.effective_chunk_kib for array in arrays if array.effective_chunk_kib), 0)


def inner_level(plan: Plan) -> Level | None:
    """Return the level of the inner arrays of a nested ``plan``; None for a plain or a joined one."""
    return next((array.level for array in plan.top.inner), None) if isinstance(plan.top, MdArray) else None


def with_members(plan: Plan, members: Members) -> Plan:
    """Return ``plan`` on other disks, without empty slots, in the same layout as far as their number allows."""
    if disk_ids(plan.top) == {member.id for member in members}:
        return plan
    if (volume := plan.volume) is not None:
        anew = joined(plan, members, tolerance_of(volume), copies=keeps_copies(volume))
        if anew is not None:
            return anew
    if plan.top.is_nested:
        return Plan(named(first_plan(members).top, plan.name, plan.homehost), assumptions=plan.assumptions)
    if plan.array.level is Level.RAID10 and plan.array.copies.total > len(members):
        plan = with_copies(plan, 2)
    return fit_flags(_with_members(plan, members, len(plan.array.spares), 0))


def as_known(plan: Plan, pool: Members) -> Plan:
    """Return ``plan`` with its disks' data from ``pool``; its statements on each disk are kept."""
    known = {disk.id: disk for disk in pool}

    def of_pool(disk: Member) -> Member:
        whole = known[disk.failure_unit if plan.volume else disk.id]
        baseline = disk.baseline or whole.baseline
        whole = replace(whole, afr=disk.afr, age_years=disk.age_years, baseline=baseline).flagged(disk.flags)
        return slice_on(disk, whole) if plan.volume else whole

    return plan.each_disk(of_pool)


def as_seen(plan: Plan, before: Mapping[str, Member], now: Mapping[str, Member]) -> Plan:
    """Return ``plan`` with its disks' data from the machine ``now``; values set by the user or a file are kept.

    ``before``: each disk's previous data, by id. A speed that differs from these was set by the user or a file.
    """

    def seen(disk: Member) -> Member:
        unit = disk.failure_unit if plan.volume else disk.id
        known, earlier = now.get(unit), before.get(unit)
        if known is None or (disk.disk is not None and not plan.volume):
            return disk
        is_said = disk.baseline is not None and (earlier is None or disk.baseline != earlier.baseline)
        baseline = disk.baseline if is_said else known.baseline
        seen_disk = replace(known, afr=disk.afr, age_years=disk.age_years, baseline=baseline).flagged(disk.flags)
        return slice_on(disk, seen_disk) if plan.volume else seen_disk

    return plan.each_disk(seen)


def with_another(plan: Plan, gone: str, disk: Member, *, keeps_own: bool = False) -> Plan:
    """Return ``plan`` with ``disk`` in place of the disk ``gone``; ``keeps_own``: with that disk's overrides.

    Its flags (write-mostly, failfast) are the slot's, and kept.
    """

    def placed(member: Member) -> Member:
        if gone != (member.disk if plan.volume else member.id):
            return member
        here = with_own(disk, member.afr, member.age_years) if keeps_own else disk
        return slice_on(member, here) if plan.volume else here.flagged(member.flags)

    return plan.each_disk(placed)


def adopt(candidate: Plan, present: Plan) -> Plan:
    """Return ``candidate`` with the name, chunk and assumptions of the ``present`` plan."""
    flags = {disk.id: disk.flags for disk in present.disks()} if not candidate.top.is_nested else {}
    marked = as_said(candidate, present).each_disk(lambda disk: disk.flagged(flags.get(disk.id, ())))
    adopted = named_as(fit_flags(marked), present)
    chunk_kib = chunk_of(present) or DEFAULT_CHUNK_KIB
    if not isinstance(adopted.top, MdArray):
        return with_chunk(adopted, chunk_kib)
    layout = adopted.top.layout or (None if adopted.top.is_nested else adopted.top.effective_layout)
    chunk = chunk_kib if adopted.top.level.is_chunked else None
    return adopted.on(replace(adopted.top, chunk_kib=chunk, layout=layout))


def named(layer: Layer, name: str, homehost: str) -> Layer:
    """Return ``layer`` under that name; the window gives a volume no home host."""
    return replace(layer, name=name, homehost=homehost if isinstance(layer, MdArray) else "")


def named_as(plan: Plan, present: Plan) -> Plan:
    """Return ``plan`` with the name and the home host of the ``present`` plan; a volume has no home host."""
    return plan.on(named(plan.top, present.name, present.homehost))


def as_said(plan: Plan, present: Plan) -> Plan:
    """Return ``plan`` with the assumptions of the ``present`` plan, for all disks and for each."""
    own = {disk.failure_unit: (disk.afr, disk.age_years) for disk in present.disks()}
    return replace(
        plan.each_disk(lambda disk: with_own(disk, *own.get(disk.failure_unit, (None, None)))),
        assumptions=present.assumptions,
    )


def with_own(disk: Member, afr: float | None, age_years: float | None) -> Member:
    """Return ``disk`` with its own annual failure rate and age, or None for the published ones."""
    return replace(disk, afr=afr, age_years=age_years)


def with_write_mostly(plan: Plan, disk_id: str, *, is_marked: bool) -> Plan:
    """Return a raid1 ``plan`` with a disk's write-mostly flag set or cleared."""

    def marked(disk: Member) -> Member:
        return replace(disk, write_mostly=is_marked) if disk.id == disk_id else disk

    return fit_flags(plan.each_disk(marked))


def with_failfast(plan: Plan, *, is_marked: bool) -> Plan:
    """Return ``plan`` with failfast set on all of its disks, or on none: md(4) advises all or none."""
    return plan.each_disk(lambda disk: replace(disk, failfast=is_marked))


def fit_flags(plan: Plan) -> Plan:
    """Return ``plan`` with only the flags that its level supports, in an order that mdadm can express (``md.mdadm``).

    mdadm flags all devices that follow, so a raid1's write-mostly members are last, and its spares are flagged as well.
    """
    if not any(disk.flags for disk in plan.disks()):
        return plan
    heeded = {Level.RAID1: FLAGS, Level.RAID10: ("failfast",)}.get(as_array(plan.top).level, ())
    kept = plan.each_disk(lambda disk: disk.flagged(set(disk.flags) & set(heeded)))
    array = as_array(kept.top)
    if array.level is not Level.RAID1 or array.is_nested:
        return kept
    members = tuple(sorted(array.members, key=lambda one: (one is None, isinstance(one, Member) and one.write_mostly)))
    is_any = any(isinstance(one, Member) and one.write_mostly for one in members)
    spares = tuple(replace(one, write_mostly=is_any) for one in array.spares)
    return kept.on(replace(array, members=members, spares=spares))


def with_arrangement(plan: Plan, letter: str) -> Plan:
    """Return a raid10 ``plan`` with the same number of copies in layout near (``n``), far (``f``) or offset (``o``)."""
    return plan.on(replace(plan.array, layout=f"{letter}{plan.array.copies.total}"))


def with_copies(plan: Plan, copies: int) -> Plan:
    """Return a raid10 ``plan`` with that number of copies in the same layout."""
    return plan.on(replace(plan.array, layout=f"{plan.array.copies.letter}{copies}"))


def has_rare_choices(plan: Plan) -> bool:
    """Return True if an option that few change isn't at its default."""
    array = as_array(plan.top)
    return (
        (array.is_nested and not plan.volume)
        or (array.level.is_redundant and resync_of(plan) != "internal")
        or missing_in(plan) > 0
        or array.metadata is not Metadata.V1_2
        or array.assume_clean
        or (array.level in (Level.RAID5, Level.RAID6) and array.layout not in (None, "left-symmetric"))
        or bool(plan.homehost)
        or any(disk.flags for disk in plan.disks())
    )


def copy_counts(plan: Plan) -> tuple[int, ...]:
    """Return the sensible numbers of copies on the plan's disks."""
    return tuple(range(2, min(len(as_array(plan.top).members), _MAX_COPIES) + 1))


def with_metadata(plan: Plan, metadata: Metadata) -> Plan:
    """Return ``plan`` with another metadata version."""
    return plan.on(replace(plan.array, metadata=metadata))
