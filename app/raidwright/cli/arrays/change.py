"""``raidwright array change``: an array's shape changed step by step, after a dry run with commands and times."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from raidwright.cli.options.array import confirmed_name, meant_array, refused_for_volume
from raidwright.cli.options.numbers import positive
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.lvm.change_commands import volume_step_commands
from raidwright.core.lvm.values import AnyWay, VolumeWay
from raidwright.core.lvm.volume_changes import growth_goal, refused_way, volume_way
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.changes.commands import step_commands
from raidwright.core.md.changes.standing import standing_from
from raidwright.core.md.changes.values import ArrayStanding, ChangeWish
from raidwright.core.md.changes.ways import goal_of, way_to
from raidwright.core.md.layouts import Level, canonical_layout
from raidwright.core.md.running_state import Hold
from raidwright.core.messages import say, sentences
from raidwright.core.model.plan import Consistency, LinearVolume, MdArray, Member, Plan
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.core.protocol.results import ArrayChanged
from raidwright.machine.array_plan import plan_of
from raidwright.machine.machine import Machine
from raidwright.machine.states.volume import State, Volume
from raidwright.machine.values import Array
from raidwright.operations.changing import ChangeArray, ExamineGrowth, LookForChange, growth_left
from raidwright.operations.disks import ExamineSignatures, all_of
from raidwright.reading.plans import loads_plan
from raidwright.text.array import changes as words
from raidwright.text.array.states import state_line
from raidwright.text.catalogue import joined, tr, translated

from .go_on import continued
from .replace import meant_newcomer, write_card
from .take_over import take_over

_POLL_SECONDS, _SEEN_SECONDS = 1.0, 120.0


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A way from the plan's layer, and what its commands need: the array's node and UUID, and its running state."""

    plan: Plan
    way: AnyWay
    standing: ArrayStanding
    node: str
    uuid: str = ""


def add_change_options(act: argparse.ArgumentParser) -> None:
    """Add the options of ``array change`` to its parser."""
    act.add_argument("--add", nargs="+", default=[], metavar="DISK", help=tr("disks to add: serial or by-id name"))
    act.add_argument("--level", metavar="LEVEL", help=tr("the level that it becomes: raid5, raid6 …"))
    act.add_argument("--layout", metavar="LAYOUT", help=tr("the layout that it gets, by mdadm's name"))
    act.add_argument("--chunk", type=positive, metavar="KIB", help=tr("the chunk that it gets, in KiB"))
    act.add_argument("--members", type=positive, metavar="N", help=tr("how many members it has then"))
    act.add_argument(
        "--use-larger-disks",
        nargs="*",
        metavar="DISK",
        help=tr("put these disks in the places of smaller members, one by one; then use all that its members have"),
    )
    act.add_argument(
        "--consistency", metavar="POLICY", help=tr("what keeps it consistent after a power cut: resync, bitmap, ppl")
    )
    act.add_argument("--name", default="", metavar="NEW", help=tr("its new name; this computer becomes its home host"))
    act.add_argument(
        "--go-on",
        action="store_true",
        help=tr("finish a joined volume's growth that a crash or a power cut interrupted"),
    )
    act.add_argument("--dry-run", action="store_true", help=tr("only print the steps, their commands and times"))
    act.add_argument("--plan", action="store_true", help=tr("ARRAY is a plan's file; implies --dry-run"))
    act.add_argument("--remove", default="", metavar="NAMES", help=tr("what is on the new disks and unwanted: ext4"))
    act.add_argument("--card", type=Path, metavar="FILE", help=tr("write the renewed recovery card to FILE"))


async def change(options: argparse.Namespace, machine: Machine) -> tuple[Mapping[str, object], str]:
    """Change the array, or print the steps; return --json's output, and the text. Raises InputError."""
    if options.name:
        return await _renamed(options, machine)
    array = meant_array(options.array, machine.snapshot)
    if isinstance(array, Volume) and not _grows_alone(options):
        raise refused_for_volume(array)
    if isinstance(array, Volume) and options.use_larger_disks:
        raise InputError(
            "A joined volume's disks are replaced as a whole: raidwright array replace {volume} --disk OLD --with NEW.",
            code="change-refused",
            volume=array.name,
        )
    if options.go_on or (isinstance(array, Volume) and not options.dry_run and _waits(array)):
        return await _gone_on(options, machine, array)
    if not options.dry_run:
        array = await _once_at_rest(options, machine, array)
    return await _shaped(options, machine, array)


