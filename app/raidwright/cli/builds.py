"""``raidwright builds``: one's own builds on a machine, undo, and deleting their backups."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict
from datetime import datetime

from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.progress import say_progress
from raidwright.core.messages import say
from raidwright.core.protocol.facts import BACKUPS, BuildRecord, BuildState, ClosedBy
from raidwright.core.protocol.results import UndoResult
from raidwright.machine.address import MachineAddress
from raidwright.operations.builds import ForgetBuild, ListBuilds, Undo
from raidwright.operations.operation import Operation, Result
from raidwright.text.catalogue import tr, translated, with_semicolons


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("builds", help=tr("list what one has built, and take a build back"))
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--undo", metavar="ID", help=tr("stop this build's array and put back what was on its disks"))
    act.add_argument("--forget", metavar="ID", help=tr("delete what was saved of this build's disks"))
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))


def run(options: argparse.Namespace) -> int:
    address = chosen_machine(options)
    if options.undo is not None:
        _print_undone(asyncio.run(_perform(Undo(options.undo), address)), as_json=options.json)
    elif options.forget is not None:
        asyncio.run(_perform(ForgetBuild(options.forget), address))
        print(
            "null" if options.json else tr("What was saved of its disks is deleted. It can't be taken back any more.")
        )
    else:
        _print_builds(asyncio.run(_perform(ListBuilds(), address)), as_json=options.json)
    return 0


async def _perform(operation: Operation[Result], address: MachineAddress) -> Result:
    async with connected(address) as machine:
        return await operation.perform(machine, say_progress)


def _print_builds(builds: tuple[BuildRecord, ...], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([asdict(build) for build in builds], indent=2, ensure_ascii=False))
        return
    if not builds:
        print(tr("Nothing has been built there yet."))
    for build in builds:
        began = datetime.fromtimestamp(build.began_s).astimezone().strftime("%Y-%m-%d %H:%M")
        state = with_semicolons(translated(_STATES[build.state]), _way_back(build))
        print(f"{build.id}  {began}  “{build.name}” {state}")
        for line in (*build.disks, *(tr("removed {removed}", removed=removed) for removed in build.removed)):
            print(f"    {line}")
        if build.kept_until_s is not None:
            until = datetime.fromtimestamp(build.kept_until_s).astimezone().strftime("%Y-%m-%d")
            kept = tr(
                "what was there before is kept in {folder} until {until}, or --forget {id}",
                folder=BACKUPS,
                until=until,
                id=build.id,
            )
            print(f"    {kept}")


_STATES: dict[BuildState, str] = {
    BuildState.RUNNING: say("running"),
    BuildState.INTERRUPTED: say("interrupted"),
    BuildState.DONE: say("done"),
    BuildState.FAILED: say("failed"),
    BuildState.UNDONE: say("undone"),
    BuildState.DISMANTLED: say("taken apart"),
    BuildState.RESCUED: say("rescued"),
}


def _way_back(build: BuildRecord) -> str:
    if build.closed_by:
        return tr("can't be undone: {why}", why=_CLOSED.get(build.closed_by, build.closed_by))
    return tr("can be undone as long as it holds nothing") if build.has_way_back else ""


_CLOSED: dict[str, str] = {
    ClosedBy.MOUNTED: say("it is mounted"),
    ClosedBy.IN_USE: say("something uses it"),
    ClosedBy.WRITTEN: say("it was written to"),
    ClosedBy.NOT_RUNNING: say("it doesn't run"),
}


def _print_undone(result: UndoResult, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(result), indent=2, ensure_ascii=False))
        return
    print(tr("What was overwritten is back: both ends of the disks read as they did before."))
    if result.volume_active:
        print(tr("Its arrays run, and the volume over them is active again."))
    if result.synchronised:
        print(tr("md's first sync may have overwritten what lay between them."))
