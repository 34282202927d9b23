"""``raidwright bench --suite`` and ``--job``: several workloads on one target, compared with one of its disks."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from statistics import fmean

from rich.console import Console
from rich.table import Table

from raidwright.cli.options.machine import connected
from raidwright.cli.options.progress import say_progress
from raidwright.cli.options.target import find_target
from raidwright.core.messages import Message
from raidwright.core.model.disk import Disk
from raidwright.machine.address import MachineAddress
from raidwright.machine.values import Snapshot
from raidwright.operations.suites import RunSuite, SuiteRuns
from raidwright.reading.fio_job import OwnJob
from raidwright.runs.baselines import Baselines
from raidwright.runs.memory_speed import is_at_memory_speed
from raidwright.runs.remarks import remarks_of
from raidwright.runs.run import Run, RunResult
from raidwright.suites import Suite
from raidwright.text.catalogue import number, tr, translated
from raidwright.text.run.measurements import figure
from raidwright.text.run.measurements import workload as workload_name
from raidwright.text.run.shootout import times

_PIPE_COLUMNS = 240


@dataclass(frozen=True, slots=True)
class _Row:
    """A workload's mean over its ``runs``; ``spread``: their range, as a fraction of the mean.

    ``remarks``: caveats, each once.
    """

    workload: str
    mb_s: float
    iops: float
    spread: float
    times_one_disk: float | None
    runs: tuple[RunResult, ...]
    remarks: tuple[Message, ...] = ()


def run_suite(options: argparse.Namespace, suite: Suite | tuple[OwnJob, ...], address: MachineAddress) -> None:
    """Measure, and print the results."""
    found, disks = asyncio.run(_measure(options, suite, address))
    rows = list(_rows(found.runs, disks))
    if options.json:
        told = {
            "suite": str(options.suite or "own"),
            "only_read": found.only_read,
            "workloads": [asdict(row) for row in rows],
        }
        print(json.dumps(told, indent=2, ensure_ascii=False))
        return
    table = Table("", box=None, pad_edge=False)
    for heading in (tr("MB/s"), tr("IOPS"), tr("Spread"), tr("Against one disk")):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            workload_name(row.workload),
            figure(row.mb_s),
            figure(row.iops),
            number(row.spread, ".0%") if options.repeats > 1 else "–",
            times(row.times_one_disk),
        )
    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)
    console.print(table)
    for remark, workloads in _remarked(rows):
        console.print(tr("{workloads:and}: {remark}", workloads=workloads, remark=translated(remark)), soft_wrap=True)
    if found.only_read:
        console.print(tr("Only reading was measured. {why}", why=translated(found.only_read)), soft_wrap=True)


async def _measure(
    options: argparse.Namespace, suite: Suite | tuple[OwnJob, ...], address: MachineAddress
) -> tuple[SuiteRuns, tuple[Disk, ...]]:
    """Return the runs, and the target's disks with their earlier baselines."""
    async with connected(address) as machine:
        target = find_target(machine.snapshot, options.target)
        disks = tuple(map(Baselines().with_measured, _disks_of(target, machine.snapshot)))
        order = RunSuite(
            target,
            suite,
            options.seconds,
            address.title,
            options.repeats,
            options.region_mib,
            address.is_practice,
            not options.no_save,
        )
        return await order.perform(machine, say_progress), disks


def _disks_of(target: str, seen: Snapshot) -> Iterator[Disk]:
    members = {one.failure_unit for array in seen.arrays if target == f"md:{array.uuid}" for one in array.members}
    return (disk for disk in seen.disks if not members.isdisjoint((disk.id, *disk.by_id)) or disk.id == target)


def _rows(runs: Sequence[Run], disks: tuple[Disk, ...]) -> Iterator[_Row]:
    for name, each in groupby(runs, key=lambda run: run.result.workload):
        group = tuple(each)
        results = tuple(run.result for run in group)
        rates = [one.mb_s for one in results]
        mb_s, iops = fmean(rates), fmean(one.iops for one in results)
        spread = (max(rates) - min(rates)) / mb_s
        remarks = tuple(dict.fromkeys(remark for run in group for remark in remarks_of(run)))
        known = () if any(map(is_at_memory_speed, group)) else disks
        yield _Row(name, mb_s, iops, spread, _times(name, mb_s, iops, known), results, remarks)


def _remarked(rows: Sequence[_Row]) -> Iterator[tuple[Message, list[str]]]:
    """Yield each remark once, with its workloads."""
    for remark in dict.fromkeys(remark for row in rows for remark in row.remarks):
        yield remark, [workload_name(row.workload) for row in rows if remark in row.remarks]


def _times(workload: str, mb_s: float, iops: float, disks: tuple[Disk, ...]) -> float | None:
    """Return the multiple of its disks' mean baseline; None unless all of them have one."""
    for name, value in ((f"{workload}_mb_s", mb_s), (f"{workload}_iops", iops)):  # the names of a baseline's fields
        alone = [rate for disk in disks if (rate := getattr(disk.baseline, name, None))]
        if alone and len(alone) == len(disks):
            return value / fmean(alone)
    return None
