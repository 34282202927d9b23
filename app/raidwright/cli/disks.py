"""``raidwright disks``: the machine's disks, and their uses."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.messages import say
from raidwright.core.model.disk import Disk, Health, Use, UseKind
from raidwright.core.protocol.facts import DiskHealth
from raidwright.core.sizes import decimal_size
from raidwright.machine.disk_json import disk_as_json
from raidwright.machine.machine import Machine
from raidwright.operations.disks import ExamineHealth, as_health
from raidwright.runs.baselines import Baselines
from raidwright.text.catalogue import ntr, tr, translated, with_commas
from raidwright.text.disks import foreign_words
from raidwright.text.memberships import member_words

_PIPE_COLUMNS = 240
_SIZE_COLUMN = 3
_MEMBERS = (UseKind.STOPPED_ARRAY_MEMBER, UseKind.STALE_ARRAY_MEMBER)
_SENTENCES = {
    UseKind.SYSTEM: say("the running system is on it ({what})"),
    UseKind.MOUNTED: say("mounted at {what}"),
    UseKind.SWAP: say("swap space in use ({what})"),
    UseKind.HELD: say("held open by {what}"),
    UseKind.ARRAY_MEMBER: say("member of the running array {what}"),
    UseKind.LVM: say("LVM physical volume {what}"),
    UseKind.ENCRYPTED: say("encrypted ({what})"),
    UseKind.FILESYSTEM: say("holds a file system: {what}"),
    UseKind.PARTITION_TABLE: say("has a partition table ({what})"),
    UseKind.SIGNATURE: say("holds {what}"),
    UseKind.READ_ONLY: say("read-only"),
    UseKind.NAMELESS: say("has no serial number or WWN that is its alone"),
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("disks", help=tr("list a machine's disks and what each is in use for"))
    add_machine_options(parser)
    parser.add_argument(
        "--health", action="store_true", help=tr("also ask each disk how it is (SMART), if it is awake")
    )
    parser.add_argument("--wake", action="store_true", help=tr("with --health: wake those that sleep"))
    parser.add_argument("--json", action="store_true", help=tr("print JSON instead of a table"))


def run(options: argparse.Namespace) -> int:
    if options.wake and not options.health:
        raise InputError("--wake goes with --health.", code="usage")
    disks = asyncio.run(_list_disks(options))
    if options.json:
        print(json.dumps([disk_as_json(disk) for disk in disks], indent=2, ensure_ascii=False))
    elif disks:
        _print_table(disks)
    else:
        print(tr("There are no disks on that machine."))
    return 0


async def _list_disks(options: argparse.Namespace) -> tuple[Disk, ...]:
    async with connected(chosen_machine(options)) as machine:
        disks = await disks_of(machine)
        if not options.health:
            return disks
        return tuple([await _asked(machine, disk, wake=options.wake) for disk in disks])


async def disks_of(machine: Machine) -> tuple[Disk, ...]:
    """Return the machine's disks, with the helper's facts and earlier baselines."""
    await machine.facts_seen()
    return tuple(map(Baselines().with_measured, machine.snapshot.disks))


async def _asked(machine: Machine, disk: Disk, *, wake: bool) -> Disk:
    try:
        told = await ExamineHealth((disk.id,), wake).perform(machine)
    except DiskRefused as error:
        print(f"{disk.device}: {translated(error.sentence)}", file=sys.stderr)
        return disk
    return replace(disk, health=as_health(told.get(disk.id, DiskHealth())))


def _print_table(disks: tuple[Disk, ...]) -> None:
    table = Table(box=None, pad_edge=False)
    headings = (tr("Disk"), tr("Model"), tr("Serial"), tr("Size"), tr("Sectors"), tr("Turns"), tr("Link"), tr("Health"),
                tr("In use for"))  # fmt: skip
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place == _SIZE_COLUMN else "left", overflow="fold")
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
            "\n".join(describe_use(use) for use in disk.uses) or tr("free"),
        )
    # A file or a pipe has no line width.
    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_COLUMNS)
    console.print(table)
    for disk in disks:
        console.print(tr("{device} is {id}", device=disk.device, id=disk.id), soft_wrap=True)


def _sectors(disk: Disk) -> str:
    if disk.logical_sector_bytes is None:
        return "?"
    return f"{disk.logical_sector_bytes}/{disk.physical_sector_bytes}"


def _rotation(rpm: int | None) -> str:
    known = {None: "?", 0: tr("flash"), -1: tr("rotates")}
    return known[rpm] if rpm in known else tr("{rpm} rpm", rpm=rpm)


def _health(health: Health) -> str:
    said = [{None: "?", False: tr("good"), True: tr("FAILING")}[health.failing]]
    if health.temperature_celsius is not None:
        said.append(tr("{degrees:.0f} °C", degrees=health.temperature_celsius))
    if health.bad_sectors:
        said.append(ntr("{count} bad sector", "{count} bad sectors", health.bad_sectors))
    if health.wear_percent is not None:
        said.append(tr("{percent}% worn", percent=health.wear_percent))
    if health.power_on_hours is not None:
        said.append(tr("{hours:,} h", hours=health.power_on_hours))
    return with_commas(*said, *_error_recovery(health))


def _error_recovery(health: Health) -> Iterator[str]:
    if health.has_error_recovery and health.error_recovery_read_s:
        yield tr("gives a bad sector up after {limit:g} s", limit=health.error_recovery_read_s)
    elif health.has_error_recovery is not None:
        yield tr("retries a bad sector for minutes")


def describe_use(use: Use) -> str:
    """Return a use as a phrase, the partition first."""
    said = member_words(use) if use.kind in _MEMBERS else tr(_SENTENCES[use.kind], what=use.detail)
    phrase = foreign_words(use) or said.replace(" ()", "").rstrip()
    return tr("partition {number}: {use}", number=use.partition, use=phrase) if use.partition else phrase
