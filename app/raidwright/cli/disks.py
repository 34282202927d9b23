"""``raidwright disks``: the machine's disks, and their uses."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import asdict, replace

from rich.console import Console
from rich.table import Table

from raidwright.cli.options.disks import meant_disks
from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.progress import say_progress
from raidwright.cli.printing.uses import describe_use
from raidwright.core.errors import DiskRefused, InputError, RaidwrightError
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import UNKNOWN, DiskHealth
from raidwright.core.protocol.results import DiskLocated, LocateWay, NoLight
from raidwright.core.sizes import decimal_size
from raidwright.core.system.locating import MAX_SECONDS, checked_locate_seconds
from raidwright.machine.bays import KeptBays, bay_of, checked_bay
from raidwright.machine.disk_json import disk_as_json
from raidwright.machine.machine import Machine
from raidwright.machine.transport import is_far
from raidwright.operations.disks import ExamineHealth, ExamineSignatures, as_health
from raidwright.operations.locate import LocateDisk
from raidwright.runs.baselines import Baselines
from raidwright.text.catalogue import joined, tr, translated, with_commas
from raidwright.text.disk.bays import bay_key, place_words
from raidwright.text.disk.health import counts, error_recovery, is_good, warnings

_PIPE_COLUMNS = 240
_SIZE_COLUMN = 3


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("disks", help=tr("list a machine's disks and what each is in use for"))
    add_machine_options(parser)
    parser.add_argument(
        "--health", action="store_true", help=tr("also ask each disk how it is (SMART), if it is awake")
    )
    parser.add_argument("--wake", action="store_true", help=tr("with --health or --locate: wake those that sleep"))
    parser.add_argument(
        "--locate", metavar="DISK", help=tr("show which one it is: by its bay's light, or by reads that one can watch")
    )
    parser.add_argument(
        "--way", choices=tuple(map(str, LocateWay)), help=tr("with --locate: by the light alone, or by reads alone")
    )
    parser.add_argument(
        "--seconds", type=int, metavar="S", help=tr("with --locate: for so long; Ctrl+C ends it sooner (60)")
    )
    parser.add_argument(
        "--bay",
        metavar="DISK=NAME",
        help=tr("name a disk's place, by the disk or its link: --bay 'ata3=bay 2, bottom'"),
    )
    parser.add_argument("--json", action="store_true", help=tr("print JSON instead of a table"))


def run(options: argparse.Namespace) -> int:
    if options.wake and not (options.health or options.locate):
        raise InputError("--wake goes with --health or --locate.", code="usage")
    if (options.way or options.seconds is not None) and not options.locate:
        raise InputError("--way and --seconds go with --locate.", code="usage")
    if options.locate:
        located = asyncio.run(_locate(options))
        print(json.dumps(asdict(located), indent=2) if options.json else _located_text(located))
        return 0
    if options.bay:
        place, has_name, name = options.bay.partition("=")
        if not (place and has_name):
            raise InputError("A bay is named by DISK=NAME or LINK=NAME: 'ata3=bay 2, bottom'.", code="usage")
        checked_bay(name)
        KeptBays().name(options.machine, asyncio.run(_place(options, place)), name)
    disks = asyncio.run(_list_disks(options))
    if options.json:
        told = [disk_as_json(disk) | {"bay": bay_of(bay_key(disk))} for disk in disks]
        print(json.dumps(told, indent=2, ensure_ascii=False))
    elif disks:
        _print_table(disks)
    else:
        print(tr("There are no disks on that machine."))
    return 0


async def _list_disks(options: argparse.Namespace) -> tuple[Disk, ...]:
    async with connected(chosen_machine(options)) as machine:
        disks = await disks_of(machine)
        if not is_far(machine.address):  # there it would ask for a password that nothing else here takes
            disks = tuple(await asyncio.gather(*(_looked_at(machine, disk) for disk in disks)))
        if not options.health:
            return disks
        return tuple([await _asked(machine, disk, wake=options.wake) for disk in disks])


async def _looked_at(machine: Machine, disk: Disk) -> Disk:
    """Return ``disk``, and if it looks empty, with the unrecognised bytes that a build would find on it.

    A disk in standby isn't woken; what can't be looked at stays as it is.
    """
    if not (disk.is_free and disk.by_id):
        return disk
    try:
        found = await ExamineSignatures((disk.id,)).perform(machine)
    except RaidwrightError:
        return disk
    is_unknown = any(one.name == UNKNOWN for one in found.get(disk.id, ()))
    return replace(disk, uses=(*disk.uses, Use(UseKind.SIGNATURE, UNKNOWN))) if is_unknown else disk


async def _place(options: argparse.Namespace, text: str) -> str:
    """Return what a bay is named by, of the one disk that ``text`` names, itself or by its link; raises InputError."""
    async with connected(chosen_machine(options)) as machine:
        await machine.facts_seen()
        disks = machine.snapshot.disks
    names = [disk for disk in disks if text in (disk.id, disk.device, disk.serial, disk.path, disk.link, *disk.by_id)]
    keys = [bay_key(disk) for disk in names]
    if len(keys) == 1 and keys[0] and [bay_key(disk) for disk in disks].count(keys[0]) == 1:
        return keys[0]
    raise InputError(
        "“{text}” is not the place of one disk alone; name the disk that is there, by its serial number.",
        code="bay",
        text=text,
    )


async def _locate(options: argparse.Namespace) -> DiskLocated:
    seconds = checked_locate_seconds(MAX_SECONDS if options.seconds is None else options.seconds)
    way = LocateWay(options.way) if options.way else None
    async with connected(chosen_machine(options)) as machine:
        await machine.facts_seen()
        [disk] = meant_disks([options.locate], machine.snapshot.disks)
        request = LocateDisk(disk.as_member(), way, seconds, options.wake)
        try:
            return await request.perform(machine, say_progress)
        except DiskRefused as error:
            if error.code == Code.ASLEEP:
                print(tr("raidwright: Add --wake to wake it."), file=sys.stderr)
            raise


def _located_text(located: DiskLocated) -> str:
    if located.way is LocateWay.LIGHT:
        return tr("The locate light of its bay is off again.")
    why = {
        NoLight.NO_PROGRAM: tr("For a bay's locate light install ledctl (package ledmon)."),
        NoLight.NO_BAY: tr("ledctl knows no light of its bay."),
        NoLight.NOTHING: "",
    }[located.no_light]
    return joined(tr("It is not read from any more."), why)


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
            place_words(disk),
            _health(disk),
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


def _health(disk: Disk) -> str:
    health = disk.health
    warned = list(warnings(health))
    passes = tr("good") if is_good(health) else "" if warned else tr("SMART passes")
    said = [{None: "?", False: passes, True: tr("FAILING")}[health.failing], *warned]
    if health.temperature_celsius is not None:
        said.append(tr("{degrees:.0f} °C", degrees=health.temperature_celsius))
    said += counts(health)
    if health.power_on_hours is not None:
        said.append(tr("{hours:,} h", hours=health.power_on_hours))
    return with_commas(*filter(None, said), *error_recovery(disk))
