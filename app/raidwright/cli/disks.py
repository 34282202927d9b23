"""``raidwright disks``: the machine's disks, and what each is in use for."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from raidwright.cli.options.machine import add_machine_options, chosen_machine
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.model.disk import Disk, Health, Use, UseKind
from raidwright.core.protocol.facts import DiskHealth
from raidwright.core.units import decimal_size
from raidwright.machine.disk_json import disk_as_json
from raidwright.machine.machine import Machine
from raidwright.operations.disks import ExamineHealth, as_health

_PIPE_COLUMNS = 240
_SENTENCES = {
    UseKind.SYSTEM: "the running system is on it ({})",
    UseKind.MOUNTED: "mounted at {}",
    UseKind.SWAP: "swap space in use ({})",
    UseKind.HELD: "held open by {}",
    UseKind.ARRAY_MEMBER: "member of the running array {}",
    UseKind.STALE_ARRAY_MEMBER: "left over from the array {}, which doesn't run with it",
    UseKind.LVM: "LVM physical volume {}",
    UseKind.ENCRYPTED: "encrypted ({})",
    UseKind.FILESYSTEM: "holds a file system: {}",
    UseKind.PARTITION_TABLE: "has a partition table ({})",
    UseKind.SIGNATURE: "holds {}",
    UseKind.READ_ONLY: "read-only",
    UseKind.NAMELESS: "has no serial number or WWN that is its alone",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("disks", help="list a machine's disks and what each is in use for")
    add_machine_options(parser)
    parser.add_argument("--health", action="store_true", help="also ask each disk how it is (SMART), if it is awake")
    parser.add_argument("--wake", action="store_true", help="with --health: wake those that sleep")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(options: argparse.Namespace) -> int:
    if options.wake and not options.health:
        raise InputError("--wake goes with --health.", code="usage")
    disks = asyncio.run(list_disks(chosen_machine(options).bus_address, health=options.health, wake=options.wake))
    if options.json:
        print(json.dumps([disk_as_json(disk) for disk in disks], indent=2, ensure_ascii=False))
    elif disks:
        _print_table(disks)
    else:
        print("There are no disks on that machine.")
    return 0


async def list_disks(address: str, *, health: bool = False, wake: bool = False) -> tuple[Disk, ...]:
    """The disks of the machine at ``address``, with the helper's facts where it gives them; raises Unreachable.

    With ``health`` each is asked how it is; one that sleeps is only woken if it may be. Raises Denied, JobFailed.
    """
    async with Machine.connect(address) as machine:
        await machine.facts_seen()
        disks = machine.snapshot.disks
        return tuple([await _asked(machine, disk, wake=wake) for disk in disks]) if health else disks


async def _asked(machine: Machine, disk: Disk, *, wake: bool) -> Disk:
    try:
        told = await ExamineHealth((disk.id,), wake).perform(machine)
    except DiskRefused as error:
        print(f"{disk.device}: {error.sentence}", file=sys.stderr)
        return disk
    return replace(disk, health=as_health(told.get(disk.id, DiskHealth())))


def _print_table(disks: tuple[Disk, ...]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("Disk", "Model", "Serial", "Size", "Sectors", "Turns", "Link", "Health", "In use for"):
        table.add_column(heading, justify="right" if heading == "Size" else "left", overflow="fold")
    for disk in disks:
        table.add_row(
            disk.device,
            disk.model,
            disk.serial,
            decimal_size(disk.size_bytes),
            _sectors(disk),
            _rotation(disk.rotation_rpm),
            disk.link,
            _health(disk.health),
            "\n".join(describe_use(use) for use in disk.uses) or "free",
        )
    # A file or a pipe has no width to keep to.
    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)
    console.print(table)
    for disk in disks:
        console.print(f"{disk.device} is {disk.id}", soft_wrap=True)


def _sectors(disk: Disk) -> str:
    if disk.logical_sector_bytes is None:
        return "?"
    return f"{disk.logical_sector_bytes}/{disk.physical_sector_bytes}"


def _rotation(rpm: int | None) -> str:
    return {None: "?", 0: "flash", -1: "yes"}.get(rpm, f"{rpm} rpm")


def _health(health: Health) -> str:
    verdict = {None: "?", False: "good", True: "FAILING"}[health.failing]
    temperature = "" if health.temperature_celsius is None else f", {health.temperature_celsius:.0f} °C"
    bad = f", {health.bad_sectors} bad sectors" if health.bad_sectors else ""
    return verdict + temperature + bad + _error_recovery(health)


def _error_recovery(health: Health) -> str:
    if health.has_error_recovery is None:
        return ""
    limit = health.error_recovery_read_s
    return f", gives a bad sector up after {limit:g} s" if limit else ", retries a bad sector for minutes"


def describe_use(use: Use) -> str:
    """One use as a phrase, the partition named first."""
    where = f"partition {use.partition}: " if use.partition else ""
    return where + _SENTENCES[use.kind].format(use.detail).replace(" ()", "").rstrip()
