"""A sweep over values of one setting of an existing array."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from raidwright.analysis.advice.matrix import matrix, read_shapes
from raidwright.cli.options.array import single_array
from raidwright.cli.options.machine import chosen_machine, connected
from raidwright.cli.options.report import write_report
from raidwright.cli.shootout.holding import let_overwrite
from raidwright.core.errors import InputError
from raidwright.core.model.plan import Bitmap, Member
from raidwright.core.protocol.measured import Sample
from raidwright.machine.address import MachineAddress
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.values import Named
from raidwright.operations.shootout.setting import SweepScratch
from raidwright.operations.shootout.slices import Contestant, contestant_of, crossed
from raidwright.operations.sweep import SWEPT, Sweep, SweepProgress, Swept, Value
from raidwright.text.catalogue import number, tr, translated
from raidwright.text.reports.of_sweep import report_of_sweep
from raidwright.text.run.measurements import figure
from raidwright.text.run.measurements import workload as workload_name
from raidwright.text.run.shootout import times
from raidwright.text.run.sweeps import standing_words, swept_words

_GIB = 2**30


def sweep_setting(options: argparse.Namespace, what: str) -> None:
    """Measure, and print the results."""
    values = SWEPT[what] if options.values is None else _values(options.values, what)
    swept = asyncio.run(_sweep(options, what, values, chosen_machine(options)))
    if options.report is not None:
        write_report(options.report, report_of_sweep(swept, _name(options)))
    if options.json:
        against = swept.against_before
        told = asdict(swept) | {"best": swept.best.value, "against_before": against and asdict(against)}
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        _print(swept)
        if swept.kept is not None:
            print(_undo(options.target, swept))


def _name(options: argparse.Namespace) -> str:
    if options.target:
        return str(options.target)
    return tr("cross-paired mirrors") if options.cross_paired else str(options.levels)


def _undo(array: str, swept: Swept) -> str:
    """Return the command that puts the previous value back."""
    lasting = "--always" if swept.had_rule else "--forget"
    option = f"--{swept.setting.replace('_', '-')}"
    return tr("Undo: {command}", command=f"raidwright tune {array} {option} {swept.before} {lasting}")


def _values(text: str, what: str) -> tuple[Value, ...]:
    words = [word.strip() for word in text.split(",")]
    if what == "scheduler":
        return tuple(words)
    if not all(word.isdecimal() for word in words):
        raise InputError("“{text}” are no whole numbers with commas between.", code="usage", text=text)
    return tuple(map(int, words))


async def _sweep(options: argparse.Namespace, what: str, values: tuple[Value, ...], address: MachineAddress) -> Swept:
    def sweep_of(array: Named) -> Sweep:
        return Sweep(
            array,
            what,
            values,
            options.workload,
            options.seconds,
            address.title,
            options.repeats,
            options.region_mib,
            address.is_practice,
            options.keep,
        )

    async with connected(address) as machine:
        minutes = sweep_of(Named("", "")).estimated_s / 60
        print(tr("About {minutes:.0f} minutes.", minutes=max(1.0, minutes)), file=sys.stderr)
        if options.target:
            array = single_array(options.target.removeprefix("md:"), machine.snapshot)
            return await sweep_of(array.named).perform(machine, _say)
        await machine.facts_seen()
        disks = await let_overwrite(options, machine)
        contestant = _contestant(options, tuple(disk.as_member() for disk in disks))
        return await SweepScratch(contestant, sweep_of(Named("", ""))).perform(machine, _say)


def _contestant(options: argparse.Namespace, members: tuple[Member, ...]) -> Contestant:
    slice_bytes = int(options.slice_gib * _GIB)
    if options.cross_paired:
        if len(members) != 2:
            raise InputError("Cross-paired mirrors take two disks.", code="members")
        return crossed(*members, slice_bytes)
    plan, *others = matrix(members, read_shapes(options.levels), (options.chunk_kib,), bitmap=Bitmap.NONE)
    if others:
        raise InputError("One array is swept at a time; name one level.", code="usage")
    return contestant_of(plan, slice_bytes)


def _say(update: JobProgress | Sample) -> None:
    if isinstance(update, SweepProgress):
        said = standing_words(update.value, update.seconds_left)
        print(f"{number(update.fraction, '.0%'):>4}  {said}", file=sys.stderr)


def _print(swept: Swept) -> None:
    console, table = Console(highlight=False, markup=False, emoji=False), Table(box=None, pad_edge=False)
    table.add_column(swept.setting)
    for heading in (tr("MB/s"), tr("Spread"), tr("Against before")):
        table.add_column(heading, justify="right")
    before = next(one for one in swept.points if one.value == swept.before)
    for one in swept.points:
        mark = " *" if one is swept.best else ""
        if one.results:
            against = times(one.mb_s / before.mb_s if before.results else None)
            table.add_row(f"{one.value}{mark}", figure(one.mb_s), number(one.spread, ".0%"), against)
        else:
            table.add_row(str(one.value), translated(one.refused), "", "")
    console.print(workload_name(swept.workload))
    console.print(table)
    console.print(swept_words(swept), soft_wrap=True)
