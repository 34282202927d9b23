"""Comparison of each kind of practice disk, measured by fio, with its data sheet; build/checks/disks.csv has all rows.

It needs an idle computer: the latency that other work adds to each command is measured, too. A slower pace reduces its
share. What was measured while the practice machine waited for the host isn't counted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from raidwright.lab.disks.kinds import kinds
from raidwright.lab.machine import LabSpec, start
from raidwright.lab.shelf import disks_from_text

from ..kit import check
from ..kit.quiet import Quiet
from .measured import Bench
from .rows import Row, rows_of

_ALLOWED = 0.10
# Disks and pace of the machine: small disks where a log or cache must fill up, a slow pace where the processor would be
# measured (a host that sleeps between two commands adds 0.1 to 0.25 ms to each). The rows of a shingled disk's log that
# has just become full are measured on a second disk, which nothing was written to before.
_POOLS = {
    "hdd15000-2004": ("8TB:hdd15000-2004", 1 / 4),
    "smr": ("2x64GB:smr", 0.5),
    "ssd": ("8GB:ssd", 1 / 64),
    "nvme": ("10GB:nvme", 1 / 64),
}


def pool_of(kind: str) -> tuple[str, float]:
    """Return the disks that represent ``kind``, and the machine's pace."""
    return _POOLS.get(kind, (f"8TB:{kind}", 0.5))


def measured(kind: str, seed: int, pace: float | None = None) -> Iterator[Row]:
    """Yield every row of a kind, measured in a machine of its own, at the kind's pace unless ``pace`` is given."""
    text, own_pace = pool_of(kind)
    disks = disks_from_text(text)
    with start(LabSpec(disks, pace=pace or own_pace)) as lab:
        quiet = Quiet(lab.host_load)
        for row in rows_of(Bench(lab, seed), kind, disks):
            yield replace(row, waited_share=quiet.waited_share())


def main() -> int:
    """Measure the kinds; return 1 when a figure is further off than allowed."""
    parser = check.parser("disks-check", __doc__, seed=True, kind=kinds())
    parser.add_argument("--pace", type=float, help="of the machine, instead of its kind's own; below 1 is slow motion")
    options = parser.parse_args()
    with check.table("disks", ("kind", "figure", "unit", "promised", "found", "off", "holds", check.COUNTS)) as table:
        for kind in options.kind or kinds():
            for row in measured(kind, options.seed, options.pace):
                holds = abs(row.off) <= _ALLOWED
                figures = f"{row.promised:10.2f} {row.found:10.2f} {row.unit:5} {row.off:+7.1%}"
                cells = (row.kind, row.figure, row.unit, row.promised, row.found, row.off, holds)
                line = f"{row.kind:15} {row.figure:26} {figures}"
                table.add(cells, line, holds=holds, waited_share=row.waited_share)
    return table.verdict(f"{table.rows} figures, {table.wrong} off by more than {_ALLOWED:.0%}")


if __name__ == "__main__":
    sys.exit(main())
