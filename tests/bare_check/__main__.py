"""README.md's two commands in a fresh clone of HEAD, on a bare Debian 12, 13 and testing: by root, by a user with sudo.

Each system is a new folder made by mmdebstrap (``tests/wheel_check/bare.py``), without a display, a service manager
or a disk of this computer. The table goes to build/checks/bare.csv, each command's output to a file beside it.
Needs root, a network, and 6 GB of room where temporary files go.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from ..kit import check
from ..wheel_check import bare
from . import newcomer

_DEBIANS = {"12": "bookworm", "13": "trixie", "testing": "forky"}
_LAST_LINES = 40


class Row(NamedTuple):
    """Result of a command on a system."""

    debian: str
    user: str
    command: str
    result: str
    seconds: str
    last_line: str


def main() -> int:
    """Run each command on each system; return 1 when one fails."""
    parser = check.parser("bare-check", __doc__, debian=_DEBIANS, only=newcomer.COMMANDS)
    parser.add_argument("--as", dest="users", choices=newcomer.USERS, action="append", help="only as this one")
    options = bare.parse(parser)
    rows = []
    with check.table("bare", Row._fields) as table:
        for debian, user in product(options.debian or _DEBIANS, options.users or newcomer.USERS):
            for row in _rows(debian, user, options.only or newcomer.COMMANDS):
                table.add(row, holds=row.result == "passed")
                rows.append(row)
    print("", *map(_line, [Row(*Row._fields), *rows]), sep="\n")
    return table.verdict(f"{table.rows} commands, {table.wrong} failed")


def _rows(debian: str, user: str, commands: Sequence[str]) -> Iterator[Row]:
    with bare.system(_DEBIANS[debian]) as root:
        for command in newcomer.steps(root / "check", user, commands):
            log = check.CHECKS / f"bare-{debian}-{user}-{command}.log"
            print(f"Debian {debian}, {user}: {command}; its output goes to {log}", flush=True)
            seconds, code = newcomer.run(root, log)
            last = _last_lines(log, 1)
            row = Row(debian, user, command, f"failed ({code})" if code else "passed", f"{seconds:.0f}", last)
            print(_line(row) if not code else f"{_last_lines(log, _LAST_LINES)}\n{_line(row)}", flush=True)
            yield row
            if code and command == newcomer.PREPARE:
                return


def _last_lines(log: Path, count: int) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").split("\n")[:-1][-count:])


def _line(row: Row) -> str:
    return f"{row.debian:8}{row.user:6}{row.command:10}{row.result:14}{row.seconds:>8}  {row.last_line[:100]}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
