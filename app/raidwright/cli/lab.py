"""``raidwright lab``: practice machines from the command line."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from raidwright.cli.options.numbers import decimal
from raidwright.core.errors import InputError, Unreachable
from raidwright.core.messages import say
from raidwright.lab import machine
from raidwright.lab.disks.kinds import kinds
from raidwright.lab.disks.server import Fault, StoreState
from raidwright.lab.image import NEWEST_STABLE, Generation
from raidwright.lab.machine import Lab, LabSpec
from raidwright.lab.shelf import disks_from_text, next_number
from raidwright.text.catalogue import ntr, tr, translated

_DEFAULT_NAME = "practice"
_DEFAULT_DISKS = "4x8TB"
_DISKS_HELP = say(
    "disks such as 4x8TB:hdd7200+2TB:ext4; after colons of which kind they are (“lab kinds”; by default hdd7200, "
    "or ssd if small; “memory”: as fast as memory) "
    "and what they hold: gpt, ext4, lvm, md or mounted; after @ the link that they share (2x4TB:hdd5400@usb3)"
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's own parser."""
    parser = subparsers.add_parser("lab", help=tr("start, list, use and stop practice machines"))
    parser.add_argument("--name", default=_DEFAULT_NAME, help=tr("which practice machine (%(default)s)"))
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    up = actions.add_parser("up", help=tr("start one; it lives until “lab down”"))
    up.add_argument("disks", nargs="?", default=_DEFAULT_DISKS, help=f"{translated(_DISKS_HELP)} (%(default)s)")
    up.add_argument(
        "--generation",
        choices=list(Generation),
        default=NEWEST_STABLE,
        help=tr("which Debian it runs, with that Debian's own kernel (%(default)s)"),
    )
    up.add_argument("--memory", type=int, default=machine.DEFAULT_MEMORY_MIB, metavar="MIB", help="%(default)s")
    up.add_argument(
        "--pace",
        type=decimal,
        default=1.0,
        metavar="P",
        help=tr("how many of its seconds pass in one of ours: 0.25 is slow motion, 10 a time lapse (%(default)s)"),
    )
    actions.add_parser("kinds", help=tr("list the kinds of disks, with what their data sheets say"))
    actions.add_parser("down", help=tr("stop it; its disks are gone then, only the system's image stays in the cache"))
    status = actions.add_parser("status", help=tr("list those that run"))
    status.add_argument("--json", action="store_true", help=tr("as JSON"))
    execute = actions.add_parser("exec", help=tr("run a command in it, as root"))
    execute.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    disk = actions.add_parser("disk", help=tr("plug disks in or out")).add_subparsers(dest="disk_action", required=True)
    disk.add_parser("add", help=tr("plug in")).add_argument("disks", help=translated(_DISKS_HELP))
    disk.add_parser("pull", help=tr("pull out, as a cable would be")).add_argument("serial")
    disk.add_parser("cut", help=tr("cut its power: what its write cache holds is lost")).add_argument("serial")
    fault = disk.add_parser("fault", help=tr("let it fail, be slow or hang, or be sound again"))
    fault.add_argument("serial")
    fault.add_argument("fault", choices=list(Fault))
    spoil = disk.add_parser("spoil", help=tr("let a place not be read until it is written"))
    spoil.add_argument("serial")
    spoil.add_argument("first_byte", type=int, metavar="FIRST_BYTE")
    spoil.add_argument("size_bytes", type=int, metavar="BYTES")
    disk.add_parser("plug", help=tr("plug a pulled one in again, with what it holds")).add_argument("serial")


def run(args: argparse.Namespace) -> int:
    """Run the action; return the exit code, for ``exec`` the command's."""
    match args.action:
        case "up":
            return _up(args)
        case "down":
            machine.find(args.name).stop()
        case "kinds":
            _print_kinds()
        case "status":
            _print_status(as_json=args.json)
        case "exec":
            return _exec(machine.find(args.name), args.command)
        case "disk":
            return _disk(machine.find(args.name), args)
    return 0


def _say_on_stderr(text: str) -> None:
    print(translated(text), file=sys.stderr, flush=True)


def _up(args: argparse.Namespace) -> int:
    spec = LabSpec(disks_from_text(args.disks), Generation(args.generation), args.memory, pace=args.pace)
    lab = machine.start(spec, name=args.name, detach=True, say=_say_on_stderr)
    print(tr("{name} is up; its system bus: {bus_address}", name=lab.name, bus_address=lab.bus_address()))
    return 0


def _print_kinds() -> None:
    for kind in kinds().values():
        print(f"{kind.name:15} {kind.what}\n{'':15} {kind.vendor} {kind.model}. {kind.source}")


def _print_status(*, as_json: bool) -> None:
    labs = machine.list_labs()
    if as_json:
        print(json.dumps([_facts(lab) for lab in labs]))
        return
    if not labs:
        print(tr("No practice machine runs; “raidwright lab up 4x8TB” starts one."))
    for lab in labs:
        store, address = _store_words(_store(lab)), lab.bus_address()
        said = {"name": lab.name, **_runs(lab), "address": address, "store": store}
        print(tr("{name}: Debian {generation}, Linux {kernel}; system bus {address}; {store}", **said))


def _facts(lab: Lab) -> dict[str, object]:
    buses = {role: lab.bus_address(role) for role in machine.ROLES}
    return {"name": lab.name, **_runs(lab), "bus": buses, "store": asdict(store) if (store := _store(lab)) else None}


def _runs(lab: Lab) -> dict[str, str]:
    system = lab.system
    return {"generation": system.generation if system else "?", "kernel": system.kernel.version if system else "?"}


def _store(lab: Lab) -> StoreState | None:
    """Return its use of space; None while it starts or ends."""
    try:
        return lab.store()
    except Unreachable:
        return None


def _store_words(store: StoreState | None) -> str:
    if store is None:
        return tr("it is starting or ending")
    facts = {"used_bytes": store.used_bytes, "folder": store.folder}
    if store.held_writes:
        return ntr(
            "its disks hold {used_bytes:size} in {folder}; {count} writes wait for room: free some there, and they "
            "go on",
            "its disks hold {used_bytes:size} in {folder}; {count} writes wait for room: free some there, and they "
            "go on",
            store.held_writes,
            **facts,
        )
    return tr(
        "its disks hold {used_bytes:size} in {folder}, which has room for {room_bytes:size} more",
        room_bytes=store.room_bytes,
        **facts,
    )


def _exec(lab: Lab, command: list[str]) -> int:
    argv = command[1:] if command[:1] == ["--"] else command
    if not argv:
        raise InputError("Say which command to run: raidwright lab exec -- mdadm --detail --scan", code="usage")
    stdin = None if sys.stdin.isatty() else sys.stdin.buffer
    code = lab.exec_through(argv, stdin, sys.stdout.buffer, sys.stderr.buffer)
    return code if code >= 0 else 128 - code


def _disk(lab: Lab, args: argparse.Namespace) -> int:
    match args.disk_action:
        case "pull":
            lab.pull_disk(args.serial)
        case "cut":
            lab.cut_disk(args.serial)
        case "plug":
            lab.plug_disk(args.serial)
        case "fault":
            lab.fault_disk(args.serial, Fault(args.fault))
        case "spoil":
            lab.spoil_disk(args.serial, args.first_byte, args.first_byte + args.size_bytes)
        case "add":
            disks = disks_from_text(args.disks, first_number=next_number(lab.disks() + lab.pulled_disks()))
            lab.add_disks(disks)
            print("\n".join(disk.serial for disk in disks))
    return 0
