"""Measures a disk of each kind with fio and holds it against its data sheet; all rows go to build/checks/disks.csv.

It wants an idle computer: what a busy one adds to each command is measured, too. A slower pace makes that count less.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator

from raidwright.lab.disks.kinds import kinds
from raidwright.lab.machine import LabSpec, start
from raidwright.lab.shelf import disks_from_text

from ..benchmarks.table import CHECKS
from .measured import Bench
from .rows import Row, rows_of

_ALLOWED = 0.10
# In which machine each is measured: small where something has to fill up, slow where the processor would be measured (a
# host that sleeps between two commands adds a tenth to a quarter of a millisecond to each). What holds for a log that
# has just become full is measured on a second disk, which nothing was written to before.
_POOLS = {
    "hdd15000-2004": ("8TB:hdd15000-2004", 1 / 4),
    "smr": ("2x64GB:smr", 0.5),
    "ssd": ("8GB:ssd", 1 / 64),
    "nvme": ("10GB:nvme", 1 / 64),
}


def pool_of(kind: str) -> tuple[str, float]:
    """The disks that stand for ``kind``, and the machine's pace."""
    return _POOLS.get(kind, (f"8TB:{kind}", 0.5))


def measured(kind: str, seed: int, pace: float | None = None) -> Iterator[Row]:
    """Every row of a kind, in a machine of its own, of the kind's own pace or another."""
    text, own_pace = pool_of(kind)
    disks = disks_from_text(text)
    with start(LabSpec(disks, pace=pace or own_pace)) as lab:
        yield from rows_of(Bench(lab, seed), kind, disks)


def main() -> int:
    """1 when anything is further off than it may be."""
    parser = argparse.ArgumentParser(prog="make disks-check", description=__doc__)
    parser.add_argument("--kind", choices=list(kinds()), action="append", help="only this one (may be repeated)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pace", type=float, help="of the machine, instead of its kind's own; below 1 is slow motion")
    options = parser.parse_args()
    rows = wrong = 0
    CHECKS.mkdir(parents=True, exist_ok=True)
    with (CHECKS / "disks.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["kind", "figure", "unit", "promised", "found", "off", "holds"])
        for kind in options.kind or kinds():
            for row in measured(kind, options.seed, options.pace):
                holds = abs(row.off) <= _ALLOWED
                rows, wrong = rows + 1, wrong + (not holds)
                table.writerow([row.kind, row.figure, row.unit, row.promised, row.found, row.off, holds])
                figures = f"{row.promised:10.2f} {row.found:10.2f} {row.unit:5} {row.off:+7.1%}"
                print(f"{' ' if holds else '✗'} {row.kind:15} {row.figure:26} {figures}", flush=True)
    print(f"{rows} figures, {wrong} off by more than {_ALLOWED:.0%}; all of them in {CHECKS / 'disks.csv'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
