"""Draws disks and arrays, measures the disks one by one, predicts, measures the arrays by fio on the real md.

All rows go to build/checks/predict.csv. It wants an idle computer: what a busy one adds to each command is measured,
too.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from raidwright.lab.machine import LabSpec, start

from ..benchmarks.table import CHECKS
from .cells import rows_again, rows_of
from .drawn import Pool, pools
from .kept import Kept
from .verdict import Row, verdicts


def measured(
    seed: int, arrays: int, kinds: list[str] | None = None, folder: Path = CHECKS, hasten: float = 1.0
) -> Iterator[Row]:
    """Every cell of the pools of a seed, each pool in a machine of its own; what is measured stays in ``folder``.

    ``hasten``: how many times as fast as it should the machines' time goes.
    """
    for pool in pools(seed, arrays=arrays):
        if kinds is None or pool.kind in kinds:
            with start(LabSpec(pool.disks, pace=pool.pace * hasten)) as lab:
                yield from rows_of(pool, lab, _kept(folder, seed, arrays, pool))


def again(seed: int, arrays: int, kinds: list[str] | None = None, folder: Path = CHECKS) -> Iterator[Row]:
    """The same, as far as it was measured before, predicted anew."""
    for pool in pools(seed, arrays=arrays):
        kept = _kept(folder, seed, arrays, pool)
        if (kinds is None or pool.kind in kinds) and kept.path.exists():
            yield from rows_again(pool, kept.read())


def _kept(folder: Path, seed: int, arrays: int, pool: Pool) -> Kept:
    return Kept(folder / f"predict-{seed}-{arrays}-{pool.kind}.jsonl")


def main() -> int:
    """1 when a bound doesn't hold."""
    parser = argparse.ArgumentParser(prog="make predict-check", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--arrays", type=int, default=5, help="of each kind of disk")
    parser.add_argument("--kind", action="append", help="only this one (may be repeated)")
    parser.add_argument("--again", action="store_true", help="what was measured before, predicted anew")
    options = parser.parse_args()
    CHECKS.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    with (CHECKS / "predict.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["pool", "array", "state", "workload", "measured_mb_s", "predicted_mb_s", "low_mb_s",
                        "high_mb_s", "naive_mb_s", "limited_by"])  # fmt: skip
        print("     measured predicted     error     naive  (MB/s)")
        for row in (again if options.again else measured)(options.seed, options.arrays, options.kind):
            rows.append(row)
            figures = (row.measured, row.predicted, row.low, row.high, row.naive)
            table.writerow([row.pool, row.array, row.cell.state, row.cell.workload, *(f"{one:.4g}" for one in figures),
                            row.limited_by])  # fmt: skip
            file.flush()
            print(f"{' ' if row.within else '~'} {row.measured:10.4g} {row.predicted:9.4g} {row.error:+9.0%} "
                  f"{row.naive_error:+9.0%}  {row.pool} {row.array}: {row.cell.workload}, {row.cell.state} "
                  f"[{row.limited_by}]", flush=True)  # fmt: skip
    if not rows:
        parser.error(
            f"nothing is kept of seed {options.seed} with --arrays {options.arrays}: run it without --again first"
        )
    holds = True
    for good, said in verdicts(rows):
        holds &= good
        print(f"{' ' if good else '✗'} {said}")
    print(f"{len(rows)} cells, seed {options.seed}; all of them in {CHECKS / 'predict.csv'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