async def _shaped(options: argparse.Namespace, machine: Machine, array: State) -> tuple[Mapping[str, object], str]:
    """Change the array, which is at rest, or print the steps."""
    if options.dry_run and array.hold is Hold.RESHAPE_WAITS and isinstance(array, Array):
        return _going_on(array)
    new = tuple(meant_newcomer(text, machine) for text in options.add)
    larger = tuple(meant_newcomer(text, machine) for text in options.use_larger_disks or ())
    planned = await _planned(options, machine, array, new, larger)
    if options.dry_run:
        there = {member.id for member in array.members}  # an exchange that was cut off may have some of them
        newcomers = tuple(disk for disk in (*new, *larger) if disk.id not in there)
        refused = await _refused_disks(machine, newcomers, options.remove)
        return ({"possible": False, "reasons": [refused], "steps": []}, refused) if refused else _shown(planned)
    _refuse(planned.way)
    if not planned.way.steps:
        said = [tr("“{name}” is like this already.", name=array.name), *map(translated, planned.way.left_out)]
        return {"steps": [], "changed": None}, "\n".join(said)
    print(words.way_text(planned.way, _commands(planned)), file=sys.stderr)
    name = confirmed_name(options.yes_name, array)
    wiped = tuple(filter(None, options.remove.split(",")))
    goal = growth_goal(planned.way) if isinstance(planned.way, VolumeWay) else goal_of(planned.way)
    request = ChangeArray(array.named._replace(name=name), goal, {disk.id: wiped for disk in (*new, *larger)})
    try:
        done = await request.perform(machine, say_progress)
    except DiskRefused as refused:
        raise _with_hint(refused) from refused
    if options.card is None:
        return {"changed": asdict(done)}, words.changed_text(array.name, done)
    changed = await _once_seen(machine, array.uuid, done)
    card = str(write_card(changed, machine.snapshot.arrays, options.card))
    text = words.changed_text(array.name, done, card)
    return {"changed": asdict(done), "card": card}, text


async def _refused_disks(machine: Machine, new: tuple[Member, ...], remove: str) -> str:
    """Return why the helper would refuse the new disks for what is on them; "" if it would not.

    A disk in standby isn't woken for that, nor is one looked at where the helper can't.
    """
    confirmed, said = set(filter(None, remove.split(","))), list[str]()
    for disk in new:
        try:
            found = all_of(await ExamineSignatures((disk.id,)).perform(machine)).get(disk.id, ())
        except RaidwrightError:
            continue
        if set(found) not in (confirmed, confirmed - {UNKNOWN}):
            there = list(found) or tr("nothing")
            told = tr("{disk} holds {there}; what may be removed is {confirmed}.", disk=disk.label, there=there,
                      confirmed=sorted(confirmed) or tr("nothing"))  # fmt: skip
            hint = tr("Say so with --remove {names}.", names=",".join(found)) if found else tr("Leave out --remove.")
            said.append(joined(told, hint))
    return joined(*said)


def _is_seen(array: State, done: ArrayChanged) -> bool:
    """Return whether ``array`` has its new shape; UDisks2 keeps the size of before, so the kernel's counts."""
    size_bytes = (array.facts.size_bytes if array.facts else 0) or array.size_bytes
    has_shape = isinstance(array, Volume) or (array.slots, array.level) == (done.slots, done.level)
    return has_shape and size_bytes == done.array_sectors * 512


def _is_plan(array: State, machine: Machine) -> bool:
    """Return whether what is seen makes a plan; a reshape moves one member's data offset after the other's."""
    try:
        plan_of(array, machine.snapshot.arrays)
    except InputError:
        return False
    return True


