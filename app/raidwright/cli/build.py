"""``raidwright build PLAN``: build a plan's array through the helper, once its name is typed."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

from ..core.disk import Disk
from ..core.errors import InputError
from ..core.plan import Plan
from ..core.plan_json import loads_plan
from ..core.units import decimal_size
from ..machine.machine import Machine
from ..machine.values import BuildResult, JobProgress, Sample
from .disks import describe_use, list_disks
from .machine_option import add_machine_options, chosen_machine


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("build", help="build a plan's array through the helper")
    parser.add_argument("plan", metavar="PLAN", help="a file, or - for standard input")
    parser.add_argument("--yes-name", metavar="NAME", help="the array's name, to confirm without being asked")
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: argparse.Namespace) -> int:
    plan = _read_plan(options.plan)
    address = chosen_machine(options).bus_address
    _say_what_it_means(plan, asyncio.run(list_disks(address)))
    _confirm(plan, options.yes_name if options.yes_name is not None else _ask_name(plan))
    result = asyncio.run(_build(plan, address))
    if options.json:
        print(json.dumps(asdict(result), indent=2, ensure_ascii=False))
    else:
        print(f"{result.device} runs: {decimal_size(result.array_sectors * 512)}, UUID {result.uuid}.")
    return 0


def _read_plan(source: str) -> Plan:
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The plan can't be read from {source}: {error}.", code="plan-read", path=source) from error
    return loads_plan(text)


async def _build(plan: Plan, address: str) -> BuildResult:
    async with Machine.connect(address) as machine:
        return await machine.helper.create_array(plan, confirmed_name=plan.name, on_update=_say)


def _confirm(plan: Plan, name: str) -> None:
    if name != plan.name:
        raise InputError(
            f"The name given is “{name}”, the plan's is “{plan.name}”. Nothing was done.", code="not-confirmed"
        )


def _say_what_it_means(plan: Plan, disks: tuple[Disk, ...]) -> None:
    """On stderr: each disk that would be written to, and what is on it."""
    by_name = {name: disk for disk in disks for name in (disk.id, *disk.by_id)}
    print(f"To build “{plan.name}” ({plan.level}), everything on these disks is given up:", file=sys.stderr)
    for member in plan.disks():
        disk = by_name.get(member.failure_unit)
        if disk is None:
            print(f"  {member.id}: not on this machine", file=sys.stderr)
        else:
            uses = "; ".join(describe_use(use) for use in disk.uses) or "free"
            size = decimal_size(disk.size_bytes)
            print(f"  {disk.device}  {disk.model}  {disk.serial}  {size}  {uses}", file=sys.stderr)


def _ask_name(plan: Plan) -> str:
    if not sys.stdin.isatty():
        raise InputError(f"To confirm, give the array's name: --yes-name {plan.name}.", code="not-confirmed")
    print(f"Type the array's name, {plan.name}, to go on: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def _say(update: JobProgress | Sample) -> None:
    if isinstance(update, JobProgress):
        print(f"{update.fraction:4.0%}  {update.step}", file=sys.stderr)
