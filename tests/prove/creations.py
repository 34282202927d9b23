"""Random creations: array size, component size and data offsets to the sector, refusals included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raidwright.core.errors import PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.core.model.plan import MdArray, Plan
from raidwright.lab.machine import Lab

from .guest import Job, answers, job_for


@dataclass(frozen=True, slots=True)
class Comparison:
    """Prediction ``said`` and outcome ``found``; ``difference`` is "" when they agree."""

    what: str
    said: str
    found: str
    difference: str


def compare(lab: Lab, mdadm: MdadmVersion, plans: Iterable[Plan]) -> Iterator[Comparison]:
    """Compare the core's figures of each plan with the array that mdadm creates."""
    kept = list(plans)
    for plan, (job, answer) in zip(kept, answers(lab, (job_for(plan, "create") for plan in kept)), strict=True):
        what = " ; ".join(" ".join(argv) for argv in job["commands"]) + f"  sectors {job['sizes']}"
        said, found = expected(plan, mdadm), observed(plan, answer)
        agree = said == found or (said.startswith("refused") and found.startswith("refused"))
        yield Comparison(what, said, found, "" if agree else "differs")


def expected(plan: Plan, mdadm: MdadmVersion) -> str:
    """Return the core's figures, in the form of ``observed``."""
    try:
        return _said(capacity_of(plan.top, mdadm))
    except PlanRefused as refusal:
        return f"refused ({refusal.code}): {refusal.sentence}"


def _said(capacity: Capacity) -> str:
    offsets = [offset for offset in capacity.data_offset_sectors if offset is not None]
    inner = "".join(f" [{_said(each)}]" for each in capacity.inner)
    return f"array {capacity.array_sectors} component {capacity.component_size_kib} offsets {offsets}{inner}"


def observed(plan: Plan, answer: Job) -> str:
    """Return the created array's figures from sysfs, or mdadm's refusal."""
    if "refused" in answer:
        return "refused: " + " / ".join(answer["refused"].splitlines()[-3:])
    if "broken" in answer:
        return str(answer["broken"])
    names = [f"{plan.name}-{slot}" for slot, member in enumerate(plan.array.members) if isinstance(member, MdArray)]
    inner = "".join(f" [{_found(answer['arrays'][name])}]" for name in names)
    return _found(answer["arrays"][plan.name]) + inner


def _found(fact: Job) -> str:
    members = sorted(fact["members"].items(), key=lambda item: (_slot(item[1]["slot"]), item[0]))
    offsets = [member["offset"] for _, member in members if member["slot"] != "journal"]
    return f"array {fact['sectors']} component {fact['component_kib']} offsets {offsets}"


def _slot(slot: str) -> int:
    return int(slot) if slot.isdigit() else 9999  # spares come last
