"""Client of the practice machine's worker: jobs in, answers out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from raidwright.core.layers.commands import create_commands
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.lab.machine import Lab

_WORKER = Path(__file__).with_name("guest_worker.py")
_BATCH = 10  # jobs per call: enough to amortise the call, few enough to show progress
Job = dict[str, Any]
_OFF: dict[Level | Bitmap, str] = {
    Level.LINEAR: "# CONFIG_MD_LINEAR is not set",
    Bitmap.LOCKLESS: "# CONFIG_MD_LLBITMAP is not set",
}


def install(lab: Lab) -> None:
    """Put the worker into the machine."""
    lab.exec(["tee", "/run/prove_worker.py"], stdin=_WORKER.read_bytes())


def possible(lab: Lab, plans: Iterable[Plan]) -> Iterator[Plan]:
    """Yield those of ``plans`` that the practice machine's kernel was built for: others have no linear, or lockless."""
    built = lab.exec(["sh", "-c", "cat /boot/config-$(uname -r)"]).stdout.decode().splitlines()
    return (plan for plan in plans if all(_OFF[kind] not in built for kind in _kinds(plan) & _OFF.keys()))


def _kinds(plan: Plan) -> set[Level | Bitmap]:
    return {kind for array in plan.top.md_arrays() for kind in (array.level, array.bitmap)}


def answers(lab: Lab, jobs: Iterable[Job]) -> Iterator[tuple[Job, Job]]:
    """Yield each job with its answer, in order."""
    batch: list[Job] = []
    for job in jobs:
        batch.append(job)
        if len(batch) == _BATCH:
            yield from _answered(lab, batch)
            batch = []
    yield from _answered(lab, batch)


def _answered(lab: Lab, batch: list[Job]) -> Iterator[tuple[Job, Job]]:
    if not batch:
        return
    lines = "\n".join(json.dumps(job) for job in batch).encode() + b"\n"
    done = lab.exec(["python3", "/run/prove_worker.py"], stdin=lines)
    yield from zip(batch, map(json.loads, done.stdout.splitlines()), strict=True)


def device_of(member: Member) -> str:
    """Return the device of a member, which is its name here."""
    return member.id


def job_for(plan: Plan, do: str) -> Job:
    """Return the worker's job that creates ``plan``, with the commands that the program would run."""
    disks = sorted(plan.disks(), key=lambda disk: int(disk.id.removeprefix("LOOP")))
    inner = [f"{plan.name}-{slot}" for slot, member in enumerate(plan.array.members) if isinstance(member, MdArray)]
    # Only the names that occur get a device, so a slot that became "missing" leaves a hole.
    count = 1 + max(int(disk.id.removeprefix("LOOP")) for disk in disks)
    sizes = [2048] * count
    for disk in disks:
        sizes[int(disk.id.removeprefix("LOOP"))] = disk.sectors
    return {
        "do": do,
        "sizes": sizes,
        "commands": [list(command.argv) for command in create_commands(plan.top, device_of, asks=False)],
        "arrays": [*inner, plan.name],
    }
