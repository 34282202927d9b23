"""``raidwright tune``: the settings of an array and its disks, and changing them, for now or persistently."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, fields

from raidwright.cli.options.array import add_array_option, meant_array, refused_as_input, typed_name
from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.json_fields import Fields
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.protocol.results import ArraySettings
from raidwright.core.system.tuning import Lasting, Scheduler, Tuning, read_tuning
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Array, Named
from raidwright.operations.system import ExamineSettings, Tune
from raidwright.text.catalogue import ntr, tr, translated

_HELP = {
    "read_ahead_kib": say("how far to read ahead, in KiB"),
    "member_read_ahead_kib": say("how far to read ahead of each disk, in KiB, where md doesn't do so itself"),
    "stripe_cache_size": say(
        "pages of stripe cache a member (raid4, 5, 6); memory is 4 KiB times this times the members"
    ),
    "group_thread_cnt": say("threads that compute parity (raid4, 5, 6); 0 is one thread in all"),
    "sync_speed_min_kib": say("KiB/s a member that a synchronisation takes however busy the array is"),
    "sync_speed_max_kib": say("KiB/s a member that a synchronisation takes at most"),
    "scheduler": say("who orders a disk's requests: {schedulers}", schedulers=list(Scheduler)),
    "error_recovery_s": say(
        "seconds after which a disk gives a bad sector up; where it has no such limit, the kernel "
        "gets more patience instead"
    ),
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "tune", help=tr("see and set an array's read-ahead, stripe cache, speeds, schedulers")
    )
    add_array_option(parser)
    for field in fields(Tuning):
        kind = str if field.name == "scheduler" else int
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=kind, help=translated(_HELP[field.name]))
    lasting = parser.add_mutually_exclusive_group()
    lasting.add_argument("--always", action="store_true", help=tr("at each boot as well, with what is kept already"))
    lasting.add_argument("--forget", action="store_true", help=tr("no longer at each boot"))
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print the settings as JSON"))


def run(options: argparse.Namespace) -> int:
    given = {field.name: getattr(options, field.name) for field in fields(Tuning)}
    tuning = read_tuning(Fields(given, tr("The settings")))
    lasting = Lasting.ALWAYS if options.always else Lasting.FORGET if options.forget else Lasting.NOW
    if tuning.is_empty and lasting is Lasting.ALWAYS:
        raise InputError("Say what to set at each boot, for example --read-ahead-kib 4096.", code="usage")
    try:
        settings = asyncio.run(_tune(options, tuning, lasting))
    except DiskRefused as refused:
        raise refused_as_input(refused) from refused
    if options.json:
        print(json.dumps(_as_json(settings), indent=2, ensure_ascii=False))
    else:
        print("\n\n".join("\n".join(filter(None, (name, _text(each)))) for name, each in settings.items()))
    return 0


def _as_json(settings: Mapping[str, ArraySettings]) -> Mapping[str, object]:
    told: Mapping[str, Mapping[str, object]] = {name: asdict(each) for name, each in settings.items()}
    return told.get("", {"arrays": told})


async def _tune(options: argparse.Namespace, tuning: Tuning, lasting: Lasting) -> Mapping[str, ArraySettings]:
    """Return the array's settings by "", once they are set; of a joined volume those of its arrays, by name."""
    async with connected(chosen_machine(options)) as machine:
        array = meant_array(options.array, machine.snapshot)
        if isinstance(array, Volume):
            typed_name(options.yes_name or array.name, array.name)
            wanted = {band.name: (band.named, one) for band, one in _of_bands(array, tuning)}
        else:
            wanted = {"": (Named(array.uuid, options.yes_name or array.name), tuning)}
        if tuning.is_empty and lasting is Lasting.NOW:
            return {name: await ExamineSettings(meant).perform(machine) for name, (meant, _) in wanted.items()}
        return {
            name: await Tune(meant, one, lasting).perform(machine, say_progress)
            for name, (meant, one) in wanted.items()
        }


def _of_bands(volume: Volume, tuning: Tuning) -> list[tuple[Array, Tuning]]:
    """Return what each array of a joined volume gets, without those that have none of it; raises InputError."""
    if tuning.read_ahead_kib is not None:
        raise InputError("A joined volume's read-ahead is LVM's: see lvchange --readahead.", code="usage")
    of_each = [(band, tuning.of_level(Level(band.level))) for band in volume.bands]
    wanted = [(band, one) for band, one in of_each if tuning.is_empty or not one.is_empty]
    if not wanted:
        raise InputError("None of the volume's arrays has parity, and only such have that setting.", code="usage")
    return wanted


def _text(settings: ArraySettings) -> str:
    lines = [f"{name:<20} {value}" for name, value in settings.settings.items()]
    count = len(settings.kept)
    if count:
        kept = ntr("At each boot: {count} rules.", "At each boot: {count} rules.", count)
    else:
        kept = tr("Nothing is kept for the next boot.")
    return "\n".join([*lines, *settings.disks, kept])
