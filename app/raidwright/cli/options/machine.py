"""The options that name a machine, the same for all commands."""

from __future__ import annotations

import argparse
from contextlib import AbstractAsyncContextManager

from raidwright.machine.address import DEFAULT_ROLE, MachineAddress, parse_machine
from raidwright.machine.bays import KeptBays, use_bays
from raidwright.machine.machine import Machine
from raidwright.machine.seen_members import Roll
from raidwright.text.catalogue import tr

from .terminal import Terminal


def add_machine_options(parser: argparse.ArgumentParser) -> None:
    """Add --machine and --role to ``parser``."""
    parser.add_argument(
        "--machine",
        default="local",
        metavar="MACHINE",
        help=tr("local (the default), lab, lab:NAME or ssh://[USER@]HOST[:PORT]"),
    )
    parser.add_argument(
        "--role",
        default=DEFAULT_ROLE,
        metavar="ROLE",
        help=tr("on a practice machine: root, admin (the default) or user"),
    )


def chosen_machine(options: argparse.Namespace) -> MachineAddress:
    """Return the machine's address in the options, and use its bays' names; raises InputError."""
    use_bays(KeptBays().of(options.machine))
    return parse_machine(options.machine, role=options.role)


def connected(address: MachineAddress, roll: Roll | None = None) -> AbstractAsyncContextManager[Machine]:
    """Connect to the machine at ``address`` for a block; its questions come to the terminal."""
    return Machine.connect(address.bus_address, roll, Terminal())
