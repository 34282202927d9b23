"""``raidwright array replace`` and related acts: a disk joins an array, with progress, and a check afterwards."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from raidwright.cli.options.array import ambiguous_disk, confirmed_name, meant_array, partition_called, single_array
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.messages import say, sentences
from raidwright.core.model.plan import Member
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import Check, CheckState
from raidwright.core.protocol.results import Joined, MemberJoined
from raidwright.core.sizes import decimal_size
from raidwright.export.recovery_card import BuiltArray, recovery_card
from raidwright.machine.array_plan import inner_uuids, plan_of
from raidwright.machine.join_progress import Joining, joining_of, place_of
from raidwright.machine.machine import Machine
from raidwright.machine.states.volume import State
from raidwright.machine.values import ArrayDevice, Named
from raidwright.machine.volume_checks import last_check, with_volume_checks
from raidwright.operations.arrays import ListChecks, StartCheck
from raidwright.operations.members import AddMember, RemoveMember, RemoveVanished, ReplaceMember
from raidwright.runs.files import write_file
from raidwright.text.array import condition as words
from raidwright.text.array.checks import check_words, parity_words
from raidwright.text.array.empty_slots import lacks_words
from raidwright.text.array.histories import former_words
from raidwright.text.array.partitioned import partition_words
from raidwright.text.array.repair import rebuilt_words
from raidwright.text.catalogue import joined, tr
from raidwright.text.disk.facts import disk_name

_STEP_SECONDS = 1.0
_JOINED = {
    Joined.REBUILDS: say("md rebuilds onto {new} what is missing."),
    Joined.SPARE: say("Nothing is missing, so {new} stands by as a spare."),
    Joined.TAKES_OVER: say("md copies onto {new} what {old} holds; until that is whole {old} goes on serving."),
}


def add_replace_options(act: argparse.ArgumentParser) -> None:
    """Add the options of ``array replace`` to its parser."""
    act.add_argument("--with", dest="new", metavar="NEW", required=True, help=tr("the new disk: serial or by-id name"))
    act.add_argument("--disk", metavar="OLD", help=tr("the member to be replaced; without it, the one that is missing"))
    act.add_argument(
        "--whole-disk",
        action="store_true",
        help=tr("take all of the new disk, though the members are partitions of disks that hold more"),
    )
    act.add_argument("--no-wait", action="store_true", help=tr("don't wait for the end of the rebuild"))
    act.add_argument("--check", action="store_true", help=tr("have md check the array after it is rebuilt"))
    act.add_argument("--card", type=Path, metavar="FILE", help=tr("write the renewed recovery card to FILE"))


async def replace(options: argparse.Namespace, machine: Machine) -> tuple[Mapping[str, object], str]:
    """Replace a member, or a joined volume's disk, and wait for the rebuild; return --json's output, and the text."""
    array = meant_array(options.array, machine.snapshot)
    new, old = _newcomer_of(options, array, machine), _leaver(options.disk, array)
    meant = _confirmed(options, array, new, old)
    joined = await _joined(options, machine, array, meant, old.member if old else None, new)
    told: dict[str, object] = {**asdict(joined), "rebuilt": False, "check": None, "card": None}
    old_name = disk_name(old.member) if old and old.member else tr("the old disk")
    lines = [tr(_JOINED[joined.joined], new=disk_name(new), old=old_name)]
    if options.no_wait:
        return told, lines[0]
    print(lines[0], file=sys.stderr)
    await _rebuilt(machine, array.uuid, new, joined)
    told["rebuilt"] = True
    lines = [rebuilt_words(meant_array(array.uuid, machine.snapshot), disk_name(new))]
    if joined.joined is Joined.TAKES_OVER and old and old.member:
        await RemoveMember(meant, old.member).perform(machine, say_progress)
        lines.append(tr("{old_name} is out of the array and can be pulled.", old_name=old_name))
    if options.check or _wants_check(options):
        check = await _checked(machine, meant)
        told["check"] = asdict(check)
        lines.append(check_words(check))
    if options.card:
        told["card"] = str(write_card(meant_array(array.uuid, machine.snapshot), machine.snapshot.arrays, options.card))
        lines.append(tr("The renewed recovery card is in {card}; keep it where the computer isn't.", card=options.card))
    else:
        lines.append(
            tr(
                "The recovery card of before is out of date: “raidwright array card {name}” prints a new one.",
                name=meant.name,
            )
        )
    return told, "\n".join(lines)


async def add_spare(options: argparse.Namespace, machine: Machine) -> tuple[Mapping[str, object], str]:
    """Add a disk to the array, as a spare unless a member is missing; return --json's output, and the text."""
    array = single_array(options.array, machine.snapshot)
    new = meant_newcomer(options.disk, machine)
    joined = await _joined(options, machine, array, _confirmed(options, array, new, None), None, new)
    return asdict(joined), tr(_JOINED[joined.joined], new=disk_name(new), old="")


