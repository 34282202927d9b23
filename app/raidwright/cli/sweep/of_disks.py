"""Sweeps over chunks, or numbers of members, with scratch arrays on empty disks, as a shoot-out."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from raidwright.analysis.advice.matrix import matrix, read_shapes
from raidwright.analysis.plateau import is_irregular, plateau
from raidwright.cli.options.machine import chosen_machine
from raidwright.cli.options.numbers import whole_numbers
from raidwright.cli.shootout.holding import hold
from raidwright.cli.shootout.output import as_json, print_findings
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.plan import Bitmap, Member, Plan
from raidwright.operations.shootout.contest import Contest, contest_of
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState
from raidwright.suites import SuiteWorkload
from raidwright.text.catalogue import tr, with_commas
from raidwright.text.plan.names import short_name
from raidwright.text.run.measurements import workload as workload_name

BY_SCRATCH = ("chunk", "bitmap_chunk", "members")
_CHUNKS_KIB = (16, 64, 128, 256, 512, 1024)
_BITMAP_CHUNKS_KIB = (1024, 4096, 16384, 65536, 262144)
_GIB = 2**30


@dataclass(frozen=True, slots=True)
class SweepRow:
    """The rates of one kind of array by chunk or members under one workload; ``plateau``: the last value that gains."""

    array: str
    workload: SuiteWorkload
    mb_s: dict[int, float]
    plateau: int | None


def sweep_disks(options: argparse.Namespace, what: str) -> None:
    """Measure, and print the results."""

    def contest(members: tuple[Member, ...]) -> Contest:
        plans = _plans(members, options, what)
        states = (ArrayState.HEALTHY,)
        slice_bytes = int(options.slice_gib * _GIB)
        return contest_of(plans, slice_bytes, options.suite, states, options.minutes, options.repeats)

    findings = asyncio.run(hold(options, chosen_machine(options), contest))
    rows = list(_rows(findings, what))
    slice_bytes = int(options.slice_gib * _GIB)
    if options.json:
        print(json.dumps(as_json(findings, slice_bytes) | {"sweep": [asdict(row) for row in rows]}, indent=2))
        return
    print_findings(findings, slice_bytes)
    if what == "members":
        for row in rows:
            print(_plateau_words(row))


def _plans(members: tuple[Member, ...], options: argparse.Namespace, what: str) -> tuple[Plan, ...]:
    """Return the plans that mdadm accepts: not every level allows every number of members."""
    values = whole_numbers(options.values) if options.values else None
    chunks = (values or _CHUNKS_KIB) if what == "chunk" else (options.chunk_kib,)
    counts = (values or tuple(range(2, len(members) + 1))) if what == "members" else (len(members),)
    plans: list[Plan] = []
    refused: PlanRefused | None = None
    for shape in read_shapes(options.levels):
        for count in counts:
            try:
                if what == "bitmap_chunk":
                    plans += _with_bitmaps(matrix(members, [shape], chunks, [count]), values or _BITMAP_CHUNKS_KIB)
                else:
                    plans += matrix(members, [shape], chunks, [count], Bitmap.NONE)
            except PlanRefused as error:
                refused = error
    if not plans and refused is not None:
        raise InputError(refused.sentence, code=refused.code)
    return tuple(plans)


def _with_bitmaps(plans: tuple[Plan, ...], chunks_kib: Sequence[int]) -> Iterator[Plan]:
    for plan in plans:
        for chunk_kib in chunks_kib:
            swept = plan.on(replace(plan.array, bitmap_chunk_kib=chunk_kib))
            capacity_of(swept.top)  # refuses a bitmap that doesn't fit
            yield swept


def _at(plan: Plan, what: str) -> int:
    if what == "bitmap_chunk":
        return plan.array.bitmap_chunk_kib or 0
    return plan.array.effective_chunk_kib if what == "chunk" else len(plan.array.members)


def _rows(findings: Findings, what: str) -> Iterator[SweepRow]:
    found: dict[tuple[str, SuiteWorkload], dict[int, float]] = {}
    for figure in findings.figures:
        contestant = findings.contest.contestants[figure.contestant]
        if not contestant.is_alone:
            plan = contestant.plan
            found.setdefault((short_name(plan.top), figure.workload), {})[_at(plan, what)] = figure.mb_s
    for (name, workload), points in found.items():
        yield SweepRow(name, workload, points, plateau(sorted(points.items())) if what == "members" else None)


def _plateau_words(row: SweepRow) -> str:
    workload = workload_name(str(row.workload))
    points = sorted(row.mb_s.items())
    if is_irregular(points):
        steps = (tr("{count}: {rate:,.0f}", count=count, rate=rate) for count, rate in points)
        return tr(
            "{array}, {workload}: no regular gain with the members (MB/s by members: {steps}).",
            array=row.array,
            workload=workload,
            steps=with_commas(*steps),
        )
    if row.plateau is None:
        return tr(
            "{array}, {workload}: each member counts, as far as was measured.", array=row.array, workload=workload
        )
    return tr(
        "{array}, {workload}: from {count} members on another brings no more than 5%.",
        array=row.array,
        workload=workload,
        count=row.plateau,
    )
