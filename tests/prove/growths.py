"""What a choice forecloses, tried: for each change that the core calls possible or not, mdadm is asked for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raidwright.core.forecloses import possibilities
from raidwright.core.layouts import Level
from raidwright.core.plan import Plan
from raidwright.lab.machine import Lab

from .creations import Comparison
from .guest import Job, answers, job_for
from .plans import members_of

_SECTORS = 100 * 2048
_COMPONENT_KIB = 64 * 1024  # less than the members have, so that there is something to grow into


@dataclass(frozen=True, slots=True)
class Growth:
    """A plan, the change by its name in ``possibilities``, the spares that it takes, and mdadm's options."""

    plan: Plan
    change: str
    spares: int
    options: tuple[str, ...]


def growths() -> Iterator[Growth]:
    """Each level and each raid10 layout with the changes that people ask for."""
    for number, (level, layout, count) in enumerate(_ARRAYS):
        for step, (change, spares, options) in enumerate(_changes(level, layout, count)):
            plan = Plan(
                level=level,
                members=members_of([_SECTORS] * count),
                layout=layout,
                chunk_kib=None if level is Level.RAID1 else 64,
                component_size_kib=None if level is Level.RAID0 else _COMPONENT_KIB,
                assume_clean=level is not Level.RAID0,
                name=f"w{number}-{step}",
            )
            yield Growth(plan, change, spares, options)


_ARRAYS: tuple[tuple[Level, str | None, int], ...] = (
    (Level.RAID0, None, 3),
    (Level.RAID1, None, 2),
    (Level.RAID1, None, 3),
    (Level.RAID4, None, 4),
    (Level.RAID5, "left-symmetric", 4),
    (Level.RAID6, "left-symmetric", 5),
    (Level.RAID10, "n2", 4),
    (Level.RAID10, "n2", 5),
    (Level.RAID10, "o2", 4),
    (Level.RAID10, "f2", 4),
)


def _changes(level: Level, layout: str | None, count: int) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    yield "more-members", 1, (f"--raid-devices={count + 1}",)
    if level is not Level.RAID0:
        yield "larger-members", 0, ("--size=max",)
    if level is not Level.RAID1:
        yield "chunk", 0, ("--chunk=32",)
    if level is Level.RAID10:
        yield "layout", 0, ("--layout=n2" if layout == "o2" else "--layout=o2",)
    elif level in (Level.RAID5, Level.RAID6):
        yield "layout", 0, ("--layout=right-symmetric",)
    if level in (Level.RAID1, Level.RAID10):
        yield "raid0", 0, ("--level=0",)
    if level is not Level.RAID5:
        yield "raid5", 1 if level is Level.RAID0 else 0, ("--level=5",)
    if level is Level.RAID5:
        yield "raid6", 1, ("--level=6", f"--raid-devices={count + 1}")
    if level is not Level.RAID10:
        yield "raid10", count if level is Level.RAID0 else 0, ("--level=10",)


def compare(lab: Lab, chosen: Iterable[Growth]) -> Iterator[Comparison]:
    """The core's word on each change against what mdadm does when it is asked."""
    kept = list(chosen)
    for growth, (_, answer) in zip(kept, answers(lab, map(_job, kept)), strict=True):
        plan = growth.plan
        said = {each.change: each.possible for each in possibilities(plan)}[growth.change]
        what = f"{plan.level} {plan.layout or ''} of {len(plan.members)}: {' '.join(growth.options)}"
        found = answer.get("grew")
        words = str(answer.get("said") or answer.get("refused") or answer.get("broken") or "")
        yield Comparison(what, _word(said), _word(found), "" if said == found else f"differs: {words[-300:]}")


def _word(possible: object) -> str:
    return "no array" if possible is None else "possible" if possible else "not possible"


def _job(growth: Growth) -> Job:
    job = job_for(growth.plan, "grow")
    first = len(job["sizes"])
    job["sizes"] += [_SECTORS] * growth.spares
    spares = [f"LOOP{first + number}" for number in range(growth.spares)]
    if growth.plan.level is Level.RAID0:  # it keeps no spares; they are given with the change itself
        added = ["--add", *spares] if spares else []
        return job | {"spares": [], "change": [*growth.options, *added]}
    return job | {"spares": spares, "change": list(growth.options)}