async def remove_vanished(options: argparse.Namespace, machine: Machine) -> tuple[Mapping[str, object], str]:
    """Remove members whose disks are gone; return --json's output, and the text."""
    array = single_array(options.array, machine.snapshot)
    name = confirmed_name(options.yes_name, array)
    changed = await RemoveVanished(Named(array.uuid, name)).perform(machine, say_progress)
    return asdict(changed), tr(
        "“{name}” has released what is no longer there; {missing} missing.", name=name, missing=changed.missing
    )


def write_card(array: State, arrays: Sequence[State], path: Path | None) -> Path | str:
    """Write a running array's recovery card to ``path``, or return its text. Raises InputError."""
    today = datetime.now(UTC).astimezone().date().isoformat()
    text = recovery_card(
        plan_of(array, arrays), BuiltArray(array.uuid, today, inner_uuids(array, arrays), array.made_by)
    )
    if path is None:
        return text
    write_file(path, text, "card-file")
    return path


def _newcomer_of(options: argparse.Namespace, array: State, machine: Machine) -> Member:
    """Return the new disk or partition; raises InputError for a whole disk where partitions are members."""
    seen = machine.snapshot
    if (part := partition_called(options.new, seen)) is not None:
        return part
    new, disks = meant_newcomer(options.new, machine), {disk.id: disk for disk in seen.disks}
    if (why := partition_words(array, disks)) and not options.whole_disk:
        raise InputError(
            "{why} For this array that is then --with {part}. To take the whole disk nevertheless: --whole-disk.",
            code="disk-for-partition",
            why=why,
            part=f"{new.id}-part{next(one.partition for one in array.members if one.partition)}",
        )
    return new


def meant_newcomer(text: str, machine: Machine) -> Member:
    """Return the disk that ``text`` names, by serial or by-id name; raises InputError."""
    found = [disk.as_member() for disk in machine.snapshot.disks if text in (disk.id, disk.serial, *disk.by_id)]
    if len(found) == 1:
        return found[0]
    raise ambiguous_disk(text, is_several=bool(found))


def _leaver(text: str | None, array: State) -> ArrayDevice | None:
    """Return the place of the member to replace; None if its disk is gone already. Raises InputError."""
    if text is None:
        if not array.lacks:
            raise InputError(
                "Nothing is missing in “{name}”; say with --disk which member to replace, or use "
                "“raidwright array add-spare”.",
                code="nothing-missing",
                name=array.name,
            )
        return next(filter(None, (words.failed(array, lack) for lack in array.lacks)), None)
    for place in array.places:
        if place.member and text in (place.member.id, place.member.disk, place.member.serial):
            return place
    gone = [lack.last.member for lack in array.lacks if lack.last]
    if any(text in (member.id, member.disk, member.serial) for member in gone):
        return None
    raise InputError("“{name}” has no member that goes by “{text}”.", code="disk-unknown", name=array.name, text=text)


