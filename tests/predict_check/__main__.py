"""Predictions for arrays of randomly drawn disks, each disk measured alone, against fio on the real md.

build/checks/predict.csv has all rows. It needs an idle computer: the latency that other work adds to each command is
measured, too, and what was measured while the practice machine waited for its processors isn't counted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from raidwright.lab.machine import LabSpec, start

from ..kit import check
from ..kit.check import CHECKS
from ..published_check import ablation
from ..published_check.rate import RATES
from .cells import rows_again, rows_of
from .drawn import Pool, pools
from .joined import joined_rows
from .kept import Kept
from .own_jobs import own_pools
from .verdict import Row, verdicts
from .wide import wide_pools


def measured(drawn: Draw, folder: Path = CHECKS, hasten: float = 1.0) -> Iterator[Row]:
    """Yield every cell of a draw's pools, each pool in a machine of its own; the measurements are kept in ``folder``.

    ``hasten`` multiplies the machines' pace.
    """
    for pool in drawn.pools():
        with start(LabSpec(pool.disks, pace=pool.pace * hasten)) as lab:
            yield from rows_of(pool, lab, drawn.kept(folder, pool))


def again(drawn: Draw, folder: Path = CHECKS) -> Iterator[Row]:
    """Yield the cells whose measurements are kept in ``folder``, predicted again."""
    for pool in drawn.pools():
        kept = drawn.kept(folder, pool)
        if kept.path.exists():
            yield from rows_again(pool, kept.read())


@dataclass(frozen=True, slots=True)
class Draw:
    """The measurements: ``arrays`` of each of ``kinds`` (None: of all), by the standing workloads or one's own jobs.

    With ``wide`` instead one wide array, by streams.
    """

    seed: int
    arrays: int
    kinds: list[str] | None = None
    own_jobs: bool = False
    wide: bool = False

    def pools(self) -> Iterator[Pool]:
        """Yield the pools of disks with their arrays."""
        drawn = own_pools if self.own_jobs else pools
        for pool in wide_pools(self.seed) if self.wide else drawn(self.seed, arrays=self.arrays):
            if self.kinds is None or pool.kind in self.kinds:
                yield pool

    def kept(self, folder: Path, pool: Pool) -> Kept:
        """Return where the measurements of ``pool`` are kept."""
        jobs = "-own" if self.own_jobs else "-wide" if self.wide else ""
        return Kept(folder / f"predict{jobs}-{self.seed}-{self.arrays}-{pool.kind}.jsonl")


def main() -> int:
    """Measure and predict; return 1 when a bound doesn't hold."""
    parser = check.parser("predict-check", __doc__, seed=True)
    parser.add_argument("--arrays", type=int, default=5, help="of each kind of disk")
    parser.add_argument("--kind", action="append", help="only this one (may be repeated)")
    parser.add_argument("--own-jobs", action="store_true", help="people's own fio jobs instead (own_jobs.fio)")
    parser.add_argument("--wide", action="store_true", help="the streams of a raid5 of eight disks instead")
    parser.add_argument("--joined", type=int, metavar="VOLUMES", help="volumes joined of unlike disks instead")
    parser.add_argument("--again", action="store_true", help="predict again what was measured before")
    parser.add_argument("--ablate", action="store_true", help="and only show what each term of the model does to that")
    parser.add_argument("--pace", type=float, default=1.0, help="slows the machines: a busy host counts for less")
    options = parser.parse_args()
    drawn = Draw(options.seed, options.arrays, options.kind, options.own_jobs, options.wide)
    if options.ablate:
        for line in ablation.lines(lambda: list(again(drawn))):
            print(line, flush=True)
        return 0
    name = "predict-joined" if options.joined else "predict-own" if drawn.own_jobs else "predict"
    name = "predict-wide" if drawn.wide else name
    columns = ("pool", "array", "cell", *RATES, "limited_by", check.COUNTS)
    source: Iterable[Row] = again(drawn) if options.again else measured(drawn, hasten=options.pace)
    if options.joined:
        source = joined_rows(options.seed, options.joined, CHECKS)
    rows: list[Row] = []
    with check.table(name, columns) as table:
        print("     measured predicted     error     naive  (MB/s)")
        for row in source:
            rows.append(row)
            line = (
                f"{row.measured_mb_s:10.4g} {row.predicted_mb_s:9.4g} {row.error:+9.0%} {row.naive_error:+9.0%}  "
                f"{row.pool} {row.array}: {row.cell} [{row.limited_by}]"
            )
            cells = (row.pool, row.array, row.cell, *row.cells(), row.limited_by)
            table.add(cells, line, sign=" " if row.within else "~", waited_share=row.waited_share)
    if not rows:
        parser.error(
            f"nothing is kept of seed {options.seed} with --arrays {options.arrays}: run it without --again first"
        )
    for holds, said in verdicts(rows, ranked=name == "predict"):
        table.wrong += not holds
        print(" " if holds else check.BROKEN, said)
    return table.verdict(f"{table.rows} cells, seed {options.seed}")


if __name__ == "__main__":
    sys.exit(main())
