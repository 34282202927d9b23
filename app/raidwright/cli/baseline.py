"""``raidwright baseline``: measure disks alone and all at once, name outliers, and store the figures."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from raidwright.analysis.performance.odd_disks import MeasuredDisk, Odd, odd_ones, rate_of
from raidwright.cli.options.disks import confirm_overwriting, meant_disks, say_way_over_unknown
from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import DiskRefused, InputError, JobFailed, MachineError
from raidwright.core.messages import say
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan_json import dump_baseline
from raidwright.core.system.baseline import DEFAULT_SECONDS, Measurement, checked_seconds, measurements
from raidwright.machine.address import MachineAddress
from raidwright.operations.baselines import CompareAtOnce, TakeBaselines
from raidwright.runs.baselines import KeptBaseline
from raidwright.text.catalogue import tr, translated
from raidwright.text.run.measurements import figure, held_back_words, odd_words

_Taken = tuple[Disk, KeptBaseline]
_PIPE_COLUMNS = 240
_NAMES = {
    Measurement.READ_OUTSIDE: say("Read outside, MB/s"),
    Measurement.READ_MIDDLE: say("in the middle"),
    Measurement.READ_INSIDE: say("inside"),
    Measurement.READ_4K: say("Read 4 KiB, IOPS"),
    Measurement.READ_4K_DEEP: say("32 at once"),
    Measurement.READ_4K_TENTH: say("over a tenth"),
    Measurement.READ_4K_HUNDREDTH: say("over a hundredth"),
    Measurement.READ_64K: say("Read 64 KiB, IOPS"),
    Measurement.READ_1M: say("Read 1 MiB, IOPS"),
    Measurement.WRITE_OUTSIDE: say("Write outside, MB/s"),
    Measurement.WRITE_4K: say("Write 4 KiB, IOPS"),
    Measurement.WRITE_4K_DEEP: say("Write, 32 at once"),
    Measurement.WRITE_4K_FLUSHED: say("Write and flush, IOPS"),
    Measurement.WRITE_1M: say("Write 1 MiB, IOPS"),
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("baseline", help=tr("measure what disks do alone, and keep it for predictions"))
    parser.add_argument(
        "disks", metavar="DISK", nargs="+", help=tr("a disk's serial number, by-id name or device; all: every disk")
    )
    parser.add_argument(
        "--seconds", type=int, default=DEFAULT_SECONDS, metavar="N",
        help=tr("how long each of the 9 measurements takes, 14 with --write (1 to 10, default: %(default)s)"),
    )  # fmt: skip
    parser.add_argument(
        "--write", action="store_true", help=tr("measure writing, too, which overwrites the disk; it must be empty")
    )
    parser.add_argument("--yes", action="store_true", help=tr("with --write: don't ask for each disk's serial number"))
    parser.add_argument(
        "--overwrite-unknown", action="store_true",
        help=tr("with --write: also over bytes that nothing recognises, as an encrypted disk has them"),
    )  # fmt: skip
    parser.add_argument("--wake", action="store_true", help=tr("wake disks that sleep"))
    parser.add_argument("--no-save", action="store_true", help=tr("don't keep what is measured"))
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print JSON instead of a table"))


def run(options: argparse.Namespace) -> int:
    """Measure; return 1 if a disk was refused, or failed; the others are measured nevertheless."""
    checked_seconds(options.seconds)
    if options.overwrite_unknown and not options.write:
        raise InputError("--overwrite-unknown goes with --write.", code="usage")
    taken, status = asyncio.run(_measure(options, chosen_machine(options)))
    seen = [MeasuredDisk(disk.device, disk.size_bytes, one.known, one.result.figures) for disk, one in taken]
    odd = odd_ones(seen)
    if options.json:
        print(json.dumps([_as_json(disk, one, odd) for disk, one in taken], indent=2, ensure_ascii=False))
    elif taken:
        _print(taken, [*map(odd_words, odd), *_at_once_words(seen)])
    return status


async def _measure(options: argparse.Namespace, address: MachineAddress) -> tuple[list[_Taken], int]:
    """Measure the disks; return the figures and the exit code."""
    taken: list[_Taken] = []
    status = 0
    async with connected(address) as machine:
        await machine.facts_seen()
        disks = meant_disks(options.disks, machine.snapshot.disks)
        if options.write and not options.yes:
            await asyncio.to_thread(
                confirm_overwriting, disks, tr("All of these disks but 16 MiB at either end is written over:")
            )
        for disk in disks:
            print(f"{disk.device}:", file=sys.stderr)
            one = (disk,)
            take = TakeBaselines(
                one,
                address.title,
                options.seconds,
                options.write,
                wake=options.wake,
                keep=not options.no_save,
                over_unknown=options.overwrite_unknown,
            )
            try:
                taken += zip(one, await take.perform(machine, say_progress), strict=True)
            except (DiskRefused, JobFailed) as error:
                status = _told(error)
                say_way_over_unknown(error)
        if len(taken) > 1:
            print(tr("all at once:"), file=sys.stderr)
            together, kept = zip(*taken, strict=True)
            compare = CompareAtOnce(together, kept, options.seconds, options.wake, keep=not options.no_save)
            try:
                taken = list(zip(together, await compare.perform(machine, say_progress), strict=True))
            except MachineError as error:  # such as an older helper's; each disk's own figures are known
                status = _told(error)
    return taken, status


def _told(error: MachineError) -> int:
    """Print the error; return its exit code."""
    print(tr("raidwright: {translated}", translated=translated(error.sentence)), file=sys.stderr)
    return error.exit_code


def _as_json(disk: Disk, taken: KeptBaseline, odd: Sequence[Odd]) -> dict[str, object]:
    return {
        "id": disk.id,
        "device": disk.device,
        "model": disk.model,
        "serial": disk.serial,
        "size_bytes": disk.size_bytes,
        "taken": taken.taken.isoformat(),
        "in_use": taken.in_use,
        "fio": taken.result.fio,
        "figures": {name: asdict(figures) for name, figures in taken.result.figures.items()},
        "baseline": dump_baseline(taken.baseline),
        "odd": {one.measurement: round(one.share, 4) for one in odd if one.name == disk.device},
    }


def _at_once_words(seen: Sequence[MeasuredDisk]) -> list[str]:
    held_back = held_back_words(seen)
    return held_back or [tr("All at once they are as fast as one by one.")] if len(seen) > 1 else []


def _print(taken: Sequence[_Taken], worth_knowing: Sequence[str]) -> None:
    wrote = any(Measurement.WRITE_4K in one.result.figures for _, one in taken)
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for disk, _ in taken:
        table.add_column(disk.device, justify="right")
    for measurement in measurements(write=wrote):
        rates = (rate_of(measurement, one.result.figures) for _, one in taken)
        table.add_row(translated(_NAMES[measurement]), *(figure(rate) if rate else "–" for rate in rates))
    if wrote:
        flushes = (one.baseline.flush_ms for _, one in taken)
        table.add_row(tr("Flush, ms"), *("–" if ms is None else figure(ms) for ms in flushes))
    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)
    console.print(table)
    for disk, one in taken:
        in_use = tr(" (in use meanwhile)") if one.in_use else ""
        console.print(f"{disk.device}  {disk.model}  {disk.serial}{in_use}", soft_wrap=True)
    for sentence in worth_knowing:
        console.print(sentence, soft_wrap=True)
