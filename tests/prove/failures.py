"""Survival of real failures: every set of one to three members fails, and all data is read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.analysis.layers.survival import survival_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.survival import Survival
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.lab.machine import Lab

from .creations import Comparison
from .guest import Job, answers, job_for
from .plans import members_of

_SECTORS = 2048 + 8 * 40
_MAX_FAILED = 3


def plans() -> Iterator[Plan]:
    """Over forty plans: every level, the layouts that differ in what they survive, nested ones, slices."""
    flat = [
        *((Level.LINEAR, None, count) for count in (2, 3)),
        *((Level.RAID0, None, count) for count in (2, 3)),
        *((Level.RAID1, None, count) for count in (2, 3, 4)),
        *((Level.RAID4, None, count) for count in (3, 5)),
        *((Level.RAID5, "left-symmetric", count) for count in (3, 4, 6)),
        *((Level.RAID5, layout, 4) for layout in ("parity-first", "right-asymmetric")),
        *((Level.RAID6, "left-symmetric", count) for count in (4, 5, 6)),
        *((Level.RAID6, layout, 5) for layout in ("ddf-N-continue", "left-symmetric-6", "parity-first")),
        *((Level.RAID10, f"{kind}2", count) for kind in "nfo" for count in (2, 3, 4, 5, 6)),
        *((Level.RAID10, f"{kind}3", count) for kind in "nfo" for count in (4, 6)),
    ]
    for number, (level, layout, count) in enumerate(flat):
        # A mirror is drawn in larger chunks, and only whole ones are read back.
        sectors = _SECTORS + 4096 - 320 if level is Level.RAID1 else _SECTORS
        plan = Plan(MdArray(level=level, members=members_of([sectors] * count), layout=layout, name=f"f{number}"))
        yield plan.on(replace(plan.array, chunk_kib=_chunk(level), assume_clean=level.is_redundant))
    nested = [
        *((Level.RAID0, Level.RAID1, 2, groups) for groups in (2, 3)),
        (Level.RAID1, Level.RAID0, 2, 2),
        (Level.RAID0, Level.RAID5, 3, 2),
        (Level.RAID0, Level.RAID6, 4, 2),
    ]
    for number, (outer, inner, width, groups) in enumerate(nested):
        yield _nested(outer, inner, width, groups).on(
            replace(_nested(outer, inner, width, groups).array, name=f"g{number}")
        )
    yield _cross_paired().on(replace(_cross_paired().array, name="crossed"))


def _chunk(level: Level) -> int | None:
    return None if level in (Level.RAID1, Level.LINEAR) else 4


def _nested(outer: Level, inner: Level, width: int, groups: int) -> Plan:
    arrays = tuple(
        MdArray(
            level=inner,
            members=members_of([_SECTORS + 4096] * width, first=group * width),
            chunk_kib=_chunk(inner),
            assume_clean=inner is not Level.RAID0,
        )
        for group in range(groups)
    )
    return Plan(MdArray(level=outer, members=arrays, chunk_kib=_chunk(outer), assume_clean=outer is not Level.RAID0))


def _cross_paired() -> Plan:
    """Return two disks of two slices each, cross-paired: mirrored crosswise and striped."""
    halves = [
        Member(id=f"LOOP{number}", size_bytes=(_SECTORS + 4096) * 512, disk=disk, partition=part)
        for number, (disk, part) in enumerate((("A", 1), ("A", 2), ("B", 1), ("B", 2)))
    ]
    mirrors = tuple(
        MdArray(level=Level.RAID1, members=pair, assume_clean=True)
        for pair in ((halves[0], halves[3]), (halves[1], halves[2]))
    )
    return Plan(MdArray(level=Level.RAID0, members=mirrors, chunk_kib=4))


def compare(lab: Lab, chosen: Iterable[Plan]) -> Iterator[Comparison]:
    """Compare, for each plan and each set of members, the core's answer with md's."""
    kept = list(chosen)
    for plan, (job, answer) in zip(kept, answers(lab, (_job(plan) for plan in kept)), strict=True):
        survival = survival_of(plan.top)
        what = f"{plan.array.level} {plan.array.layout or ''} on {len(survival.units)}"
        if "sets" not in answer:
            yield Comparison(what, "an array", str(answer.get("refused") or answer.get("broken")), "differs")
            continue
        for failed, result in zip(_sets(survival), answer["sets"], strict=True):
            said = "nothing lost" if survival.survives(failed) else "lost"
            found = _found(result, job["chunks"])
            yield Comparison(f"{what}, without {failed}", said, found, "" if said == found else f"differs: {result}")


def _sets(survival: Survival) -> list[tuple[int, ...]]:
    units = range(len(survival.units))
    most = min(_MAX_FAILED, len(units))
    return [failed for count in range(1, most + 1) for failed in combinations(units, count)]


def _found(result: Job, chunks: int) -> str:
    """Return md's own verdict: every disk could be failed, and every chunk read back right.

    md doesn't fail a last copy, nor any member of a raid0; then an assembly without those disks decides.
    """
    good = result["without_them"] if result["refused"] else result["good"]
    return "nothing lost" if good == chunks else "lost"


def _job(plan: Plan) -> Job:
    survival, geometry = survival_of(plan.top), geometry_of(plan)
    loops: dict[str, list[int]] = {}
    for disk in plan.disks():
        loops.setdefault(disk.failure_unit, []).append(int(disk.id.removeprefix("LOOP")))
    sets = [[loop for unit in failed for loop in loops[survival.units[unit]]] for failed in _sets(survival)]
    return job_for(plan, "failures") | {
        "sets": sets,
        "assemble": _assembly(plan),
        "chunk_bytes": geometry.chunk_sectors * 512,
        "chunks": geometry.chunks,
    }


def _assembly(plan: Plan) -> list[tuple[str, list[str]]]:
    inner = [
        (f"{plan.name}-{slot}", [disk.id for disk in member.disks()])
        for slot, member in enumerate(plan.array.members)
        if isinstance(member, MdArray)
    ]
    outer = [f"/dev/md/{name}" for name, _ in inner] or [disk.id for disk in plan.disks()]
    return [*inner, (plan.name, outer)]
