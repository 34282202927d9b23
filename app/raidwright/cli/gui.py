"""``raidwright`` without a subcommand, or ``raidwright gui``: open the window."""

from __future__ import annotations

import argparse
import gc
import os

from raidwright import debian
from raidwright.cli.options.machine import add_machine_options
from raidwright.core.errors import InputError, RaidwrightError
from raidwright.machine.address import DEFAULT_ROLE
from raidwright.machine.connection import PracticeSpec
from raidwright.machine.udisks.first_look import FirstLook

_DISPLAYS = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}  # without one of them Qt would abort the program


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("gui", help="open the window")
    add_machine_options(parser)
    parser.add_argument("--practice", metavar="DISKS", help="open on a practice machine of its own (4x8TB+2TB:ext4)")


def run(options: argparse.Namespace) -> int:
    if not _DISPLAYS & os.environ.keys():
        raise InputError(
            "There is no display here to open the window on. The subcommands work without one: see raidwright --help.",
            code="no-display",
        )
    if options.practice:
        return open_window(practice=PracticeSpec(options.practice, role=options.role))
    return open_window(options.machine, role=options.role)


def open_window(machine: str = "local", *, role: str = DEFAULT_ROLE, practice: PracticeSpec | None = None) -> int:
    """Open the window on ``machine``, or on a practice machine of its own; returns the exit code."""
    look = None if practice else FirstLook(machine, role)  # before anything else: the machine takes its time
    gc.disable()  # all that is imported and made until the window stands is needed
    try:
        from raidwright.ui import application  # noqa: PLC0415
    except ImportError as error:  # a library of the system that Qt wants
        sentence = debian.why("window", f"The window can't be opened: {error}")
        raise RaidwrightError(sentence, code="not-installed") from error
    return application.run(look, practice)
