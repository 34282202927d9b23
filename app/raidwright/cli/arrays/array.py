"""``raidwright array``: acts on existing arrays, each confirmed with the array's name."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from raidwright.cli.alerts import alert_words
from raidwright.cli.options.array import confirmed_name, meant_array, meant_disk, refused_for_volume
from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.numbers import decimal
from raidwright.cli.options.progress import say_progress
from raidwright.cli.options.rescue import add_rescue_parser
from raidwright.core.errors import DiskRefused, InputError, RaidwrightError
from raidwright.core.lvm.joined import volume_path
from raidwright.core.messages import Message, say, sentences
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import CameBack, Check, CheckState
from raidwright.core.protocol.results import MemberChange, Started
from raidwright.core.sizes import decimal_size
from raidwright.machine.array_json import array_as_json
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.machine import Machine
from raidwright.machine.seen_members import Roll, roll_path
from raidwright.machine.states.volume import State, Volume, leaves
from raidwright.machine.values import Named
from raidwright.machine.volume_checks import with_volume_checks
from raidwright.operations.arrays import (
    DismantleArray,
    ListChecks,
    PauseCheck,
    StartArray,
    StartCheck,
    StopArray,
    start_of,
)
from raidwright.operations.members import FailMember, ReAddMember, RemoveMember
from raidwright.text.array import condition as words
from raidwright.text.array.cards import boot_words, known_fault_words
from raidwright.text.array.changes import larger_disks_words
from raidwright.text.array.checks import differences, parity_words
from raidwright.text.array.empty_slots import lacks_words
from raidwright.text.array.histories import parted_words
from raidwright.text.array.states import state_line
from raidwright.text.catalogue import joined, ntr, number, tr, translated, with_commas

from . import change as array_change
from . import go_on as array_go_on
from . import halves as array_halves
from . import pace as array_pace
from . import replace as array_replace
from . import rescue as array_rescue
from . import take_over as array_take_over
from .replace import add_replace_options
from .take_over import add_take_over_options

_ACTS = {
    "list": say("list the arrays and how they are"),
    "fail": say("mark a member as failed"),
    "remove": say("let a failed member or a spare go, or with --vanished those whose disks are no longer there"),
    "re-add": say("take a former member back"),
    "replace": say("put a disk in the place of a member that is lost, or that still works, and see it to the end"),
    "add-spare": say("give an array a disk that stands by; where one is missing it takes that place"),
    "assess": say("say what an array holds, survives and risks with its disks, and what would be better"),
    "change": say("give an array more disks, another level, layout or chunk, or all of its disks' space"),
    "card": say("print the recovery card of an array as it is now, or write it to a file"),
    "start": say("start an array that doesn't run, of the disks that are here"),
    "go-on": say("let md go on with a reshape, a rebuild or a resync that waits for the first write"),
    "take-over": say("make an array from another computer this one's own: name, home host, mdadm.conf and fstab"),
    "stop": say("stop an array that nothing uses"),
    "dismantle": say("stop an array and free its disks; what they hold is not erased"),
    "check": say("have md compare all copies or parity, or pause that"),
    "pace": say("slow down, pause or resume a resync, a rebuild or a reshape"),
    "checks": say("list the checks and what they found"),
}
_CHECKED = {
    CheckState.RUNNING: say("md is checking; it goes on by itself"),
    CheckState.PAUSED: say("paused: {found} so far"),
    CheckState.DONE: "done: {found}",
    CheckState.INTERRUPTED: say("cut off, so nothing is known"),
}
_CAME_BACK = {
    CameBack.CAUGHT_UP: say("md knows what it has missed and brings only that up to date."),
    CameBack.REBUILDS: say("md can't tell what it has missed, so all of it is written anew. That takes a while."),
    CameBack.SPARE: say("Nothing was missing, so it stands by as a spare."),
}
_MAY_BE_NEWER = say(
    "If members that are missing were written to on their own since, they are newer than what is here. What is written "
    "now parts the two: then only one of them can be kept."
)
_CHANGES = {"fail": FailMember, "remove": RemoveMember, "re-add": ReAddMember}
_LONG = {
    "change": array_change.change,
    "pace": array_pace.pace,
    "replace": array_replace.replace,
    "add-spare": array_replace.add_spare,
    "go-on": array_go_on.go_on,
    "take-over": array_take_over.take_over,
    "rescue": array_rescue.rescue,
}


@dataclass(frozen=True, slots=True)
class _Answer:
    """The command's output: ``plain`` with --json, else ``text``."""

    plain: object
    text: str


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("array", help=tr("look after arrays that exist"))
    acts = parser.add_subparsers(dest="act", metavar="ACT", required=True)
    add_rescue_parser(acts)
    for name, purpose_said in _ACTS.items():
        purpose = translated(purpose_said)
        act = acts.add_parser(name, help=purpose, description=f"{purpose[:1].upper()}{purpose[1:]}.")
        if name not in ("list", "checks"):
            act.add_argument("array", metavar="ARRAY", help=tr("its name or its UUID"))
        _add_disk_options(act, name)
        array_halves.add_half_options(act, name)
        if name not in ("list", "check", "checks", "card", "assess", "pace"):
            act.add_argument("--yes-name", metavar="NAME", help=tr("the array's name, to confirm without being asked"))
        if name == "start":
            act.add_argument("--read-only", action="store_true", help=tr("write nothing to it or its disks"))
            act.add_argument(
                "--missing",
                action="store_true",
                help=tr("also without members that it was last written with"),
            )
            act.add_argument(
                "--forget-bad-blocks",
                type=int,
                nargs="?",
                const=0,
                metavar="SECTORS",
                help=tr("empty md's lists of bad blocks, which have so many sectors; without the number, name them"),
            )
        if name == "assess":
            act.add_argument("--years", type=decimal, default=5.0, metavar="Y", help=tr("the loss within Y years (5)"))
        if name == "take-over":
            add_take_over_options(act)
        if name == "dismantle":
            act.add_argument(
                "--give-up", default="", metavar="NAMES", help=tr("what is on it and unwanted: --give-up ext4")
            )
            act.add_argument(
                "--with-lines", action="store_true", help=tr("take its lines out of mdadm.conf and fstab as well")
            )
        if name == "check":
            act.add_argument("--pause", action="store_true", help=tr("pause the check that runs"))
        if name == "card":
            act.add_argument("--to", type=Path, metavar="FILE", help=tr("the file to write it to"))
        add_machine_options(act)
        act.add_argument("--json", action="store_true", help=tr("print JSON"))


