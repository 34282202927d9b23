"""A sweep over queue depths, or jobs at once, of an array or a disk, beside its predictions."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from raidwright.cli.options.machine import chosen_machine, connected
from raidwright.cli.options.numbers import whole_numbers
from raidwright.cli.options.target import find_target
from raidwright.core.protocol.measured import Sample
from raidwright.core.system.workload import Workload
from raidwright.machine.address import MachineAddress
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.operations.scaling import SCALED, LoadPoint, Scaled, Scaling, ScalingProgress
from raidwright.runs.memory_speed import is_at_memory_speed
from raidwright.runs.predicted import predicted
from raidwright.text.catalogue import number, tr
from raidwright.text.run.measurements import figure
from raidwright.text.run.scaling import scalable_words, scaled_title, scaled_words
from raidwright.text.run.sweeps import standing_words


def sweep_load(options: argparse.Namespace, scaled: str) -> None:
    """Measure, and print the results."""
    workload = options.workload or Workload.RANDOM_READ_4K
    values = SCALED[scaled] if options.values is None else whole_numbers(options.values)
    result = asyncio.run(_scale(options, scaled, workload, tuple(values), chosen_machine(options)))
    if options.json:
        points = [_as_json(one) for one in result.points]
        told = {"scaled": scaled, "workload": workload, "plateau": result.plateau, "points": points}
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        _print(result, workload)


async def _scale(
    options: argparse.Namespace, scaled: str, workload: Workload, values: tuple[int, ...], address: MachineAddress
) -> Scaled:
    async with connected(address) as machine:
        await machine.facts_seen()  # the runs store them
        order = Scaling(
            find_target(machine.snapshot, options.target),
            workload,
            scaled,
            values,
            options.seconds,
            address.title,
            options.repeats,
            options.region_mib,
            address.is_practice,
            not options.no_save,
        )
        return await order.perform(machine, _say)


def _say(update: JobProgress | Sample) -> None:
    if isinstance(update, ScalingProgress):
        said = standing_words(update.value, update.seconds_left)
        print(f"{number(update.fraction, '.0%'):>4}  {said}", file=sys.stderr)


def _as_json(one: LoadPoint) -> dict[str, Any]:
    expected = _expected(one)
    return {
        "value": one.value,
        "workload": one.workload,
        "mb_s": one.mb_s,
        "iops": one.iops,
        "latency_ms": one.latency_ms,
        "spread": one.spread,
        "predicted": expected and {name: getattr(expected, name) for name in ("mb_s", "iops", "low_mb_s", "high_mb_s")},
        "results": [asdict(run.result) for run in one.runs],
    }


def _expected(one: LoadPoint) -> Any:
    return None if is_at_memory_speed(one.runs[0]) else predicted(one.runs[0])


def _print(result: Scaled, workload: Workload) -> None:
    console, table = Console(highlight=False, markup=False, emoji=False), Table(box=None, pad_edge=False)
    table.add_column(scaled_title(result.scaled), justify="right")
    for heading in (tr("IOPS"), tr("MB/s"), tr("Latency, ms"), tr("Spread"), tr("Predicted IOPS"), tr("Off by")):
        table.add_column(heading, justify="right")
    for one in result.points:
        expected = _expected(one)
        table.add_row(
            str(one.value),
            figure(one.iops),
            figure(one.mb_s),
            figure(one.latency_ms),
            number(one.spread, ".0%") if len(one.runs) > 1 else "–",
            figure(expected.iops) if expected else "–",
            number(one.mb_s / expected.mb_s - 1, "+.0%") if expected else "–",
        )
    console.print(scalable_words(workload))
    console.print(table)
    console.print(scaled_words(result), soft_wrap=True)
