"""From one plan to the next: what changing the level, the layout or the disks makes of a plan. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB, Level, parse_copies
from raidwright.core.model.plan import FLAGS, Bitmap, Consistency, Member, Metadata, Plan

# What mdadm takes when no chunk is asked for (mdadm Create.c, since 3.1).
CHUNKS_KIB = tuple(4 << step for step in range(11))  # 4 KiB … 4 MiB
_MAX_COPIES = 4
_MIN_WORKING = {Level.RAID1: 2, Level.RAID4: 3, Level.RAID5: 3, Level.RAID6: 4, Level.RAID10: 2}
NESTED = {Level.RAID1: 2, Level.RAID5: 3, Level.RAID6: 4}  # what may be striped, and the least disks of each array

Members = tuple[Member, ...]


def first_plan(members: Members) -> Plan:
    """A sensible plan to begin with: what most people would build of so many disks."""
    level = {2: Level.RAID1, 3: Level.RAID5, 4: Level.RAID10}.get(len(members), Level.RAID6)
    return with_level(Plan(level, members, name="tank", bitmap=Bitmap.INTERNAL), level, members)


def with_level(plan: Plan, level: Level, pool: Members) -> Plan:
    """``plan`` at ``level``, with what the level can't have left out and what it needs at its default.

    A nested plan becomes a plain one on the whole ``pool``, and so does one that left disks of it out.
    """
    disks = tuple(plan.disks())
    if plan.is_nested or {disk.id for disk in disks} != {disk.id for disk in pool}:
        disks = pool
    layout = plan.layout if level is plan.level and not plan.is_nested else None
    if layout is None and level is not Level.RAID4 and (level is Level.RAID10 or level.parity_disks):
        layout = "n2" if level is Level.RAID10 else "left-symmetric"
    consistency = plan.consistency if level is plan.level else None
    bitmap = Bitmap.NONE if not level.is_redundant else plan.bitmap
    if level.is_redundant and (not plan.level.is_redundant or plan.consistency is not consistency):
        bitmap = Bitmap.INTERNAL
    chunk_kib = (plan.chunk_kib or DEFAULT_CHUNK_KIB) if level.is_chunked else None
    changed = replace(plan, level=level, layout=layout, bitmap=bitmap, chunk_kib=chunk_kib, consistency=consistency)
    return fit_flags(_with_members(changed, disks, len(plan.spares), missing_in(plan) if level is plan.level else 0))


def _with_members(plan: Plan, disks: Members, spares: int, missing: int) -> Plan:
    """``plan`` on ``disks``: the smallest of them stand by as ``spares``, and so many slots are left empty behind."""
    spares = min(spares, most_spares(plan.level, len(disks)))
    idle = sorted(disks, key=lambda disk: disk.size_bytes, reverse=True)[len(disks) - spares :]
    working = tuple(disk for disk in disks if disk not in idle)
    return replace(plan, members=(*working, *(None,) * missing), spares=tuple(idle))


def most_spares(level: Level, disks: int) -> int:
    """The spares that ``level`` on so many disks leaves room for."""
    return max(0, disks - _MIN_WORKING[level]) if level in _MIN_WORKING else 0


def missing_in(plan: Plan) -> int:
    """The slots that are left empty."""
    return plan.members.count(None)


def with_spares(plan: Plan, spares: int) -> Plan:
    """``plan`` with so many of its disks standing by."""
    return fit_flags(_with_members(plan, tuple(plan.disks()), spares, missing_in(plan)))


def with_missing(plan: Plan, missing: int) -> Plan:
    """``plan`` with so many more slots than disks, left empty for disks that come later."""
    return _with_members(plan, tuple(plan.disks()), len(plan.spares), missing)


def with_resync(plan: Plan, how: str) -> Plan:
    """``plan`` made whole after a crash by a bitmap (``internal``), a partial parity log (``ppl``) or in full."""
    if how == "ppl":
        return replace(plan, bitmap=Bitmap.NONE, consistency=Consistency.PPL)
    return replace(plan, bitmap=Bitmap(how), consistency=None)


def resync_of(plan: Plan) -> str:
    """``internal``, ``ppl`` or ``none``."""
    return "ppl" if plan.consistency is Consistency.PPL else str(plan.bitmap)


def with_first_sync(plan: Plan, how: str) -> Plan:
    """``plan`` synchronised when it is created (``run``), or said to be so already (``skip``)."""
    return replace(plan, assume_clean=how == "skip")


def group_counts(level: Level, disks: int) -> tuple[int, ...]:
    """Into how many equal arrays of ``level`` so many disks can be divided."""
    most = disks // NESTED[level]
    return tuple(count for count in range(2, most + 1) if disks % count == 0)


def first_groups(level: Level, disks: int) -> int:
    """The groups to begin with: pairs for mirrors, as few as possible for parity."""
    counts = group_counts(level, disks)
    return counts[-1] if level is Level.RAID1 else counts[0]


def groups_of(plan: Plan) -> str:
    """“2 × 4”: the arrays of a nested ``plan`` and the disks of the first."""
    first = plan.members[0]
    return f"{len(plan.members)} × {len(first.members)}" if isinstance(first, Plan) else ""


def nested(plan: Plan, level: Level, groups: int, pool: Members) -> Plan:
    """A stripe over ``groups`` equal arrays of ``level``, which hold the whole ``pool``."""
    width = len(pool) // groups
    inner = tuple(
        Plan(level, pool[start : start + width], bitmap=Bitmap.INTERNAL) for start in range(0, width * groups, width)
    )
    chunk_kib = plan.chunk_kib or DEFAULT_CHUNK_KIB
    return Plan(
        Level.RAID0,
        inner,
        name=plan.name,
        homehost=plan.homehost,
        chunk_kib=chunk_kib,
        metadata=plan.metadata,
        assumptions=plan.assumptions,
    )


def inner_level(plan: Plan) -> Level | None:
    """The level of the arrays in a nested ``plan``; None for one without."""
    return next((member.level for member in plan.members if isinstance(member, Plan)), None)


def with_members(plan: Plan, members: Members) -> Plan:
    """``plan`` on other disks, no slot empty, in the same arrangement as far as so many disks allow it."""
    if {member.id for member in plan.disks()} == {member.id for member in members}:
        return plan
    if plan.is_nested:
        return replace(first_plan(members), name=plan.name, homehost=plan.homehost, assumptions=plan.assumptions)
    if plan.level is Level.RAID10 and copies_of(plan) > len(members):
        plan = with_copies(plan, 2)
    return fit_flags(_with_members(plan, members, len(plan.spares), 0))


def as_known(plan: Plan, pool: Members) -> Plan:
    """``plan`` on the disks of ``pool``, which are its own, as the machine knows them; what it says of each is kept."""
    known = {disk.id: disk for disk in pool}
    return plan.each_disk(
        lambda disk: replace(
            known[disk.id],
            afr=disk.afr,
            age_years=disk.age_years,
            baseline=disk.baseline or known[disk.id].baseline,
        ).flagged(disk.flags)
    )


def as_seen(plan: Plan, before: Mapping[str, Member], now: Mapping[str, Member]) -> Plan:
    """``plan`` with each of its disks as the machine knows it ``now``; what a person or a file said of it is kept.

    ``before``: each disk, by id, as the machine knew it until now. A speed that differs from that was said by somebody.
    """

    def seen(disk: Member) -> Member:
        known, earlier = now.get(disk.id), before.get(disk.id)
        if known is None or disk.disk is not None:
            return disk
        is_said = disk.baseline is not None and (earlier is None or disk.baseline != earlier.baseline)
        baseline = disk.baseline if is_said else known.baseline
        return replace(known, afr=disk.afr, age_years=disk.age_years, baseline=baseline).flagged(disk.flags)

    return plan.each_disk(seen)


def with_another(plan: Plan, gone: str, disk: Member) -> Plan:
    """``plan`` with ``disk`` wherever the disk of the id ``gone`` stood; what was said of that one isn't of this.

    The marks are the place's.
    """
    return plan.each_disk(lambda member: disk.flagged(member.flags) if member.id == gone else member)


def adopt(candidate: Plan, present: Plan) -> Plan:
    """``candidate`` with the name, the chunk and all that is assumed which the ``present`` plan has."""
    chunk_kib = (present.chunk_kib or DEFAULT_CHUNK_KIB) if candidate.level.is_chunked else None
    layout = candidate.layout or (None if candidate.is_nested else candidate.effective_layout)
    flags = {disk.id: disk.flags for disk in present.disks()} if not candidate.is_nested else {}
    marked = as_said(candidate, present).each_disk(lambda disk: disk.flagged(flags.get(disk.id, ())))
    return replace(fit_flags(marked), name=present.name, homehost=present.homehost, chunk_kib=chunk_kib, layout=layout)


def as_said(plan: Plan, present: Plan) -> Plan:
    """``plan`` with what the ``present`` plan assumes, of all disks and of each."""
    own = {disk.id: (disk.afr, disk.age_years) for disk in present.disks()}
    return replace(
        plan.each_disk(lambda disk: with_own(disk, *own.get(disk.id, (None, None)))), assumptions=present.assumptions
    )


def with_own(disk: Member, afr: float | None, age_years: float | None) -> Member:
    """``disk`` with a failure rate a year and an age of its own, or none."""
    return replace(disk, afr=afr, age_years=age_years)


def with_write_mostly(plan: Plan, disk_id: str, *, is_marked: bool) -> Plan:
    """A raid1 ``plan`` with one of its disks read from only when there is no other, or like the others again."""

    def marked(disk: Member) -> Member:
        return replace(disk, write_mostly=is_marked) if disk.id == disk_id else disk

    return fit_flags(plan.each_disk(marked))


def with_failfast(plan: Plan, *, is_marked: bool) -> Plan:
    """``plan`` with all of its disks given up at their first error, or none: md(4) advises all or none."""
    return plan.each_disk(lambda disk: replace(disk, failfast=is_marked))


def fit_flags(plan: Plan) -> Plan:
    """``plan`` with the flags that its level heeds, in the order that mdadm can be told (``md.mdadm``).

    mdadm marks all that follows, so a raid1's write-mostly members come last, and its spares have the mark as well.
    """
    if not any(disk.flags for disk in plan.disks()):
        return plan
    heeded = {Level.RAID1: FLAGS, Level.RAID10: ("failfast",)}.get(plan.level, ())
    kept = plan.each_disk(lambda disk: disk.flagged(set(disk.flags) & set(heeded)))
    if plan.level is not Level.RAID1 or plan.is_nested:
        return kept
    members = tuple(sorted(kept.members, key=lambda one: (one is None, isinstance(one, Member) and one.write_mostly)))
    is_any = any(isinstance(one, Member) and one.write_mostly for one in members)
    return replace(kept, members=members, spares=tuple(replace(one, write_mostly=is_any) for one in kept.spares))


def shape(plan: Plan) -> tuple[object, ...]:
    """What makes a plan the same candidate whatever its name, chunk and bitmap are."""
    members = frozenset(
        shape(member) if isinstance(member, Plan) else (member.id if member else None) for member in plan.members
    )
    boots = plan.metadata if plan.level is Level.RAID1 else None
    return plan.level, plan.effective_layout, members, frozenset(spare.id for spare in plan.spares), boots


def leaves(plan: Plan) -> Iterator[tuple[str, Member | None]]:
    """Every column of the stage: its slot's name (``1``, or ``0·1`` inside a nested array) and its disk."""
    for slot, member in enumerate(plan.members):
        if isinstance(member, Plan):
            yield from ((f"{slot}·{inner}", disk) for inner, disk in leaves(member))
        else:
            yield str(slot), member


def with_arrangement(plan: Plan, letter: str) -> Plan:
    """A raid10 ``plan`` with the same copies lying near (``n``), far (``f``) or offset (``o``)."""
    return replace(plan, layout=f"{letter}{copies_of(plan)}")


def with_copies(plan: Plan, copies: int) -> Plan:
    """A raid10 ``plan`` with so many copies in the same arrangement."""
    return replace(plan, layout=f"{arrangement_of(plan)}{copies}")


def copies_of(plan: Plan) -> int:
    """Copies of each chunk of a raid10 ``plan``."""
    return parse_copies(plan.layout or "n2").total


def arrangement_of(plan: Plan) -> str:
    """``n``, ``f`` or ``o``."""
    copies = parse_copies(plan.layout or "n2")
    return "o" if copies.offset else "f" if copies.far > 1 else "n"


def copy_counts(plan: Plan) -> tuple[int, ...]:
    """The copies that so many disks allow, as far as they are sensible."""
    return tuple(range(2, min(len(plan.members), _MAX_COPIES) + 1))


def with_metadata(plan: Plan, metadata: Metadata) -> Plan:
    """``plan`` with its superblock in another format."""
    return replace(plan, metadata=metadata)
