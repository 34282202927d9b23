"""Sweeps over chunks, or numbers of members, with scratch arrays on empty disks, as a shoot-out."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from raidwright.analysis.advice.matrix import matrix, read_shapes
from raidwright.analysis.plateau import plateau
from raidwright.cli.options.machine import chosen_machine
from raidwright.cli.options.numbers import whole_numbers
from raidwright.cli.options.report import check_over, overlay_of, write_report
from raidwright.cli.shootout.holding import hold
from raidwright.cli.shootout.output import as_json, print_curves, print_findings
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.plan import Bitmap, Member, Plan
from raidwright.operations.shootout.contest import Contest, contest_of
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState
from raidwright.suites import SuiteWorkload
from raidwright.text.plan.names import short_name
from raidwright.text.reports.of_shootout import report_of

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

    def contest(members: tuple[Member, ...], _beside: tuple[Member, ...]) -> Contest:
        plans = _plans(members, options, what)
        states = (ArrayState.HEALTHY,)
        slice_bytes = int(options.slice_gib * _GIB)
        return contest_of(plans, slice_bytes, options.suite, states, options.minutes, options.repeats)

    check_over(options)
    findings = asyncio.run(hold(options, chosen_machine(options), contest))
    rows, overlay = list(_rows(findings, what)), overlay_of(options, findings)
    slice_bytes = int(options.slice_gib * _GIB)
    if options.report is not None:
        write_report(options.report, report_of(findings, slice_bytes, overlay))
    if options.json:
        print(json.dumps(as_json(findings, slice_bytes) | {"sweep": [asdict(row) for row in rows]}, indent=2))
        return
    print_findings(findings, slice_bytes)
    print_curves(findings, overlay)


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
