"""``raidwright`` without a subcommand, or ``raidwright gui``: open the window."""

from __future__ import annotations

import argparse
from concurrent.futures import Future
from pathlib import Path

from raidwright import debian, log
from raidwright.cli.display import check_display
from raidwright.cli.options.machine import add_machine_options
from raidwright.core.errors import RaidwrightError
from raidwright.core.messages import say
from raidwright.loop_thread import LoopThread
from raidwright.machine.address import DEFAULT_ROLE, parse_machine
from raidwright.machine.connection import PracticeSpec
from raidwright.machine.machine import Machine
from raidwright.machine.seen_members import Roll, roll_path
from raidwright.machine.transport import is_far
from raidwright.text.catalogue import tr


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("gui", help=tr("open the window"))
    parser.add_argument("plan", nargs="?", type=Path, metavar="FILE", help=tr("a plan's file, to open"))
    add_machine_options(parser)
    parser.add_argument(
        "--practice", metavar="DISKS", help=tr("open on a practice machine of its own (4x8TB+2TB:ext4)")
    )


def run(options: argparse.Namespace) -> int:
    check_display()
    if options.practice:
        return open_window(practice=PracticeSpec(options.practice, role=options.role), plan=options.plan)
    return open_window(options.machine, role=options.role, plan=options.plan)


def open_window(
    machine: str = "local",
    *,
    role: str = DEFAULT_ROLE,
    practice: PracticeSpec | None = None,
    plan: Path | None = None,
) -> int:
    """Open the window on ``machine``, or on a new practice machine, with ``plan``; return the exit code."""
    thread = LoopThread()
    opened = _opened(machine, role, thread) if practice is None else None
    log.begin()
    try:
        from raidwright.ui import application  # noqa: PLC0415 -- large, and Qt may not be there
    except ImportError as error:  # a system library that Qt needs
        sentence = debian.why("window", say("The window can't be opened: {why}", why=error))
        raise RaidwrightError(sentence, code="not-installed") from error
    session = application.session_on(thread)
    if practice is None:
        session.connect_to(machine, role=role, opened=opened)
    else:
        session.start_practice(practice)
    return application.run(session, plan)


def _opened(machine: str, role: str, thread: LoopThread) -> Future[Machine] | None:
    """Begin to open the machine while Qt is imported; None if it may ask for a password, or may end."""
    meant = parse_machine(machine, role=role)  # an invalid address is reported before a window opens
    if is_far(meant.bus_address) or meant.is_practice:
        return None
    return thread.begin(Machine.open(meant.bus_address, Roll(roll_path())))
