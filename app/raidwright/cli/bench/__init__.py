"""``raidwright bench``: measure an array or a disk with fio through the helper, and store the runs."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.target import find_target
from raidwright.core.protocol.measured import Sample
from raidwright.machine.address import MachineAddress
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.operations.job_file import read_job_file
from raidwright.operations.measuring import Measure, RunWorkload
from raidwright.reading.fio_job import read_fio_job
from raidwright.runs.remarks import remarks_of
from raidwright.runs.run import Run
from raidwright.runs.run_json import run_as_json
from raidwright.suites import Suite, read_suite
from raidwright.text.catalogue import tr, translated

from .file_systems import run_file_systems
from .suite import run_suite

_DEFAULT_SECONDS = 15


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("bench", help=tr("measure an array or a disk with fio through the helper"))
    parser.add_argument(
        "--target", required=True, help=tr("md:UUID, an array's name or device, or a disk's by-id name or device")
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--workload", help=tr("for example sequential_read or random_read_4k_q32"))
    what.add_argument(
        "--suite", type=read_suite, metavar="NAME", help=tr("several workloads: {suites}", suites=list(Suite))
    )
    what.add_argument("--job", type=Path, metavar="FILE", help=tr("one's own: a fio job that names no file or program"))
    parser.add_argument(
        "--repeats", type=int, choices=range(1, 11), default=1, metavar="N",
        help=tr("with --suite and --job: how often each is measured (1 to 10, default: %(default)s)"),
    )  # fmt: skip
    parser.add_argument("--seconds", type=int, default=_DEFAULT_SECONDS, help=tr("how long (default: %(default)s)"))
    parser.add_argument("--region-mib", type=int, help=tr("stay within the first so many MiB"))
    parser.add_argument("--no-save", action="store_true", help=tr("don't keep the run"))
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print the run as JSON"))


def run(options: argparse.Namespace) -> int:
    if options.suite is Suite.FILESYSTEM:
        run_file_systems(options, chosen_machine(options))
        return 0
    if options.suite is not None or options.job is not None:
        run_suite(options, options.suite or read_fio_job(read_job_file(options.job)), chosen_machine(options))
        return 0
    finished = asyncio.run(_measure(options, chosen_machine(options)))
    if not options.no_save:
        print(tr("Kept as {id}", id=finished.id), file=sys.stderr)
    result = finished.result
    if options.json:
        told = run_as_json(finished) | {"remarks": list(remarks_of(finished))}
        print(json.dumps(told, indent=2, ensure_ascii=False))
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
        for remark in remarks_of(finished):
            print(translated(remark))
    return 0


async def _measure(options: argparse.Namespace, address: MachineAddress) -> Run:
    async with connected(address) as machine:
        await machine.facts_seen()  # the run stores them
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