async def _once_seen(machine: Machine, uuid: str, done: ArrayChanged) -> State:
    """Return the array once the machine's picture of it has its new shape, and is of one moment.

    Raises, after two minutes, InputError if it can't be written down as a plan, else JobFailed.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_SEEN_SECONDS):
            while not _is_seen(array := meant_array(uuid, machine.snapshot), done) or not _is_plan(array, machine):
                await asyncio.sleep(_POLL_SECONDS)
            return array
    plan_of(array, machine.snapshot.arrays)
    raise JobFailed(
        "The array is changed, but its new shape isn't seen yet, so no card was written: raidwright array card {uuid}.",
        code="card-unsayable",
        uuid=uuid,
    )


async def _renamed(options: argparse.Namespace, machine: Machine) -> tuple[Mapping[str, object], str]:
    """Give the array another name; raises InputError for a wish beside that."""
    shaped = (options.add, options.level, options.layout, options.chunk, options.members, options.consistency)
    if any(shaped) or options.use_larger_disks is not None or options.card:
        raise InputError("Another name and another change at once: do one after the other.", code="change-refused")
    options.new_name, options.mount = options.name, ""
    return await take_over(options, machine)


def _waits(volume: Volume) -> bool:
    """Return whether an array of the volume is in a reshape with which md goes on only once it may write."""
    return any(one.facts is not None and one.facts.reshapes and one.facts.starts_at_write for one in volume.bands)


async def _gone_on(options: argparse.Namespace, machine: Machine, array: State) -> tuple[Mapping[str, object], str]:
    """Finish a joined volume's growth that was cut off: its steps were shown and confirmed when it began."""
    if not isinstance(array, Volume):
        raise refused_for_array(array)
    if not array.is_growth_cut_off:
        return {"steps": [], "changed": None}, tr("No growth of “{name}” is left to be done.", name=array.name)
    name, new = confirmed_name(options.yes_name, array), tuple(meant_newcomer(one, machine) for one in options.add)
    wiped = tuple(filter(None, options.remove.split(",")))
    request = replace(growth_left(array, new), wipe={disk.id: wiped for disk in new if wiped})
    try:
        done = await request.perform(machine, say_progress)
    except DiskRefused as refused:
        raise _with_hint(refused) from refused
    said = [words.changed_text(name, done), *map(translated, await _left_out(options, machine, array))]
    return {"changed": asdict(done)}, "\n".join(said)


async def _left_out(options: argparse.Namespace, machine: Machine, array: State) -> tuple[str, ...]:
    """Return what a finished growth has left as it is, such as a file system that isn't mounted; () if unknown."""
    try:
        await machine.facts_seen()
        options.use_larger_disks = []
        return (await _planned(options, machine, meant_array(array.uuid, machine.snapshot), (), ())).way.left_out
    except InputError:  # what is seen of it may be of a moment ago
        return ()


def refused_for_array(array: State) -> InputError:
    """Return the error for an act that only joined volumes have."""
    return InputError(
        "“{name}” isn't a joined volume; say the change once more instead, and what is left of it is done.",
        code="array-no-volume",
        name=array.name,
    )


def _grows_alone(options: argparse.Namespace) -> bool:
    """Return whether disks are added or larger ones used, without another change: a joined volume does that alone."""
    return not (options.level or options.layout or options.chunk or options.members)


async def _once_at_rest(options: argparse.Namespace, machine: Machine, array: State) -> State:
    """Return ``array`` once md's own reshape has ended; one that a crash cut off waits until the array is written to.

    Raises InputError for one that can't go on.
    """
    if array.hold is Hold.RESHAPE_WAITS and isinstance(array, Array):
        await continued(options, machine, array)
        array = meant_array(array.uuid, machine.snapshot)
    if _reshapes(array):
        print(
            tr("md reshapes “{name}” now; what is left is done when that has ended.", name=array.name), file=sys.stderr
        )
    while _reshapes(array):
        if array.hold in (Hold.RESHAPE_WAITS, Hold.RESHAPE_FROZEN):
            raise InputError(state_line(array).sentence, code="change-waits")
        await asyncio.sleep(_POLL_SECONDS)
        array = meant_array(array.uuid, machine.snapshot)
    return array


def _going_on(array: State) -> tuple[Mapping[str, object], str]:
    """Return the dry run on an array whose reshape waits: what is left of a request is known once that has ended."""
    told = joined(
        state_line(array).sentence,
        tr("Without --dry-run it goes on, and what is left of this request is done when that has ended."),
    )
    return {"possible": not array.is_foreign, "goes_on": not array.is_foreign, "reasons": [told], "steps": []}, told


def _reshapes(array: State) -> bool:
    return any(one.facts is not None and one.facts.reshapes for one in array.arrays)


