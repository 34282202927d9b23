"""The disk arguments of a command, and the confirmation to overwrite them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from raidwright.cli.printing.uses import describe_use
from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.model.disk import Disk
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.text.catalogue import tr, with_semicolons

from .array import ambiguous_disk


def meant_disks(texts: Sequence[str], disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
    """Return the disks that ``texts`` name, each once, in their order; raises InputError."""
    if list(texts) == ["all"]:
        return disks
    found: list[Disk] = []
    for text in texts:
        meant = [disk for disk in disks if text in (disk.id, disk.device, disk.serial, *disk.by_id)]
        if len(meant) != 1:
            raise ambiguous_disk(text, is_several=bool(meant))
        found += [disk for disk in meant if disk not in found]
    return tuple(found)


def confirm_overwriting(disks: Sequence[Disk], what: str) -> None:
    """Print ``what``, then have a person type each disk's serial number as confirmation; raises InputError."""
    print(what, file=sys.stderr)
    for disk in disks:
        uses = with_semicolons(*map(describe_use, disk.uses)) or tr("free")
        size = tr("{size_bytes:size}", size_bytes=disk.size_bytes)
        print(f"  {disk.device}  {disk.model}  {disk.serial}  {size}  {uses}", file=sys.stderr)
    if not sys.stdin.isatty():
        raise InputError("To have the disks written over without being asked, say --yes.", code="not-confirmed")
    for disk in disks:
        name = disk.serial or disk.id
        print(tr("Type {name} to go on: ", name=name), end="", file=sys.stderr, flush=True)
        if (given := sys.stdin.readline().strip()) != name:
            raise InputError(
                "What was typed is “{given}”, the disk is {name}. Nothing was done.",
                code="not-confirmed",
                given=given,
                name=name,
            )


def say_way_over_unknown(error: RaidwrightError) -> None:
    """Print on stderr the option that releases unrecognised bytes, if these were refused."""
    if error.fields.get("signatures") == [UNKNOWN]:
        print(tr("raidwright: If nothing on it is wanted, add --overwrite-unknown."), file=sys.stderr)
