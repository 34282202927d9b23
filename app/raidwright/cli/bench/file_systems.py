"""``raidwright bench --suite filesystem``: files on ext4 and XFS, aligned and not aligned to the array's stripes."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from statistics import fmean

from rich.console import Console
from rich.table import Table

from raidwright.cli.options.machine import connected
from raidwright.cli.options.progress import say_progress
from raidwright.cli.options.target import find_target
from raidwright.core.errors import InputError
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.filesystem import ALIGNED_KINDS
from raidwright.machine.address import MachineAddress
from raidwright.operations.file_systems import FileSystemSuite, Rounds, Setup, rate_of
from raidwright.text.catalogue import tr
from raidwright.text.run.comparisons import verdict
from raidwright.text.run.measurements import alignment, figure, file_system
from raidwright.text.run.measurements import workload as workload_name

_PIPE_COLUMNS = 240
_SIZE_MIB = 1024
_MIB = 2**20


def run_file_systems(options: argparse.Namespace, address: MachineAddress) -> None:
    """Measure, and print the results."""
    rounds = asyncio.run(_measure(options, address))
    if options.json:
        print(json.dumps(_as_json(rounds), indent=2, ensure_ascii=False))
        return
    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)
    console.print(_table(rounds))
    for setup in rounds.setups:
        said = alignment(rounds.of(setup)[0].alignment)
        console.print(f"{file_system(setup.kind, aligned=setup.aligned)}: {said}", soft_wrap=True)
    for kind in ALIGNED_KINDS:
        for act in FileAct:
            if (against := rounds.aligned_against_not(kind, act)) is not None:
                what = tr("{kind}, {act}, aligned against not: {verdict}", kind=str(kind), act=workload_name(act),
                          verdict=verdict(against))  # fmt: skip
                console.print(what, soft_wrap=True)


async def _measure(options: argparse.Namespace, address: MachineAddress) -> Rounds:
    async with connected(address) as machine:
        await machine.facts_seen()  # the runs store them
        target = find_target(machine.snapshot, options.target)
        array = next((one for one in machine.snapshot.arrays if target == f"md:{one.uuid}"), None)
        if array is None:
            raise InputError("Files are measured on an array that holds nothing, not on a disk itself.", code="target")
        size_mib = options.region_mib or min(_SIZE_MIB, array.size_bytes // _MIB // 2)
        suite = FileSystemSuite(target, size_mib, address.title, options.repeats, is_practice=address.is_practice,
                                keep=not options.no_save)  # fmt: skip
        return await suite.perform(machine, say_progress)


def _table(rounds: Rounds) -> Table:
    table = Table("", box=None, pad_edge=False)
    for act in FileAct:
        table.add_column(workload_name(act), justify="right")
    for setup in rounds.setups:
        table.add_row(
            file_system(setup.kind, aligned=setup.aligned), *(figure(_rate(rounds, setup, act)) for act in FileAct)
        )
    return table


def _rate(rounds: Rounds, setup: Setup, act: FileAct) -> float:
    return fmean(rate_of(act, one.results[act]) for one in rounds.of(setup))


def _as_json(rounds: Rounds) -> dict[str, object]:
    return {
        "suite": "filesystem",
        "file_systems": [
            {
                **{name: str(value) if name == "kind" else value for name, value in asdict(setup).items()},
                **asdict(rounds.of(setup)[0].alignment),
                "acts": {act: [asdict(one.results[act]) for one in rounds.of(setup)] for act in FileAct},
            }
            for setup in rounds.setups
        ],
        "aligned_against_not": {
            kind: {act: asdict(found) for act in FileAct if (found := rounds.aligned_against_not(kind, act))}
            for kind in ALIGNED_KINDS
        },
    }