def _add_disk_options(act: argparse.ArgumentParser, name: str) -> None:
    if name in ("fail", "remove", "re-add", "add-spare"):
        nargs = "?" if name == "remove" else None
        act.add_argument("disk", metavar="DISK", nargs=nargs, help=tr("its serial number or its by-id name"))
    if name == "remove":
        act.add_argument("--vanished", action="store_true", help=tr("those whose disks are no longer there"))
    if name == "replace":
        add_replace_options(act)
    if name == "pace":
        array_pace.add_pace_options(act)
    if name == "change":
        array_change.add_change_options(act)
    if name in ("replace", "add-spare"):
        act.add_argument("--remove", default="", metavar="NAMES", help=tr("what is on it and unwanted: --remove ext4"))


def run(options: argparse.Namespace) -> int:
    try:
        of_plan = options.act == "change" and options.plan
        answer = _Answer(*array_change.change_of_plan(options)) if of_plan else asyncio.run(_answer(options))
    except DiskRefused as refused:  # a refusal means that the request can't be met as it is: exit code 2
        sentence = sentences([refused.sentence, *_hint(refused)])
        raise InputError(sentence, code=refused.code, **refused.fields) from refused
    print(json.dumps(answer.plain, indent=2, ensure_ascii=False) if options.json else answer.text)
    is_refused = isinstance(answer.plain, dict) and answer.plain.get("possible") is False  # a dry run's
    return InputError.exit_code if is_refused else 0


def _hint(refused: DiskRefused) -> Iterator[Message]:
    if refused.code == "array-lacks":
        yield say("If it may run without them, say so with --missing.")
    if refused.code == "array-parted":
        yield say("Name a disk of the half with --from DISK; with --read-only nothing is written to it.")
    if refused.code == "disk-parted":
        yield say("“raidwright array re-add ARRAY DISK --as-new” gives it up.")
    if refused.code == Code.CONFIGURED:
        yield say("If the line only mounts the array's own file system, --with-lines takes it out.")
    names = refused.fields.get("signatures")
    if refused.code == Code.HOLDS and isinstance(names, list):
        yield say("If it is unwanted, say so with --give-up {names}.", names=",".join(names))


async def _checks(machine: Machine) -> tuple[Check, ...]:
    """Return the recorded checks; () where the helper can't be asked."""
    try:
        return await ListChecks().perform(machine)
    except RaidwrightError:
        return ()


