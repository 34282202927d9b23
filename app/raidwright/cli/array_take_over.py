"""``raidwright array take-over``: an array from another computer becomes this one's own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict

from raidwright.cli.options.array import confirmed_name, single_array
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import InputError
from raidwright.core.md.assembly import AssemblyState
from raidwright.core.model.names import is_array_name
from raidwright.core.protocol.results import Configured, Preview, TakenOver
from raidwright.core.system.filesystem import checked_place
from raidwright.machine.machine import Machine
from raidwright.machine.values import Array, Named
from raidwright.operations.arrays import TakeOver
from raidwright.operations.system import Configuration, Mount, PreviewConfiguration, WriteConfiguration
from raidwright.text.array_states import state_line
from raidwright.text.catalogue import joined, tr


def add_take_over_options(act: argparse.ArgumentParser) -> None:
    """Add the options of ``array take-over``."""
    act.add_argument("--name", default="", dest="new_name", metavar="NEW", help=tr("its name from now on"))
    act.add_argument("--mount", default="", metavar="FOLDER", help=tr("mount its file system there, such as /srv/tank"))
    act.add_argument("--dry-run", action="store_true", help=tr("only say what would be done"))


async def take_over(options: argparse.Namespace, machine: Machine) -> tuple[Mapping[str, object], str]:
    """Take the array over, then write its lines, each shown first; return the JSON and the text.

    Raises InputError for an array that can't be taken over as it is.
    """
    array = single_array(options.array, machine.snapshot)
    place = options.mount and checked_place(options.mount)
    new_name = options.new_name or array.name
    before = _deeds(array, new_name, place)
    _verify_may_be_taken(array, new_name, machine.snapshot.arrays)
    if options.dry_run:
        return {"steps": before}, "\n".join([*before, tr("Nothing is done yet; without --dry-run it is.")])
    named = Named(array.uuid, confirmed_name(options.yes_name, array, "\n".join(before)))
    taken = await TakeOver(named, new_name).perform(machine, say_progress)
    mine = Named(array.uuid, taken.name)
    if place:
        await Mount(mine, place).perform(machine, say_progress)
    wanted = Configuration(place=place)
    shown = await PreviewConfiguration(mine, wanted).perform(machine)
    print("\n".join(shown.difference), file=sys.stderr)
    written = None
    if shown.difference:
        written = await WriteConfiguration(mine, wanted, shown.token).perform(machine, say_progress)
    plain = {
        "taken_over": asdict(taken),
        "lines": list(shown.difference),
        "files": list(written.files if written else ()),
    }
    return plain, _text(taken, shown, written, place)


def _deeds(array: Array, new_name: str, place: str) -> list[str]:
    home = array.host.hostname if array.host and array.host.hostname else tr("this computer")
    said = [tr("“{name}” is stopped.", name=array.name)] if array.running else []
    said.append(
        tr(
            "Its superblocks say {new} instead of {old}: mdadm --assemble --update=name.",
            new=f"{home}:{new_name}",
            old=f"{array.homehost}:{array.name}" if array.homehost else array.name,
        )
    )
    if place:
        said.append(tr("It is mounted at {place}.", place=place))
    said.append(
        tr("mdadm.conf gets its line, fstab one if it is mounted, and the initramfs is made anew if it has one.")
    )
    return said


def _verify_may_be_taken(array: Array, new_name: str, arrays: tuple[Array, ...]) -> None:
    """Raise InputError where the helper would refuse, before anything is stopped."""
    if not is_array_name(new_name):
        raise InputError(
            "“{name}” is no name for an array here; choose another with --name.", code="array-name", name=new_name
        )
    if array.make or array.is_container:
        return  # the question for its name says so
    known = array.assembly
    cannot = not array.running and known is not None and known.state is not AssemblyState.STOPPED
    if cannot or array.is_unreadable:
        raise InputError(
            "“{name}” can't be started, so it can't be taken over. {why}",
            code="array-short",
            name=array.name,
            why=state_line(array).sentence,
        )
    if array.members_missing or array.lacks:
        raise InputError(
            "“{name}” isn't whole: {here} of {slots} members are here. The others would keep the old name; make it "
            "whole first.",
            code="array-not-whole",
            name=array.name,
            here=array.members_here,
            slots=array.slots,
        )
    if array.mounted_at:
        raise InputError(
            "“{name}” is mounted at {place}. Unmount it first.",
            code="array-mounted",
            name=array.name,
            place=array.mounted_at,
        )
    if any(other.name == new_name and other.uuid != array.uuid for other in arrays):
        raise InputError(
            "Another array is called “{name}”; give this one another name with --name.",
            code="array-name-taken",
            name=new_name,
        )


def _text(taken: TakenOver, shown: Preview, written: Configured | None, place: str) -> str:
    own = tr("“{name}” is this computer's own and runs as {device}.", name=taken.name, device=taken.device)
    at = tr("It is mounted at {place}.", place=place) if place else ""
    if written is None:
        return joined(own, at, tr("The files say all this already."))
    files = tr("{files:and}: written; “raidwright configure --restore” takes that back.", files=list(written.files))
    anew = tr("The initramfs is made anew.") if shown.initramfs else ""
    return joined(own, at, files, anew)