def _confirmed(options: argparse.Namespace, array: State, new: Member, old: ArrayDevice | None) -> Named:
    print(f"“{array.name}” ({array.word}, {decimal_size(array.size_bytes)}, {array.uuid})", file=sys.stderr)
    if lost := lacks_words(array):
        print(f"  {lost}", file=sys.stderr)
    if words.is_degraded(array):
        print(f"  {joined(words.margin_words(array), words.keep_words(array))}", file=sys.stderr)
    if care := joined(words.unreadable_words(array), parity_words(array)):
        print(f"  {care}", file=sys.stderr)
    if old and old.member:
        out = tr("out: {disk}  {id}", disk=disk_name(old.member), id=old.member.id)
        print(f"  {out}", file=sys.stderr)
    overwritten = tr(
        "in:  {disk}  {size_bytes:size}  {id}; all of it is overwritten",
        disk=disk_name(new),
        size_bytes=new.size_bytes,
        id=new.id,
    )
    print(f"  {overwritten}", file=sys.stderr)
    return Named(array.uuid, confirmed_name(options.yes_name, array))


async def _joined(
    options: argparse.Namespace, machine: Machine, array: State, meant: Named, old: Member | None, new: Member
) -> MemberJoined:
    """Add the new disk, in place of the old one if given; add the remedy to a refusal."""
    wipe = tuple(filter(None, options.remove.split(",")))
    join = AddMember(meant, new, wipe) if old is None else ReplaceMember(meant, old, new, wipe)
    try:
        return await join.perform(machine, say_progress)
    except DiskRefused as refused:
        raise _with_hint(refused, array, new) from refused


def _with_hint(refused: DiskRefused, array: State, new: Member) -> InputError:
    names = refused.fields.get("signatures")
    said: list[str] = [refused.sentence]
    if refused.code == Code.SIGNATURE and isinstance(names, list):
        names = list(map(str, names))
        if former := next((one for one in array.former if one.member.id == new.id), None):
            said.append(former_words(array, former))
            said += [] if former.has_own_data else [say("“raidwright array re-add” takes it back.")]
        said.append(say("If that is unwanted, say so with --remove {names}.", names=shlex.quote(",".join(names))))
    return InputError(sentences(said), code=refused.code, **refused.fields)


async def _rebuilt(machine: Machine, uuid: str, new: Member, taken_as: MemberJoined) -> None:
    """Wait until ``new`` is in sync in its slot, printing md's progress; raises JobFailed if it drops out."""
    said, was_seen = "", False
    while True:
        array = meant_array(uuid, machine.snapshot)
        how = joining_of(array, new, taken_as, was_seen=was_seen)
        if how is Joining.DONE:
            return
        if how is Joining.DROPPED_OUT:
            raise JobFailed(
                "{disk} dropped out while it was rebuilt. {margin}",
                code="newcomer-failed",
                disk=disk_name(new),
                margin=words.margin_words(array),
            )
        was_seen = was_seen or place_of(array, new) is not None
        waits = joined(*(words.waiting_words(array, lack) for lack in array.lacks))
        if array.sync_action != "idle" and (now := waits or words.progress_words(array)) != said:
            print(f"  {now}", file=sys.stderr)
            said = now
        await asyncio.sleep(_STEP_SECONDS)


def _wants_check(options: argparse.Namespace) -> bool:
    if options.json or options.yes_name or not sys.stdin.isatty():
        return False
    print(
        tr("Have md check the array now? It compares everything, which may take hours. [y/N] "), end="", file=sys.stderr
    )
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


async def _checked(machine: Machine, array: Named) -> Check:
    """Start a check and wait for its end."""
    check = await StartCheck(array).perform(machine, say_progress)
    while check.state is CheckState.RUNNING:
        await asyncio.sleep(_STEP_SECONDS)
        if (now := meant_array(array.uuid, machine.snapshot)).sync_action == "check":
            progress = tr("check: {progress}", progress=words.progress_words(now))
            print(f"  {progress}", file=sys.stderr)
        checks = with_volume_checks(await ListChecks().perform(machine), machine.snapshot.arrays)
        check = last_check(checks, now) or check
    return check
