"""``raidwright array change``: an array's shape changed step by step, after a dry run with commands and times."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from raidwright.cli.options.array import confirmed_name, meant_array, refused_for_volume
from raidwright.cli.options.numbers import positive
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.md.changes.commands import step_commands
from raidwright.core.md.changes.standing import standing_from
from raidwright.core.md.changes.values import ArrayStanding, ChangeWay, ChangeWish
from raidwright.core.md.changes.volume_commands import volume_step_commands
from raidwright.core.md.changes.volumes import growth_goal, volume_way
from raidwright.core.md.changes.ways import goal_of, way_to
from raidwright.core.md.layouts import Level, canonical_layout
from raidwright.core.md.whole_disks import whole_disks
from raidwright.core.messages import say, sentences
from raidwright.core.model.plan import Consistency, Member, Plan
from raidwright.core.model.plan_json import loads_plan
from raidwright.core.protocol.errors import Code
from raidwright.machine.array_plan import plan_of
from raidwright.machine.machine import Machine
from raidwright.machine.values import Array
from raidwright.operations.changing import ChangeArray, ExamineChange, ExamineGrowth
from raidwright.text import changes as words
from raidwright.text.catalogue import tr, translated

from .array_replace import meant_newcomer

_POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A way, and what its commands need: the array's node and UUID, its running state, and removable signatures."""

    way: ChangeWay
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
        "--use-larger-disks", action="store_true", help=tr("use all of its members after they were replaced by larger")
    )
    act.add_argument(
        "--consistency", metavar="POLICY", help=tr("what keeps it consistent after a power cut: resync, bitmap, ppl")
    )
    act.add_argument("--dry-run", action="store_true", help=tr("only print the steps, their commands and times"))
    act.add_argument("--plan", action="store_true", help=tr("ARRAY is a plan's file; implies --dry-run"))
    act.add_argument("--remove", default="", metavar="NAMES", help=tr("what is on the new disks and unwanted: ext4"))


async def change(options: argparse.Namespace, machine: Machine) -> tuple[Mapping[str, object], str]:
    """Change the array, or print the steps; return --json's output, and the text. Raises InputError."""
    array = meant_array(options.array, machine.snapshot)
    if array.bands and not _grows_alone(options):
        raise refused_for_volume(array)
    if not options.dry_run:
        array = await _once_at_rest(machine, array)
    new = tuple(meant_newcomer(text, machine) for text in options.add)
    planned = await _planned(options, machine, array, new)
    if options.dry_run:
        return _shown(planned)
    _refuse(planned.way)
    if not planned.way.steps:
        said = [tr("“{name}” is like this already.", name=array.name), *map(translated, planned.way.left_out)]
        return {"steps": [], "changed": None}, "\n".join(said)
    print(words.way_text(planned.way, _commands(planned)), file=sys.stderr)
    name = confirmed_name(options.yes_name, array)
    wiped = tuple(filter(None, options.remove.split(",")))
    goal = growth_goal(planned.way) if array.bands else goal_of(planned.way)
    request = ChangeArray(array.named._replace(name=name), goal, {disk.id: wiped for disk in new})
    try:
        done = await request.perform(machine, say_progress)
    except DiskRefused as refused:
        raise _with_hint(refused) from refused
    return {"changed": asdict(done)}, words.changed_text(array.name, done)


def _grows_alone(options: argparse.Namespace) -> bool:
    """Return whether disks are added or larger ones used, without another change: a joined volume does that alone."""
    return not (options.level or options.layout or options.chunk or options.members)


async def _once_at_rest(machine: Machine, array: Array) -> Array:
    """Return ``array`` once md's own reshape has ended: one that a crash cut off continues by itself, once started."""
    if _reshapes(array):
        print(
            tr("md reshapes “{name}” now; what is left is done when that has ended.", name=array.name), file=sys.stderr
        )
    while _reshapes(array):
        await asyncio.sleep(_POLL_SECONDS)
        array = meant_array(array.uuid, machine.snapshot)
    return array


