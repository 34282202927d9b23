"""The options that name a machine, the same for every command that needs one."""

from __future__ import annotations

import argparse

from raidwright.machine.address import DEFAULT_ROLE, MachineAddress, parse_machine
from raidwright.text.catalogue import tr


def add_machine_options(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` --machine and --role."""
    parser.add_argument(
        "--machine", default="local", metavar="MACHINE", help=tr("local (the default), lab or lab:NAME")
    )
    parser.add_argument(
        "--role",
        default=DEFAULT_ROLE,
        metavar="ROLE",
        help=tr("on a practice machine: root, admin (the default) or user"),
    )


def chosen_machine(options: argparse.Namespace) -> MachineAddress:
    """The machine that the options name; raises InputError."""
    return parse_machine(options.machine, role=options.role)