def change_of_plan(options: argparse.Namespace) -> tuple[Mapping[str, object], str]:
    """Return the dry run on the plan in a file, for an array that doesn't exist yet. Disks to add are made up."""
    try:
        with open(options.array, encoding="utf-8") as file:  # noqa: PTH123  (a name given by a person)
            plan = loads_plan(file.read())
    except OSError as error:
        raise InputError(
            "{path} can't be read: {why}.", code="plan-file", path=options.array, why=error.strerror
        ) from error
    larger = tuple(
        replace(disk, size_bytes=2 * disk.size_bytes) for disk in _imagined(options.use_larger_disks or [], plan)
    )
    wish = _wish(options, plan, _imagined(options.add, plan), larger)
    if isinstance(plan.top, MdArray):
        way: AnyWay = way_to(plan.top, wish)
    else:
        way = volume_way(plan.top, wish) if _grows_alone(options) else refused_way(plan.top, wish)
    return _shown(PlannedChange(plan, way, ArrayStanding(), f"/dev/md/{plan.name}"))


def _imagined(names: list[str], plan: Plan) -> tuple[Member, ...]:
    """Return disks as large as the plan's smallest one, by the names given."""
    size_bytes = min(disk.size_bytes for disk in whole_disks(plan.top))
    return tuple(Member(name, size_bytes, serial=name) for name in names)


def _wish(
    options: argparse.Namespace, plan: Plan, new: tuple[Member, ...], larger: tuple[Member, ...] = ()
) -> ChangeWish:
    if options.level and options.level not in set(Level):
        raise InputError(
            "“{level}” is no level; there are {known}.", code="level", level=options.level, known=list(Level)
        )
    level = Level(options.level) if options.level else None
    layout = canonical_layout(level or plan.word, options.layout) if options.layout else None
    if options.consistency and options.consistency not in set(Consistency):
        raise InputError(
            "“{policy}” is no consistency policy; there are {known}.",
            code="consistency",
            policy=options.consistency,
            known=list(Consistency),
        )
    policy = Consistency(options.consistency) if options.consistency else None
    uses_larger = options.use_larger_disks is not None
    wish = ChangeWish(new, level, layout, options.chunk, options.members, uses_larger, policy, larger)
    if wish == ChangeWish():
        raise InputError(
            "Say what is to change: --add, --level, --layout, --chunk, --members, --use-larger-disks or --consistency.",
            code="change-nothing",
        )
    return wish


async def _planned(
    options: argparse.Namespace,
    machine: Machine,
    array: State,
    new: tuple[Member, ...],
    larger: tuple[Member, ...],
) -> PlannedChange:
    plan = plan_of(array, machine.snapshot.arrays)
    if isinstance(plan.top, LinearVolume):
        whole = await ExamineGrowth(array.named, tuple(band.named for band in array.arrays)).perform(machine)
        grown = volume_way(plan.top, _wish(options, plan, new), whole)
        return PlannedChange(plan, grown, ArrayStanding(content=whole.content), array.device, array.uuid)
    ground = await LookForChange(array.named).perform(machine)
    standing = standing_from(ground)
    way = way_to(plan.array, _wish(options, plan, new, larger), standing)
    return PlannedChange(plan, way, standing, array.node, array.uuid)


def _refuse(way: AnyWay) -> None:
    if isinstance(way, VolumeWay) and way.wish.consistency:
        raise InputError("A joined volume grows by disks; its arrays keep layout and chunk.", code="change-refused")
    if not way.possible:
        raise InputError(sentences(way.refusals), code="change-refused")


def _with_hint(refused: DiskRefused) -> InputError:
    names = refused.fields.get("signatures")
    said: list[str] = [refused.sentence]
    if refused.code == Code.SIGNATURE and isinstance(names, list):
        said.append(
            say("If that is unwanted, say so with --remove {names}.", names=shlex.quote(",".join(map(str, names))))
        )
    return InputError(sentences(said), code=refused.code, **refused.fields)


def _commands(planned: PlannedChange) -> Iterator[list[str]]:
    """Yield the commands of each step, ready to paste."""
    if isinstance(planned.way, VolumeWay):
        for one in planned.way.steps:
            yield [*volume_step_commands(planned.way, one, planned.standing.content)]
        return
    for step in planned.way.steps:
        argvs = step_commands(step, planned.node, planned.standing.content, uuid=planned.uuid)
        yield [shlex.join(argv) for argv in argvs]


def _shown(planned: PlannedChange) -> tuple[Mapping[str, object], str]:
    from raidwright.cli.printing import changing  # noqa: PLC0415 -- brings numpy, which a refusal doesn't wait for

    commands = [*_commands(planned)]
    if not planned.way.possible:
        refused = {"possible": False, "reasons": list(planned.way.refusals), "steps": []}
        return refused, words.refused_text(planned.way)
    shown = planned.plan, planned.way, commands
    return changing.as_json(*shown), changing.as_text(*shown)
