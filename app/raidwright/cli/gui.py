"""``raidwright`` without a subcommand, or ``raidwright gui``: open the window."""

from __future__ import annotations

import argparse

from .machine_option import add_machine_options


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("gui", help="open the window")
    add_machine_options(parser)
    parser.add_argument("--practice", metavar="DISKS", help="open on a practice machine of its own (4x8TB+2TB:ext4)")


def run(options: argparse.Namespace) -> int:
    from ..session import PracticeSpec  # noqa: PLC0415 -- brings Qt
    from ..ui import application  # noqa: PLC0415

    practice = PracticeSpec(options.practice, role=options.role) if options.practice else None
    return application.run(options.machine, role=options.role, practice=practice)
