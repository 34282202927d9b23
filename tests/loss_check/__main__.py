"""Prints every comparison of a kind's worst, and each that doesn't hold; all rows go to build/checks/loss.csv."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator

from ..benchmarks.table import CHECKS
from . import agreement, coverage, headline, published, spares
from .comparison import Comparison


def comparisons(plans: int, arrays: int, draws: int, seed: int) -> Iterator[Comparison]:
    """All of them, row by row."""
    yield from published.published()
    yield from published.reference()
    yield from published.unreadable()
    yield from published.elerath()
    yield from spares.spares()
    yield from coverage.coverage(draws, seed)
    yield from headline.headlines(seed)
    yield from agreement.ideal(plans, arrays, seed)
    yield from agreement.refined(plans // 4, arrays, seed)


def main() -> int:
    """1 when anything doesn't hold."""
    parser = argparse.ArgumentParser(prog="make loss-check", description=__doc__)
    parser.add_argument("--plans", type=int, default=200, help="random plans, solver against simulation")
    parser.add_argument("--arrays", type=int, default=20_000, help="simulated of each plan")
    parser.add_argument("--draws", type=int, default=1_000, help="of the assumptions, for the coverage of each range")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = wrong = 0
    CHECKS.mkdir(parents=True, exist_ok=True)
    with (CHECKS / "loss.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["proof", "what", "said", "found", "away", "allowed", "holds"])
        for row in comparisons(options.plans, options.arrays, options.draws, options.seed):
            rows, wrong = rows + 1, wrong + (not row.holds)
            table.writerow([row.proof, row.what, row.said, row.found, row.away, row.allowed, row.holds])
            sign = " " if row.holds else "✗"
            print(f"{sign} {row.proof:16} {row.said:<14.9g} {row.found:<14.9g} {row.away:8.1e}  {row.what}", flush=True)
    print(f"{rows} comparisons, {wrong} that don't hold; all of them in {CHECKS / 'loss.csv'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
