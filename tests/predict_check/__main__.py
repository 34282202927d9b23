"""Predictions for arrays of randomly drawn disks, each disk measured alone, against fio on the real md.

build/checks/predict.csv has all rows. It needs an idle computer: the latency that other work adds to each command is
measured, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from raidwright.lab.machine import LabSpec, start

from ..kit import check
from ..kit.check import CHECKS
from ..published_check.rate import RATES
from .cells import rows_again, rows_of
from .drawn import Pool, pools
from .kept import Kept
from .verdict import Row, verdicts


def measured(
    seed: int, arrays: int, kinds: list[str] | None = None, folder: Path = CHECKS, hasten: float = 1.0
) -> Iterator[Row]:
    """Yield every cell of a seed's pools, each pool in a machine of its own; the measurements are kept in ``folder``.

    ``hasten`` multiplies the machines' pace.
    """
    for pool in pools(seed, arrays=arrays):
        if kinds is None or pool.kind in kinds:
            with start(LabSpec(pool.disks, pace=pool.pace * hasten)) as lab:
                yield from rows_of(pool, lab, _kept(folder, seed, arrays, pool))


def again(seed: int, arrays: int, kinds: list[str] | None = None, folder: Path = CHECKS) -> Iterator[Row]:
    """Yield the cells whose measurements are kept in ``folder``, predicted again."""
    for pool in pools(seed, arrays=arrays):
        kept = _kept(folder, seed, arrays, pool)
        if (kinds is None or pool.kind in kinds) and kept.path.exists():
            yield from rows_again(pool, kept.read())


def _kept(folder: Path, seed: int, arrays: int, pool: Pool) -> Kept:
    return Kept(folder / f"predict-{seed}-{arrays}-{pool.kind}.jsonl")


def main() -> int:
    """Measure and predict; return 1 when a bound doesn't hold."""
    parser = check.parser("predict-check", __doc__, seed=True)
    parser.add_argument("--arrays", type=int, default=5, help="of each kind of disk")
    parser.add_argument("--kind", action="append", help="only this one (may be repeated)")
    parser.add_argument("--again", action="store_true", help="predict again what was measured before")
    options = parser.parse_args()
    rows: list[Row] = []
    with check.table("predict", ("pool", "array", "state", "workload", *RATES, "limited_by")) as table:
        print("     measured predicted     error     naive  (MB/s)")
        for row in (again if options.again else measured)(options.seed, options.arrays, options.kind):
            rows.append(row)
            line = (
                f"{row.measured_mb_s:10.4g} {row.predicted_mb_s:9.4g} {row.error:+9.0%} {row.naive_error:+9.0%}  "
                f"{row.pool} {row.array}: {row.cell.workload}, {row.cell.state} [{row.limited_by}]"
            )
            cells = (row.pool, row.array, row.cell.state, row.cell.workload, *row.cells(), row.limited_by)
            table.add(cells, line, sign=" " if row.within else "~")
    if not rows:
        parser.error(
            f"nothing is kept of seed {options.seed} with --arrays {options.arrays}: run it without --again first"
        )
    for holds, said in verdicts(rows):
        table.wrong += not holds
        print(" " if holds else check.BROKEN, said)
    return table.verdict(f"{table.rows} cells, seed {options.seed}")


if __name__ == "__main__":
    sys.exit(main())
