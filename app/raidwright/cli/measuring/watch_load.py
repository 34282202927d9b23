"""``raidwright watch-load``: what an array or a disk is asked for a while, as a workload, with its prediction."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.numbers import decimal
from raidwright.cli.options.target import find_target
from raidwright.core.errors import InputError
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import read_plan
from raidwright.core.protocol.measured import Sample
from raidwright.core.system.own_workload import OwnWorkload
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.operations.load import MAX_SECONDS, LoadProgress, WatchedLoad, WatchLoad
from raidwright.runs.files import write_file
from raidwright.runs.plan_meant import plan_meant
from raidwright.text.catalogue import number, tr
from raidwright.text.load import asked_words, fio_job, load_lines, load_words
from raidwright.text.plan.speed import figure_with_range

_DEFAULT_SECONDS = 60.0
_SAY_EVERY = 10  # looks


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "watch-load", help=tr("watch what an array or a disk is asked, and make a workload of it")
    )
    parser.add_argument("target", metavar="TARGET", help=tr("an array or a disk: its name, device or md:UUID"))
    parser.add_argument("--seconds", type=decimal, default=_DEFAULT_SECONDS, help=tr("how long (default: %(default)s)"))
    parser.add_argument(
        "--job", type=Path, metavar="FILE", help=tr("write it there as a fio job, for bench, shootout and assess")
    )
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))


def run(options: argparse.Namespace) -> int:
    """Watch, and print what was asked."""
    if not 1 <= options.seconds <= MAX_SECONDS:
        raise InputError("Watch for 1 to {most} seconds.", code="usage", most=MAX_SECONDS)
    load, plan = asyncio.run(_watch(options))
    workload = load.workload
    if options.job is not None and workload is not None:
        write_file(options.job, fio_job(load), "file")
    if options.json:
        told = asdict(load) | {
            name: getattr(load, name) for name in ("iops", "mb_s", "read_share", "busy_share", "depth", "block_kib")
        }
        told["workload"] = workload and str(workload)
        print(json.dumps(told, indent=2, ensure_ascii=False))
        return 0
    for name, said in load_lines(load):
        print(f"{name}: {said}")
    print(load_words(load))
    if workload is not None:
        _say_next(options, workload, plan)
    return 0


def _say_next(options: argparse.Namespace, workload: OwnWorkload, plan: Plan | None) -> None:
    from raidwright.analysis.performance.prediction import predict  # noqa: PLC0415 -- imports numpy

    said = predict(plan, workload.pattern) if plan is not None else None
    if said is not None:
        print(tr("Predicted for it, at full speed: {figure}", figure=figure_with_range(said)))
    print(tr("For another plan: {command}", command=f"raidwright assess PLAN.json --workload {asked_words(workload)}"))
    if options.job is not None:
        print(tr("To measure it: {command}", command=f"raidwright bench --target {options.target} --job {options.job}"))


async def _watch(options: argparse.Namespace) -> tuple[WatchedLoad, Plan | None]:
    looks = 0

    def say(update: JobProgress | Sample) -> None:
        nonlocal looks
        looks += 1
        if isinstance(update, LoadProgress) and looks % _SAY_EVERY == 0:
            said = tr(
                "{share} · {iops:.0f} requests a second · {left:.0f} s left",
                share=number(update.fraction, ".0%"),
                iops=update.so_far.iops,
                left=options.seconds * (1 - update.fraction),
            )
            print(said, file=sys.stderr)

    async with connected(chosen_machine(options)) as machine:
        target = find_target(machine.snapshot, options.target)
        load = await WatchLoad(target, options.seconds).perform(machine, say)
        told = await asyncio.to_thread(plan_meant, machine.snapshot, target)
    return load, read_plan(told) if told is not None else None