async def _answer(options: argparse.Namespace) -> _Answer:
    async with connected(chosen_machine(options), Roll(roll_path())) as machine:
        await machine.facts_seen()
        if options.act == "assess":
            from . import assess as array_assess  # noqa: PLC0415 -- brings numpy

            return _Answer(*array_assess.judge(options, machine.snapshot, await _checks(machine)))
        if options.act in _LONG:
            return _Answer(*await _LONG[options.act](options, machine))
        if options.act == "remove" and options.vanished:
            return _Answer(*await array_replace.remove_vanished(options, machine))
        seen = machine.snapshot
        if options.act == "list":
            arrays = tuple(filter(_is_left, with_volumes(seen.arrays)))
            disks = {disk.id: disk for disk in seen.disks}
            text = "\n".join(_array_lines(array, disks) for array in arrays) or tr(
                "There are no arrays on that machine."
            )
            told = "" if options.json else await alert_words(machine)
            return _Answer(list(map(array_as_json, arrays)), "\n\n".join(filter(None, (text, told))))
        if options.act == "checks":
            checks = with_volume_checks(await ListChecks().perform(machine), seen.arrays)
            text = "\n".join(map(_check_line, checks)) or tr("No array has been checked with Raidwright there yet.")
            return _Answer([asdict(check) for check in checks], text)
        return await _act(options, machine)


async def _act(options: argparse.Namespace, machine: Machine) -> _Answer:
    seen = machine.snapshot
    array = meant_array(options.array, seen)
    match options.act:
        case "card":
            card = array_replace.write_card(array, seen.arrays, options.to)
            return _Answer({"card": str(card)}, str(card).rstrip())
        case "start":
            return await _start(options, array, machine)
        case "stop":
            stopped = await StopArray(_confirmed(options, array, ())).perform(machine, say_progress)
            return _Answer(asdict(stopped), tr("“{name}” is stopped. Its disks still belong to it.", name=array.name))
        case "dismantle":
            members = leaves(array, seen)
            meant, given_up = _confirmed(options, array, members), tuple(filter(None, options.give_up.split(",")))
            done = await DismantleArray(meant, members, given_up, options.with_lines).perform(machine, say_progress)
            way_back = tr(
                "As long as they hold nothing new, “raidwright builds --undo {build_id}” takes that back.",
                build_id=done.build_id,
            )
            free = say("“{name}” is taken apart and its disks are free. {way_back}")
            if isinstance(array, Volume):
                free = say("“{name}” is taken apart; its disks keep their partitions, which are free. {way_back}")
            return _Answer(asdict(done), tr(free, name=array.name, way_back=way_back))
        case "check":
            check = await (PauseCheck if options.pause else StartCheck)(array.named).perform(machine, say_progress)
            return _Answer(asdict(check), _check_line(check))
    return await _member_act(options, array, machine)


async def _start(options: argparse.Namespace, array: State, machine: Machine) -> _Answer:
    if options.of_disk and array.running:
        raise InputError(
            "“{name}” runs already. To start it of another half, stop it first: raidwright array stop {name}.",
            code="array-runs",
            name=array.name,
        )
    asks = options.missing or options.yes_name or (options.of_disk and not options.read_only)
    meant = _confirmed(options, array, ()) if asks else array.named
    if isinstance(array, Volume) and (options.read_only or options.of_disk or options.forget_bad_blocks is not None):
        raise refused_for_volume(array)
    half = array_halves.half_meant(options.of_disk, array, machine.snapshot)
    start = StartArray(meant, options.read_only, options.missing, half, options.forget_bad_blocks)
    whole = start_of(array, missing=options.missing) if isinstance(array, Volume) else start
    started = await whole.perform(machine, say_progress)
    return _Answer(asdict(started), _started_text(array, started))


async def _member_act(options: argparse.Namespace, array: State, machine: Machine) -> _Answer:
    if options.disk is None:
        raise InputError("Name the disk, or say --vanished.", code="disk-unknown")
    member = meant_disk(options.act, options.disk, machine.snapshot, array)
    if options.act == "re-add" and not options.as_new:
        array_halves.verify_taken_back(array, member)
    elif options.act == "re-add":
        return _Answer(*await array_halves.join_as_new(machine, _confirmed(options, array, (member,)), member))
    change = _CHANGES[options.act](_confirmed(options, array, (member,)), member)
    changed = await change.perform(machine, say_progress)
    return _Answer(asdict(changed), _changed_text(options.act, member, changed))


