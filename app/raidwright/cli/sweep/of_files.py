"""A sweep over the size of a file, on an empty array or a scratch array of empty disks."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from rich.console import Console
from rich.table import Table

from raidwright.analysis.advice.matrix import matrix, read_shapes
from raidwright.cli.options.array import single_array
from raidwright.cli.options.machine import chosen_machine, connected
from raidwright.cli.options.numbers import whole_numbers
from raidwright.cli.options.report import write_report
from raidwright.cli.shootout.holding import let_overwrite
from raidwright.core.errors import InputError
from raidwright.core.model.plan import Bitmap, Member
from raidwright.core.protocol.measured import Sample
from raidwright.core.system.filesystem import ALIGNED_KINDS
from raidwright.machine.address import MachineAddress
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.operations.file_sizes import (
    ACTS,
    SIZES_MIB,
    FileSizes,
    FileSizesFound,
    FileSizesOnScratch,
    FileSizesProgress,
    fitting,
)
from raidwright.operations.file_systems import Setup
from raidwright.operations.shootout.slices import contestant_of
from raidwright.text.catalogue import number, tr, translated
from raidwright.text.curves.file_sizes import NAMES, size_words
from raidwright.text.reports.of_file_sizes import report_of_sizes
from raidwright.text.run.measurements import figure, file_system
from raidwright.text.run.sweeps import standing_words

BY_FILE = "file_size"
_GIB, _MIB = 2**30, 2**20


def sweep_files(options: argparse.Namespace) -> None:
    """Measure, and print the results."""
    if bool(options.target) == bool(options.disks):
        raise InputError("Say which array (--target NAME), or which empty disks to make one of.", code="usage")
    sizes = tuple(whole_numbers(options.values)) if options.values else SIZES_MIB
    found = asyncio.run(_measure(options, sizes, chosen_machine(options)))
    if options.report is not None:
        write_report(options.report, report_of_sizes(found, str(options.target or options.levels)))
    if options.json:
        points = [{"size_mib": one.value, **{str(act): one.rates(act) for act in ACTS}} for one in found.points]
        print(json.dumps({"kind": str(found.setup.kind), "points": points}, indent=2))
        return
    _print(found)


async def _measure(options: argparse.Namespace, sizes: tuple[int, ...], address: MachineAddress) -> FileSizesFound:
    kind = options.file_system
    setup = Setup(kind, kind in ALIGNED_KINDS)

    def wanted(target: str, room_mib: int) -> FileSizes:
        keep = not options.no_save
        fits = fitting(sizes, room_mib)
        if not fits:
            raise InputError("None of these files fits on the array.", code="size")
        order = FileSizes(target, setup, fits, address.title, options.repeats, address.is_practice, keep)
        print(tr("About {minutes:.0f} min.", minutes=max(1.0, order.estimated_s / 60)), file=sys.stderr)
        return order

    async with connected(address) as machine:
        await machine.facts_seen()
        if options.target:
            array = single_array(options.target.removeprefix("md:"), machine.snapshot)
            order = wanted(f"md:{array.uuid}", array.size_bytes // _MIB)
            return await order.perform(machine, _say)
        disks = await let_overwrite(options, machine)
        members: tuple[Member, ...] = tuple(disk.as_member() for disk in disks)
        plan, *others = matrix(members, read_shapes(options.levels), (options.chunk_kib,), bitmap=Bitmap.NONE)
        if others:
            raise InputError("One array is swept at a time; name one level.", code="usage")
        contestant = contestant_of(plan, int(options.slice_gib * _GIB))
        return await FileSizesOnScratch(contestant, wanted("", contestant.region_mib)).perform(machine, _say)


def _say(update: JobProgress | Sample) -> None:
    if isinstance(update, FileSizesProgress):
        said = standing_words(tr("{size} MiB", size=update.value), update.seconds_left)
        print(f"{number(update.fraction, '.0%'):>4}  {said}", file=sys.stderr)


def _print(found: FileSizesFound) -> None:
    console, table = Console(highlight=False, markup=False, emoji=False), Table(box=None, pad_edge=False)
    table.add_column(tr("MiB"), justify="right")
    for act in ACTS:
        table.add_column(translated(NAMES[act]), justify="right")
    for one in found.points:
        rates = ((sum(one.rates(act)) / len(one.results)) if one.results else None for act in ACTS)
        table.add_row(str(one.value), *map(figure, rates))
    console.print(tr("Files on {kind}, MB/s", kind=file_system(found.setup.kind, aligned=found.setup.aligned)))
    console.print(table)
    console.print(size_words(found), soft_wrap=True)
