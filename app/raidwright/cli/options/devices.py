"""Devices that a text names by their nodes: a machine's own, or of a size that is said."""

from __future__ import annotations

import argparse
import asyncio

from raidwright.core.model.disk import Disk
from raidwright.core.units import marketing_bytes, parse_size
from raidwright.text.catalogue import tr

from .machine import add_machine_options, chosen_machine, connected


def add_device_options(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` --disk-size, and --machine, which is nobody unless it is said."""
    parser.add_argument("--disk-size", type=_size, metavar="SIZE", help=tr("how large each disk is, as sold: 8TB"))
    add_machine_options(parser)
    parser.set_defaults(machine=None)


def _size(text: str) -> int:
    return marketing_bytes(parse_size(text))


def disks_of_machine(options: argparse.Namespace) -> tuple[Disk, ...]:
    """The disks of the machine that the options name; none where they name none."""
    return asyncio.run(_disks(options)) if options.machine else ()


async def _disks(options: argparse.Namespace) -> tuple[Disk, ...]:
    async with connected(chosen_machine(options)) as machine:
        return machine.snapshot.disks