def _confirmed(options: argparse.Namespace, array: State, members: tuple[Member, ...]) -> Named:
    """Return the array by UUID and name, once a person has confirmed the name."""
    size = decimal_size(array.size_bytes)
    print(
        tr(
            "To {act}: “{name}” ({level}, {size}, {uuid})",
            act=options.act,
            name=array.name,
            level=array.word,
            size=size,
            uuid=array.uuid,
        ),
        file=sys.stderr,
    )
    for member in members:
        print(f"  {member.model}  {member.serial}  {decimal_size(member.size_bytes)}  {member.id}", file=sys.stderr)
    if options.act == "fail" and (care := joined(words.unreadable_words(array), parity_words(array))):
        print(f"  {care}", file=sys.stderr)
    cares = [array_halves.care_words(array, member) for member in members if options.act == "re-add"]
    if options.act == "start":
        cares = [parted_words(array), tr(_MAY_BE_NEWER) if options.missing else ""]
    for care in filter(None, cares):
        print(f"  {care}", file=sys.stderr)
    return Named(array.uuid, confirmed_name(options.yes_name, array))


def _is_left(array: State) -> bool:
    """Return whether anything of the array is left: UDisks2 still lists arrays without superblocks on their disks."""
    return array.running or bool(array.member_devices) or any(not lack.is_here for lack in array.lacks)


def _array_lines(array: State, disks: Mapping[str, Disk]) -> str:
    """Return the array's line, then its missing members, its remaining redundancy, and returned disks."""
    lines = [_array_line(array), *filter(None, [words.make_words(array) or state_line(array).sentence])]
    lines += filter(None, [array_halves.command_line(array)])
    if words.is_degraded(array):
        lacks = "" if array.has_open_slots else lacks_words(array)  # its state tells of them, as of a volume's
        lacks = "" if lacks in "".join(lines) else lacks
        lines += filter(None, (lacks, words.margin_words(array), words.keep_words(array)))
    lines += filter(None, [words.unreadable_words(array), boot_words(array, disks), larger_disks_words(array)])
    lines += filter(None, [known_fault_words(array)])
    lines += [array_halves.former_line(array, one) for one in array.former]
    inside = (*array.bands, *array.waiting) if isinstance(array, Volume) else ()
    lines += [_array_line(band) for band in inside]
    return "\n    ".join(lines)


def _array_line(array: State) -> str:
    how = [tr("runs")] if array.running else list(filter(None, (words.state_words(array), words.history_words(array))))
    if array.running and array.degraded:
        how.append(ntr("{count} missing", "{count} missing", array.degraded))
    if words.has_failed(array):
        how.append(tr("has failed"))
    if array.is_delayed:
        how.append(f"{array.sync_action}: {words.progress_words(array)}")
    elif array.sync_action != "idle":
        how.append(f"{array.sync_action} {number(array.sync_fraction, '.0%')}")
    size = decimal_size(array.size_bytes) if array.size_bytes else ""  # md knows none of one that isn't started
    return "  ".join(filter(None, (array.name, array.word, size, with_commas(*how), array.uuid)))


def _check_line(check: Check) -> str:
    began = datetime.fromtimestamp(check.began_s).astimezone().strftime("%Y-%m-%d %H:%M")
    found = differences(check.mismatch_sectors)
    return f"{check.name}  {began}  {tr(_CHECKED[check.state], found=found)}"


def _started_text(array: State, started: Started) -> str:
    is_volume = isinstance(array, Volume)  # it has LVM's own name rather than device-mapper's number
    device = volume_path(array.name) if is_volume else started.device
    runs = tr("“{name}” runs as {device}.", name=array.name, device=device)
    if started.read_only:
        runs = tr("“{name}” runs as {device}, only to be read.", name=array.name, device=device)
    if not started.missing:
        return runs
    lacks = ntr("{count} of its members is missing.", "{count} of its members are missing.", started.missing)
    return joined(runs, lacks)


def _changed_text(act: str, member: Member, changed: MemberChange) -> str:
    who = f"{member.model} {member.serial}".strip() or member.id
    if changed.came_back:
        return tr("{disk} is back. {how}", disk=who, how=_CAME_BACK[changed.came_back])
    out = tr("{disk} counts as failed.", disk=who) if act == "fail" else tr("{disk} is out of the array.", disk=who)
    if not changed.missing:
        return out
    left = ntr(
        "{count} of the array's places lack a working member now.",
        "{count} of the array's places lack a working member now.",
        changed.missing,
    )
    return joined(out, left)