def _reshapes(array: Array) -> bool:
    return any(one.facts is not None and one.facts.reshapes for one in (array, *array.bands))


def change_of_plan(options: argparse.Namespace) -> tuple[Mapping[str, object], str]:
    """Return the dry run on the plan in a file, for an array that doesn't exist yet. Disks to add are made up."""
    try:
        with open(options.array, encoding="utf-8") as file:  # noqa: PTH123  (a name given by a person)
            plan = loads_plan(file.read())
    except OSError as error:
        raise InputError(
            "{path} can't be read: {why}.", code="plan-file", path=options.array, why=error.strerror
        ) from error
    wish = _wish(options, plan, _imagined(options.add, plan))
    way = volume_way(plan, wish) if plan.is_joined and _grows_alone(options) else way_to(plan, wish)
    return _shown(PlannedChange(way, ArrayStanding(), f"/dev/md/{plan.name}"))


def _imagined(names: list[str], plan: Plan) -> tuple[Member, ...]:
    """Return disks as large as the plan's smallest one, by the names given."""
    size_bytes = min(disk.size_bytes for disk in whole_disks(plan))
    return tuple(Member(name, size_bytes, serial=name) for name in names)


def _wish(options: argparse.Namespace, plan: Plan, new: tuple[Member, ...]) -> ChangeWish:
    if options.level and options.level not in set(Level):
        raise InputError(
            "“{level}” is no level; there are {known}.", code="level", level=options.level, known=list(Level)
        )
    level = Level(options.level) if options.level else None
    layout = canonical_layout(level or plan.level, options.layout) if options.layout else None
    if options.consistency and options.consistency not in set(Consistency):
        raise InputError(
            "“{policy}” is no consistency policy; there are {known}.",
            code="consistency",
            policy=options.consistency,
            known=list(Consistency),
        )
    policy = Consistency(options.consistency) if options.consistency else None
    wish = ChangeWish(new, level, layout, options.chunk, options.members, options.use_larger_disks, policy)
    if wish == ChangeWish():
        raise InputError(
            "Say what is to change: --add, --level, --layout, --chunk, --members, --use-larger-disks or --consistency.",
            code="change-nothing",
        )
    return wish


async def _planned(
    options: argparse.Namespace, machine: Machine, array: Array, new: tuple[Member, ...]
) -> PlannedChange:
    plan = plan_of(array, machine.snapshot.arrays)
    if array.bands:
        whole = await ExamineGrowth(array.named, tuple(band.named for band in array.bands)).perform(machine)
        way = volume_way(plan, _wish(options, plan, new), whole)
        return PlannedChange(way, ArrayStanding(content=whole.content), array.device, array.uuid)
    ground = await ExamineChange(array.named).perform(machine)
    standing = standing_from(ground)
    node = f"/dev/md/{array.name}" if array.name else array.device
    return PlannedChange(way_to(plan, _wish(options, plan, new), standing), standing, node, array.uuid)


def _refuse(way: ChangeWay) -> None:
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
    for step in planned.way.steps:
        if planned.way.before.is_joined:
            yield [*volume_step_commands(planned.way, step, planned.standing.content)]
            continue
        argvs = step_commands(step, planned.node, planned.standing.content, uuid=planned.uuid)
        yield [shlex.join(argv) for argv in argvs]


def _shown(planned: PlannedChange) -> tuple[Mapping[str, object], str]:
    from raidwright.cli.printing import changing  # noqa: PLC0415 -- brings numpy, which a refusal doesn't wait for

    commands = [*_commands(planned)]
    if not planned.way.possible:
        refused = {"possible": False, "reasons": list(planned.way.refusals), "steps": []}
        return refused, words.refused_text(planned.way)
    return changing.as_json(planned.way, commands), changing.as_text(planned.way, commands)
