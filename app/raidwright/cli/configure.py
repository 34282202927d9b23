"""``raidwright configure``: an array's lines in mdadm.conf and fstab: preview, write, and undo."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict, dataclass

from raidwright.cli.options.array import meant_array, refused_as_input
from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.progress import say_progress
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.protocol.results import Configured, Preview
from raidwright.core.system.config_files import checked_homehost, checked_mail
from raidwright.core.system.filesystem import checked_place
from raidwright.operations.system import (
    Configuration,
    PreviewConfiguration,
    RestoreConfiguration,
    WriteConfiguration,
)
from raidwright.text.catalogue import joined, tr


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The preview and the written change, each None if there was none."""

    preview: Preview | None
    written: Configured | None


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("configure", help=tr("start an array with the computer: mdadm.conf and fstab"))
    parser.add_argument("array", metavar="ARRAY", nargs="?", help=tr("its name or its UUID"))
    parser.add_argument(
        "--mount", default="", metavar="FOLDER", help=tr("mount its file system there, such as /srv/tank")
    )
    parser.add_argument("--homehost", default="", metavar="NAME", help=tr("<system>, or a name for new arrays' home"))
    parser.add_argument("--mail", default="", metavar="ADDRESS", help=tr("whom md tells when a disk fails"))
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--apply", action="store_true", help=tr("write the change; without this it is only shown"))
    act.add_argument("--restore", action="store_true", help=tr("put back what the last change replaced"))
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))


def run(options: argparse.Namespace) -> int:
    if options.restore == bool(options.array):
        raise InputError("Name the array, or put the last change back with --restore alone.", code="usage")
    try:
        outcome = asyncio.run(_configure(options))
    except DiskRefused as refused:
        raise refused_as_input(refused) from refused
    if options.json:
        print(json.dumps(asdict(outcome), indent=2, ensure_ascii=False))
    else:
        print(_text(outcome))
    return 0


async def _configure(options: argparse.Namespace) -> _Outcome:
    wanted = Configuration(
        place=options.mount and checked_place(options.mount),
        homehost=options.homehost and checked_homehost(options.homehost),
        mail=options.mail and checked_mail(options.mail),
    )
    async with connected(chosen_machine(options)) as machine:
        if options.restore:
            return _Outcome(None, await RestoreConfiguration().perform(machine, say_progress))
        array = meant_array(options.array, machine.snapshot).named
        shown = await PreviewConfiguration(array, wanted).perform(machine)
        if not options.apply or not shown.difference:
            return _Outcome(shown, None)
        return _Outcome(shown, await WriteConfiguration(array, wanted, shown.token).perform(machine, say_progress))


def _text(outcome: _Outcome) -> str:
    lines = list(outcome.preview.difference) if outcome.preview else []
    if outcome.written is not None:
        files = list(outcome.written.files)
        if outcome.preview is None:
            done = tr("{files:and}: put back.", files=files)
        else:
            done = tr("{files:and}: written; “raidwright configure --restore” takes that back.", files=files)
        return "\n".join([*lines, done])
    if not lines:
        return tr("The files say all this already.")
    lines.append(tr("Nothing is written yet; --apply writes it."))
    if outcome.preview and outcome.preview.initramfs:
        lines[-1] = joined(lines[-1], tr("The initramfs is made anew then."))
    if outcome.preview and outcome.preview.timers:
        timers = tr("Switched on then, too: {timers:and}.", timers=list(outcome.preview.timers))
        lines[-1] = joined(lines[-1], timers)
    return "\n".join(lines)
