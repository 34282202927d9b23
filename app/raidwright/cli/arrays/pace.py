"""``raidwright array pace``: md's work on an array slowed down, paused, or resumed."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from raidwright.cli.options.array import single_array
from raidwright.cli.options.numbers import positive
from raidwright.core.md.sync import NO_LIMIT_KIB_S, limit_kib_s
from raidwright.machine.machine import Machine
from raidwright.operations.changing import PaceChange
from raidwright.text.catalogue import joined, tr
from raidwright.text.pace import gives_way_words


def add_pace_options(act: argparse.ArgumentParser) -> None:
    """Add the options of ``array pace`` to its parser."""
    one = act.add_mutually_exclusive_group(required=True)
    one.add_argument("--limit", type=positive, metavar="MB_S", help=tr("at most so many MB/s along each disk"))
    one.add_argument("--pause", action="store_true", help=tr("pause it, to 1 KiB/s"))
    one.add_argument("--resume", action="store_true", help=tr("as fast as the system's own limit lets it"))


async def pace(options: argparse.Namespace, machine: Machine) -> tuple[Mapping[str, object], str]:
    """Set the pace; return --json's output, and the text. Raises InputError."""
    array = single_array(options.array, machine.snapshot)
    limit = limit_kib_s(options.limit) if options.limit else NO_LIMIT_KIB_S if options.resume else 0
    await PaceChange(array.named, limit).perform(machine)
    told = tr("md's work on “{name}” goes on, as fast as the system lets it.", name=array.name)
    if options.pause:
        told = tr("md's work on “{name}” is paused; --resume lets it go on.", name=array.name)
    elif options.limit:
        told = tr(
            "md works on “{name}” with at most {limit} MB/s along each disk.", name=array.name, limit=options.limit
        )
    if not options.pause:
        told = joined(told, gives_way_words(array))
    return {"limit_kib_s": None if options.resume else max(1, limit)}, told
