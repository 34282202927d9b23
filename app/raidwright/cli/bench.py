"""``raidwright bench``: measure an array or a disk with fio through the helper, and keep the run."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from raidwright.cli.options.machine import add_machine_options, chosen_machine
from raidwright.core.errors import InputError
from raidwright.core.model.names import array_uuid
from raidwright.core.protocol.results import Sample
from raidwright.machine.address import MachineAddress
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.machine import Machine
from raidwright.machine.values import Snapshot
from raidwright.operations.measuring import Measure, RunWorkload
from raidwright.runs.run import Run
from raidwright.runs.run_json import run_as_json
from raidwright.text.catalogue import tr

_DEFAULT_SECONDS = 15


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("bench", help=tr("measure an array or a disk with fio through the helper"))
    parser.add_argument(
        "--target", required=True, help=tr("md:UUID, an array's name or device, or a disk's by-id name or device")
    )
    parser.add_argument("--workload", required=True, help=tr("for example sequential_read or random_read_4k_q32"))
    parser.add_argument("--seconds", type=int, default=_DEFAULT_SECONDS, help=tr("how long (default: %(default)s)"))
    parser.add_argument("--region-mib", type=int, help=tr("stay within the first so many MiB"))
    parser.add_argument("--no-save", action="store_true", help=tr("don't keep the run"))
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print the run as JSON"))


def run(options: argparse.Namespace) -> int:
    finished = asyncio.run(_measure(options, chosen_machine(options)))
    if not options.no_save:
        print(tr("Kept as {id}", id=finished.id), file=sys.stderr)
    result = finished.result
    if options.json:
        print(json.dumps(run_as_json(finished), indent=2, ensure_ascii=False))
    else:
        print(
            tr(
                "{workload} on {target}: {mb_s:.1f} MB/s, {iops:.0f} IOPS, "
                "{latency_ms:.2f} ms (99% within {latency_p99_ms:.2f} ms)",
                workload=result.workload,
                target=finished.target,
                mb_s=result.mb_s,
                iops=result.iops,
                latency_ms=result.latency_ms,
                latency_p99_ms=result.latency_p99_ms,
            )
        )
    return 0


async def _measure(options: argparse.Namespace, address: MachineAddress) -> Run:
    async with Machine.connect(address.bus_address) as machine:
        await machine.facts_seen()  # the run keeps them
        target = find_target(machine.snapshot, options.target)
        request = RunWorkload(target, options.workload, options.seconds, options.region_mib)
        measure = Measure(request, address.title, is_practice=address.is_practice, keep=not options.no_save)
        return await measure.perform(machine, _say_sample)


def _say_sample(update: JobProgress | Sample) -> None:
    if isinstance(update, Sample):
        moment = tr(
            "{seconds:6.2f} s  read {read_mb_s:8.1f} MB/s  write {write_mb_s:8.1f} MB/s",
            seconds=update.seconds,
            read_mb_s=update.read_mb_s,
            write_mb_s=update.write_mb_s,
        )
        print(moment, file=sys.stderr)


def find_target(snapshot: Snapshot, text: str) -> str:
    """What the helper calls the array or disk that ``text`` names; raises InputError."""
    for array in snapshot.arrays:
        is_meant = array_uuid(text.removeprefix("md:")) == array.uuid or text in (array.device, array.name)
        if is_meant and array.running:
            return f"md:{array.uuid}"
    for disk in snapshot.disks:
        if text in (disk.id, disk.device, *disk.by_id):
            return disk.id
    raise InputError(
        "“{text}” is neither an array nor a disk of that machine; raidwright disks lists them.",
        code="target",
        text=text,
    )
