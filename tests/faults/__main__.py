"""Matrix of build steps and faults: each step of a build is interrupted by each fault, and the outcome judged."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from subprocess import TimeoutExpired

from raidwright.core.errors import RaidwrightError
from raidwright.lab.places import roomy

from ..kit import check
from .bench import Bench
from .cells import Cell, Found, Outcome, matrix, try_cell
from .window import Told

_STORE_BYTES = 2 * 2**30  # of the disks of all cells
_COLUMNS = ("array", "step", "fault", "told", "state", "arrays", "disks changed", "way on", "verdict")


def tried(cells: Sequence[Cell], seed: int, name: str) -> Iterator[tuple[Cell, Outcome]]:
    """Yield the outcome of each of ``cells``, all tried in one lab, which is restarted by a power cut."""
    with tempfile.TemporaryDirectory(dir=roomy(_STORE_BYTES)) as folder, Bench(Path(folder), name) as bench:
        for cell in cells:
            try:
                outcome = try_cell(bench, cell, Random(f"{seed} {cell}"))  # noqa: S311  (to be repeatable)
            except (RaidwrightError, TimeoutError, TimeoutExpired) as error:  # of the lab itself
                outcome = Outcome(Told(), Found(None, 0, ()), "", (f"the lab broke off: {error}",))
                bench.cut_power()
            yield cell, outcome


def _row(cell: Cell, outcome: Outcome) -> tuple[str, ...]:
    found = outcome.found
    return (
        cell.shape,
        cell.step,
        cell.strike,
        outcome.told.code,
        found.state,
        str(found.arrays),
        " ".join(map(str, found.changed)),
        outcome.way_on,
        "; ".join(outcome.faults) or "good",
    )


def main() -> int:
    """Run the matrix, or the cells whose names have ``--only`` in them; return 1 when a cell is at fault."""
    parser = check.parser("faults", __doc__, seed=True)
    parser.add_argument("--only", default="", help="only the cells whose array/step/fault contains this")
    options = parser.parse_args()
    cells = [cell for cell in matrix(options.seed) if options.only in f"{cell.shape}/{cell.step}/{cell.strike}"]
    began = time.monotonic()
    with check.table("faults", _COLUMNS) as table:
        print(" ", " | ".join(_COLUMNS))
        for cell, outcome in tried(cells, options.seed, "faults"):
            row = _row(cell, outcome)
            table.add(row, " | ".join(row), holds=not outcome.faults)
            if outcome.told.sentence:
                print(f"    {outcome.told.sentence}", flush=True)
            if outcome.faults:
                print(f"    {outcome.found.record}", flush=True)
    return table.verdict(f"{table.rows} cells in {time.monotonic() - began:.0f} s, {table.wrong} at fault")


if __name__ == "__main__":
    sys.exit(main())
