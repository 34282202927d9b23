"""``--remove DISK=NAMES``: signatures released for erasure, by disk."""

from __future__ import annotations

import argparse

from raidwright.core.errors import InputError
from raidwright.core.lvm.whole_disks import disk_ids
from raidwright.core.model.plan import Plan
from raidwright.core.protocol.facts import SignatureNames
from raidwright.core.protocol.signature_names import is_signature_name
from raidwright.text.catalogue import tr


def add_remove_option(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add the option, which may be given once per disk."""
    parser.add_argument(
        "--remove",
        action="append",
        default=[],
        metavar="DISK=NAMES",
        help=tr("{what}, by name: --remove wwn-0x5000c500a1b2c3d4=gpt,PMBR,1:ext4", what=purpose),
    )


def removals(options: argparse.Namespace, plan: Plan) -> SignatureNames:
    """Return the sorted names by disk; raises InputError for an invalid value, or a disk outside the plan."""
    meant = disk_ids(plan.top)
    named = dict(map(_removal, options.remove))
    if strange := sorted(named.keys() - meant):
        raise InputError("--remove names what is no disk of the plan: {strange}.", code="usage", strange=strange)
    return named


def _removal(text: str) -> tuple[str, tuple[str, ...]]:
    disk, equals, names = text.partition("=")
    if not (disk and equals and all(map(is_signature_name, names.split(",")))):
        raise InputError(
            "“{text}” is not a disk's id, an equals sign, and names with commas between.", code="usage", text=text
        )
    return disk, tuple(sorted(set(names.split(","))))
