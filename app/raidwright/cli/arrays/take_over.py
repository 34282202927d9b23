"""``raidwright array take-over``: an array from another computer becomes this one's own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace

from raidwright.cli.options.array import confirmed_name, single_array
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import InputError
from raidwright.core.md.assembly import AssemblyState
from raidwright.core.md.member_superblock import waits_at_start
from raidwright.core.model.names import is_array_name
from raidwright.core.model.plan import Metadata
from raidwright.core.protocol.results import Configured, Preview, TakenOver
from raidwright.core.system.filesystem import checked_place
from raidwright.machine.machine import Machine
from raidwright.machine.states.volume import State
from raidwright.machine.values import Named
from raidwright.operations.arrays import TakeOver
from raidwright.operations.changing import ExamineChange
from raidwright.operations.system import Configuration, Mount, PreviewConfiguration, WriteConfiguration
from raidwright.text.array.layers import can_mount, idle_volumes, kept_running_words, mount_words
from raidwright.text.array.states import state_line
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
    _verify_may_be_taken(array, new_name, machine.snapshot.arrays)
    before = _deeds(array, new_name, place, await _content(machine, array) if place else "")
    if options.dry_run:
        return {"steps": before}, "\n".join([*before, tr("Nothing is done yet; without --dry-run it is.")])
    named = Named(array.uuid, confirmed_name(options.yes_name, array, "\n".join(before)))
    taken = TakenOver(array.uuid, array.device, array.name, array.homehost)
    if not _is_own(array, new_name):
        taken = await TakeOver(named, new_name).perform(machine, say_progress)
    await machine.looked_again()
    runs = single_array(array.uuid, machine.snapshot)
    content = await _content(machine, runs) if place else ""
    is_mounted = bool(place) and can_mount(runs, content)
    mine = Named(array.uuid, taken.name)
    if is_mounted:
        await Mount(mine, place).perform(machine, say_progress)
    wanted = Configuration(place=place if is_mounted else "")
    shown = await PreviewConfiguration(mine, wanted).perform(machine)
    print("\n".join(shown.difference), file=sys.stderr)
    written = None
    if shown.difference:
        written = await WriteConfiguration(mine, wanted, shown.token).perform(machine, say_progress)
    plain = {
        "taken_over": asdict(taken),
        "mounted": is_mounted,
        "lines": list(shown.difference),
        "files": list(written.files if written else ()),
    }
    return plain, _text(taken, shown, written, mount_words(runs, place, content) if place else "")


async def _content(machine: Machine, array: State) -> str:
    """Return the type of what is on the running array, read anew; "" for a stopped one."""
    return (await ExamineChange(array.named).perform(machine)).kind if array.running else ""


def _is_own(array: State, new_name: str) -> bool:
    """Return whether the running array's superblocks say already what a take-over writes into them."""
    return array.running and array.name == new_name and bool(array.homehost) and not array.is_foreign


def _deeds(array: State, new_name: str, place: str, content: str) -> list[str]:
    home = array.host.hostname if array.host and array.host.hostname else tr("this computer")
    volumes = list(idle_volumes(array))
    said = list[str]()
    if _is_own(array, new_name):
        said.append(tr("Its superblocks say {new} already; it isn't stopped.", new=f"{array.homehost}:{new_name}"))
    else:
        if volumes and array.running:
            said.append(tr("LVM's volumes on it are deactivated: {names:and}.", names=volumes))
        said += [tr("“{name}” is stopped.", name=array.name)] if array.running else []
        said.append(
            tr(
                "Its superblocks say {new} instead of {old}: mdadm --assemble --update=name.",
                new=f"{home}:{new_name}",
                old=f"{array.homehost}:{array.name}" if array.homehost else array.name,
            )
        )
        said += [tr("LVM's volumes are active again.")] if volumes and array.running else []
    if place and array.running:
        said.append(mount_words(replace(array, name=new_name), place, content))
    elif place:
        said.append(
            tr("What can be mounted of it is seen once it runs; a file system is mounted at {place}.", place=place)
        )
    said.append(
        tr("mdadm.conf gets its line, fstab one if it is mounted, and the initramfs is made anew if it has one.")
    )
    return said


def _verify_may_be_taken(array: State, new_name: str, arrays: tuple[State, ...]) -> None:
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
    _verify_may_be_renamed(array, new_name)
    if any(other.name == new_name and other.uuid != array.uuid for other in arrays):
        raise InputError(
            "Another array is called “{name}”; give this one another name with --name.",
            code="array-name-taken",
            name=new_name,
        )


def _verify_may_be_renamed(array: State, new_name: str) -> None:
    """Raise InputError where the array can't be stopped, or its superblocks can't be changed now."""
    if _is_own(array, new_name):
        return
    if array.running and (why := kept_running_words(array)):
        code = "array-mounted" if array.mounted_at else "array-held"
        raise InputError("“{name}” can't be stopped now. {why}", code=code, name=array.name, why=why)
    facts, known = array.facts, array.assembly
    is_reshaping = bool(facts and facts.reshapes) or (known is not None and not array.running and known.reshapes)
    may_wait = (
        known is not None and waits_at_start(known.level, known.geometry.features) and array.sync_action != "reshape"
    )
    if is_reshaping and not may_wait:
        raise InputError(
            "“{name}” is in the middle of a reshape. Start it, wait until that has ended, and then take it over.",
            code="array-reshapes",
            name=array.name,
        )
    if (known.metadata if known else facts.metadata if facts else "") == Metadata.V0_90:
        raise InputError(
            "“{name}” has metadata 0.90, which has no name and no home host. Start it, and add its line to mdadm.conf.",
            code="array-nameless",
            name=array.name,
        )


def _text(taken: TakenOver, shown: Preview, written: Configured | None, at: str) -> str:
    own = tr("“{name}” is this computer's own and runs as {device}.", name=taken.name, device=taken.device)
    if written is None:
        return joined(own, at, tr("The files say all this already."))
    files = tr("{files:and}: written; “raidwright configure --restore” takes that back.", files=list(written.files))
    anew = tr("The initramfs is made anew.") if shown.initramfs else ""
    return joined(own, at, files, anew)
