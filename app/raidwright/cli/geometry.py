"""``raidwright geometry``: the content of each chunk of each member."""

from __future__ import annotations

import argparse
import json

from raidwright.analysis.geometry.of_plan import Cells, Role, all_rows, geometry_of
from raidwright.cli.options.plans import plan_text
from raidwright.core.errors import InputError
from raidwright.reading.plans import loads_plan
from raidwright.text.catalogue import tr

_MAX_ROWS = 100_000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("geometry", help=tr("say what each chunk of each member holds"))
    parser.add_argument("plan", metavar="PLAN", help=tr("a plan's JSON file, or - for standard input"))
    parser.add_argument("--rows", type=_count, default=8, metavar="N", help=tr("how many rows (8)"))
    parser.add_argument(
        "--from", type=_row, dest="first", metavar="ROW", help=tr("from this row on (where data begins)")
    )
    parser.add_argument("--json", action="store_true", help=tr("print a list a member: chunk number, “P”, “Q” or null"))


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= _MAX_ROWS:
        raise argparse.ArgumentTypeError(tr("must be 1 to {most_rows}", most_rows=_MAX_ROWS))
    return int(text)


def _row(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(tr("must be a row's number, from 0 on"))
    return int(text)


def run(options: argparse.Namespace) -> int:
    geometry = geometry_of(loads_plan(plan_text(options.plan)))
    first = geometry.first_row if options.first is None else options.first
    if first >= geometry.rows:
        raise InputError(
            "There is no row {first}: the last one is {last}.", code="row", first=first, last=geometry.rows - 1
        )
    members = members_cells(geometry.cells(all_rows(first, min(options.rows, geometry.rows - first))))
    if options.json:
        print(json.dumps(members))
        return 0
    width = max([4, *(len(str(cell)) for cells in members for cell in cells)])
    print("row".rjust(12), *(f"{slot}".rjust(width) for slot in range(len(members))))
    for row, cells in enumerate(zip(*members, strict=True), start=first):
        print(str(row).rjust(12), *(("·" if cell is None else str(cell)).rjust(width) for cell in cells))
    return 0


def members_cells(cells: Cells) -> list[list[int | str | None]]:
    """Return each member's rows, from the top: the chunk's number, "P", "Q" or None."""
    names: dict[int, str | None] = {Role.EMPTY: None, Role.P: "P", Role.Q: "Q"}
    return [
        [names.get(role, chunk) for role, chunk in zip(roles, chunks, strict=True)]
        for roles, chunks in zip(cells.role.T.tolist(), cells.chunk.T.tolist(), strict=True)
    ]
