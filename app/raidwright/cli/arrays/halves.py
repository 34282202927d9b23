"""Halves of an array on the command line: started by choice, and taken back as new disks only."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from raidwright.cli.options.array import ambiguous_disk
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import InputError
from raidwright.core.md.assembly import AssemblyState
from raidwright.core.messages import Message, say, sentences
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import SignatureNames
from raidwright.core.protocol.results import Joined, MemberJoined
from raidwright.core.protocol.signature_names import half_of, split_name
from raidwright.machine.machine import Machine
from raidwright.machine.states.volume import State
from raidwright.machine.values import Former, Named, Snapshot
from raidwright.operations.disks import ExamineSignatures
from raidwright.operations.members import AddMember
from raidwright.text.array.histories import former_words, lost_words
from raidwright.text.catalogue import joined, tr, translated
from raidwright.text.disk.facts import disk_label

_OF_MEMBERS = frozenset({"linux_raid_member", "gpt", "PMBR"})  # of a joined volume's disk its partition table, too
_JOINED = {
    Joined.REBUILDS: say("{disk} joins as a new disk, and md rebuilds onto it. “raidwright array list” shows how far."),
    Joined.SPARE: say("{disk} joins as a new disk. Nothing was missing, so it stands by as a spare."),
}


def add_half_options(act: argparse.ArgumentParser, name: str) -> None:
    """Add the options that choose between halves of an array, or give one of them up."""
    if name == "start":
        act.add_argument(
            "--from", dest="of_disk", default="", metavar="DISK", help=tr("of two halves: the one with this disk")
        )
    if name == "re-add":
        act.add_argument(
            "--as-new", action="store_true", help=tr("as a new disk: what only it holds is lost, all is written anew")
        )


def half_meant(text: str, array: State, seen: Snapshot) -> str:
    """Return the id of the disk that names a half, "" for none; raises InputError if it isn't one disk."""
    if not text:
        return ""
    own = [*array.members, *(one.member for one in array.former)]
    found = {one.id for one in own if text in (one.id, one.disk, one.serial)}
    found = found or {disk.id for disk in seen.disks if text in (disk.id, disk.serial, *disk.by_id)}
    if len(found) != 1:
        raise ambiguous_disk(text, is_several=bool(found))
    return found.pop()


def own_data_of(array: State, member: Member) -> Former | None:
    """Return the former member if it holds what the array lacks."""
    return next((one for one in array.former if one.member.id == member.id and one.has_own_data), None)


def care_words(array: State, member: Member) -> str:
    """Return what is lost if ``member`` joins as a new disk; "" if nothing is known of that."""
    former = own_data_of(array, member)
    return lost_words(array, former) if former else ""


def verify_taken_back(array: State, member: Member) -> None:
    """Raise InputError, with the ways on, for a former member that holds what the array lacks."""
    if former := own_data_of(array, member):
        said = [former_words(array, former), _ways(array, former), say("Nothing was done.")]
        raise InputError(sentences(said), code="disk-parted", disk=member.id)


def former_line(array: State, former: Former) -> str:
    """Return what became of a former member, with the commands that go on."""
    ways = _ways(array, former)
    return joined(f"{disk_label(former.member)}: {former_words(array, former)}", translated(ways) if ways else "")


def _ways(array: State, former: Former) -> Message:
    """Return the next commands for a former member of a slot that is empty; "" for none."""
    is_whole = former.member.partition is None
    who = {"array": array.name, "disk": (is_whole and former.member.serial) or former.member.id}
    if former.has_own_data:
        return say(
            "To look at it: raidwright array stop {array}, then raidwright array start {array} --from {disk} "
            "--read-only. To give it up: raidwright array re-add {array} {disk} --as-new.",
            **who,
        )
    if former.way is not None and any(former.slot in (lack.slot, None) for lack in array.lacks):  # 0.90 has none then
        return say("To take it back: raidwright array re-add {array} {disk}.", **who)
    return Message("")


def command_line(array: State) -> str:
    """Return the command of the next step for an array that md doesn't start by itself; "" for others."""
    known = array.assembly
    if array.running or known is None:
        return ""
    if known.state in (AssemblyState.BEHIND, AssemblyState.DIRTY):
        return tr("To try it on copies: raidwright array rescue {name}.", name=array.name)
    if known.state is AssemblyState.STOPPED and known.dropped:
        return tr("To start it without them: raidwright array start {name} --missing.", name=array.name)
    return ""


async def join_as_new(machine: Machine, meant: Named, member: Member) -> tuple[object, str]:
    """Give the array a former member as a new disk, its superblock and its part of the data released."""
    carried: SignatureNames = {
        disk: tuple(one.name for one in found)
        for disk, found in (await ExamineSignatures((member.id,), wake=True).perform(machine)).items()
    }
    names = tuple(sorted({name for name in carried.get(member.id, ()) if _is_a_members(name)}))
    joined: MemberJoined = await AddMember(meant, member, names).perform(machine, say_progress)
    who = f"{member.model} {member.serial}".strip() or member.id
    return asdict(joined), tr(_JOINED.get(joined.joined, _JOINED[Joined.REBUILDS]), disk=who)


def _is_a_members(name: str) -> bool:
    return half_of(name) is not None or split_name(name)[1] in _OF_MEMBERS
