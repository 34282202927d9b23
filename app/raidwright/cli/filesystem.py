"""``raidwright filesystem``: make a file system on an array that holds nothing, mount it, unmount it."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict

from raidwright.cli.options.array import add_array_option, confirmed_name, meant_array, refused_as_input
from raidwright.cli.options.machine import add_machine_options, chosen_machine
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import DiskRefused
from raidwright.core.protocol.results import MadeFileSystem, Mounted, Unmounted
from raidwright.core.system.filesystem import FileSystemKind, checked_kind, checked_label, checked_place
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.system import MakeFileSystem, Mount, Unmount

_ACTS = {
    "make": "make a file system on an array that holds nothing",
    "mount": "mount an array's file system below /srv or /mnt",
    "unmount": "unmount it from there",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("filesystem", help="make, mount and unmount an array's file system")
    acts = parser.add_subparsers(dest="act", metavar="ACT", required=True)
    for name, purpose in _ACTS.items():
        act = acts.add_parser(name, help=purpose)
        add_array_option(act)
        if name == "make":
            act.add_argument("--kind", default="ext4", help=f"{', '.join(FileSystemKind)} (default: %(default)s)")
            act.add_argument("--label", default="", help="what it is to be called")
        if name == "mount":
            act.add_argument("--at", required=True, metavar="FOLDER", help="for example /srv/tank")
        add_machine_options(act)
        act.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: argparse.Namespace) -> int:
    try:
        result, text = asyncio.run(_act(options))
    except DiskRefused as refused:
        raise refused_as_input(refused) from refused
    print(json.dumps(asdict(result), indent=2, ensure_ascii=False) if options.json else text)
    return 0


async def _act(options: argparse.Namespace) -> tuple[MadeFileSystem | Mounted | Unmounted, str]:
    if options.act == "make":
        checked_label(options.label, checked_kind(options.kind))
    if options.act == "mount":
        checked_place(options.at)
    async with Machine.connect(chosen_machine(options).bus_address) as machine:
        array = meant_array(options.array, machine.snapshot)
        if options.act == "make":
            kind = checked_kind(options.kind)
            name = confirmed_name(options.yes_name, array, f"{kind} will be made on {array.name} ({array.uuid}).")
            make = MakeFileSystem(Named(array.uuid, name), kind, options.label)
            made = await make.perform(machine, say_progress)
            return made, f"{array.name} holds {made.kind} now, UUID {made.filesystem_uuid}.{_stripe(made)}"
        meant = Named(array.uuid, options.yes_name or array.name)
        if options.act == "mount":
            mounted = await Mount(meant, options.at).perform(machine, say_progress)
            text = f"Mounted at {mounted.place}, until it is unmounted or the computer starts again."
            return mounted, f"{text} For each start: raidwright configure {array.name} --mount {mounted.place}"
        unmounted = await Unmount(meant).perform(machine, say_progress)
        return unmounted, f"Unmounted from {unmounted.place}."


def _stripe(made: MadeFileSystem) -> str:
    if not made.stripe_unit_kib or made.kind is FileSystemKind.BTRFS:
        return ""
    return f" It knows the array's stripe: {made.stripe_unit_kib} KiB a member, {made.stripe_width_kib} KiB in all."
