"""Devices named by their nodes in a text: a machine's own, or of a given size."""

from __future__ import annotations

import argparse
import asyncio

from raidwright.core.model.disk import Disk
from raidwright.core.units import marketing_bytes, parse_size
from raidwright.text.catalogue import tr

from .machine import add_machine_options, chosen_machine, connected


def add_device_options(parser: argparse.ArgumentParser) -> None:
    """Add --disk-size, and --machine, without a default, to ``parser``."""
    parser.add_argument("--disk-size", type=_size, metavar="SIZE", help=tr("how large each disk is, as sold: 8TB"))
    add_machine_options(parser)
    parser.set_defaults(machine=None)


def _size(text: str) -> int:
    return marketing_bytes(parse_size(text))


def disks_of_machine(options: argparse.Namespace) -> tuple[Disk, ...]:
    """Return the disks of the machine in the options; none without one."""
    return asyncio.run(_disks(options)) if options.machine else ()


async def _disks(options: argparse.Namespace) -> tuple[Disk, ...]:
    async with connected(chosen_machine(options)) as machine:
        return machine.snapshot.disks
