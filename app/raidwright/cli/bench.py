"""``raidwright bench``: measure an array or a disk with fio through the helper, and keep the run."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime

from raidwright.cli.options.machine import add_machine_options, chosen_machine
from raidwright.core.errors import InputError
from raidwright.core.protocol.results import Sample
from raidwright.machine.address import MachineAddress
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.machine import Machine
from raidwright.machine.values import Snapshot
from raidwright.runs.region import region_mib
from raidwright.runs.store import Run, new_run_id, run_context, save_run
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
        print(tr("Saved as {path}", path=save_run(finished)), file=sys.stderr)
    result = finished.result
    if options.json:
        print(json.dumps(asdict(finished) | {"started": finished.started.isoformat()}, indent=2, ensure_ascii=False))
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
    samples: list[Sample] = []

    def on_update(update: JobProgress | Sample) -> None:
        if isinstance(update, Sample):
            samples.append(update)
            print(
                tr(
                    "{seconds:6.2f} s  read {read_mb_s:8.1f} MB/s  write {write_mb_s:8.1f} MB/s",
                    seconds=update.seconds,
                    read_mb_s=update.read_mb_s,
                    write_mb_s=update.write_mb_s,
                ),
                file=sys.stderr,
            )

    async with Machine.connect(address.bus_address) as machine:
        target = find_target(machine.snapshot, options.target)
        region = options.region_mib or region_mib(machine.snapshot, target, is_practice=address.is_practice)
        started = datetime.now(UTC)
        result = await machine.helper.run_workload(
            target, options.workload, seconds=options.seconds, region_mib=region, on_update=on_update
        )
        return Run(
            id=new_run_id(started, options.workload),
            started=started,
            machine=address.title,
            target=target,
            region_mib=region,
            result=result,
            samples=tuple(samples),
            context=run_context(machine.snapshot, target),
        )


def find_target(snapshot: Snapshot, text: str) -> str:
    """What the helper calls the array or disk that ``text`` names; raises InputError."""
    for array in snapshot.arrays:
        if text in (f"md:{array.uuid}", array.uuid, array.device, array.name) and array.running:
            return f"md:{array.uuid}"
    for disk in snapshot.disks:
        if text in (disk.id, disk.device, *disk.by_id):
            return disk.id
    raise InputError(
        "“{text}” is neither an array nor a disk of that machine; raidwright disks lists them.",
        code="target",
        text=text,
    )
