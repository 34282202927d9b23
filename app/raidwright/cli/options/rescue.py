"""The options of ``raidwright array rescue``, apart from what it does: --help imports none of that."""

from __future__ import annotations

import argparse

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Metadata
from raidwright.text.catalogue import tr

from .machine import add_machine_options


def add_rescue_parser(acts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the act to ``acts``."""
    purpose = tr("bring back an array that doesn't start; whatever is tried is tried on overlays first")
    act = acts.add_parser("rescue", help=purpose, description=f"{purpose[:1].upper()}{purpose[1:]}.")
    act.add_argument(
        "targets",
        metavar="NAME|DISK",
        nargs="*",
        help=tr("the array's name or UUID, and the disks to examine; without disks all that nothing uses"),
    )
    act.add_argument(
        "--card", metavar="FILE", help=tr("its recovery card, plan, mdadm --create command or report, if you have one")
    )
    act.add_argument("--level", choices=[str(level) for level in Level], help=tr("without a card: its level"))
    act.add_argument("--layout", help=tr("without a card: its layout, if it wasn't mdadm's default"))
    act.add_argument("--chunk-kib", type=int, metavar="KIB", help=tr("without a card: its chunk, if it wasn't 512"))
    act.add_argument("--metadata", choices=[str(one) for one in Metadata], default="1.2", help=tr("its metadata"))
    act.add_argument(
        "--data-offset-kib",
        type=int,
        metavar="KIB",
        help=tr("without a card: where the members' data begin (mdadm --examine says it in sectors of half a KiB)"),
    )
    act.add_argument("--try", dest="try_", metavar="N", help=tr("try hypothesis N on overlays; “all” until one works"))
    act.add_argument("--files", action="store_true", help=tr("list some of the files that a trial found"))
    act.add_argument("--for-real", metavar="N", help=tr("do for real what was tried with success"))
    act.add_argument("--yes-name", metavar="NAME", help=tr("the array's name, to confirm without being asked"))
    add_machine_options(act)
    act.add_argument("--json", action="store_true", help=tr("print JSON"))
