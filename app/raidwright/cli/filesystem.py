"""``raidwright filesystem``: make a file system on an empty array, mount it, unmount it."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict

from raidwright.cli.options.array import add_array_option, confirmed_name, meant_array, refused_as_input
from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import DiskRefused
from raidwright.core.messages import say
from raidwright.core.protocol.results import MadeFileSystem, Mounted, Unmounted
from raidwright.core.system.filesystem import FileSystemKind, checked_kind, checked_label, checked_place
from raidwright.machine.values import Named
from raidwright.operations.system import MakeFileSystem, Mount, Unmount
from raidwright.text.catalogue import joined, tr, translated

_ACTS = {
    "make": say("make a file system on an array that holds nothing"),
    "mount": say("mount an array's file system below /srv or /mnt"),
    "unmount": say("unmount it from there"),
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("filesystem", help=tr("make, mount and unmount an array's file system"))
    acts = parser.add_subparsers(dest="act", metavar="ACT", required=True)
    for name, purpose in _ACTS.items():
        act = acts.add_parser(name, help=translated(purpose))
        add_array_option(act)
        if name == "make":
            act.add_argument(
                "--kind",
                default="ext4",
                help=tr("{kinds} (default: %(default)s)", kinds=list(FileSystemKind)),
            )
            act.add_argument("--label", default="", help=tr("its label"))
        if name == "mount":
            act.add_argument("--at", required=True, metavar="FOLDER", help=tr("for example /srv/tank"))
        add_machine_options(act)
        act.add_argument("--json", action="store_true", help=tr("print the result as JSON"))


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
    async with connected(chosen_machine(options)) as machine:
        array = meant_array(options.array, machine.snapshot)
        if options.act == "make":
            kind = checked_kind(options.kind)
            name = confirmed_name(
                options.yes_name,
                array,
                tr("{kind} will be made on {name} ({uuid}).", kind=kind, name=array.name, uuid=array.uuid),
            )
            make = MakeFileSystem(Named(array.uuid, name), kind, options.label)
            made = await make.perform(machine, say_progress)
            said = tr(
                "{array} holds {kind} now, UUID {uuid}.", array=array.name, kind=made.kind, uuid=made.filesystem_uuid
            )
            return made, joined(said, _stripe(made))
        meant = Named(array.uuid, options.yes_name or array.name)
        if options.act == "mount":
            mounted = await Mount(meant, options.at).perform(machine, say_progress)
            return mounted, tr(
                "Mounted at {place}, until it is unmounted or the computer starts again. For each start: "
                "raidwright configure {array} --mount {place}",
                place=mounted.place,
                array=array.name,
            )
        unmounted = await Unmount(meant).perform(machine, say_progress)
        return unmounted, tr("Unmounted from {place}.", place=unmounted.place)


def _stripe(made: MadeFileSystem) -> str:
    if not made.stripe_unit_kib or made.kind is FileSystemKind.BTRFS:
        return ""
    return tr(
        "It knows the array's stripe: {unit_kib} KiB a member, {width_kib} KiB in all.",
        unit_kib=made.stripe_unit_kib,
        width_kib=made.stripe_width_kib,
    )
