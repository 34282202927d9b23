"""Strikes every step of a build by every fault, and prints what came of it."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from subprocess import TimeoutExpired

from raidwright.core.errors import RaidwrightError
from raidwright.lab.places import roomy

from ..kit.check import report
from .bench import Bench
from .cells import Cell, Found, Outcome, matrix, try_cell
from .window import Told

_STORE_BYTES = 2 * 2**30  # what the disks of all cells come to hold
_COLUMNS = ("array", "step", "fault", "told", "state", "arrays", "disks changed", "way on", "verdict")


def tried(cells: Sequence[Cell], seed: int, name: str) -> Iterator[tuple[Cell, Outcome]]:
    """Each of ``cells`` in one lab, which is started anew when a power cut belongs to it."""
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
    """Run the matrix, or the cells whose names have ``--only`` in them; 1 when a cell is at fault."""
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    cells = [cell for cell in matrix(options.seed) if options.only in f"{cell.step}/{cell.strike}"]
    rows, bad = [], 0
    began = time.monotonic()
    for cell, outcome in tried(cells, options.seed, "faults"):
        rows.append(_row(cell, outcome))
        bad += bool(outcome.faults)
        print(" | ".join(rows[-1]), flush=True)
        if outcome.told.sentence:
            print(f"    {outcome.told.sentence}", flush=True)
        if outcome.faults:
            print(f"    {outcome.found.record}", flush=True)
    report("faults", _COLUMNS, rows)
    print(f"{len(rows)} cells in {time.monotonic() - began:.0f} s, {bad} at fault")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
