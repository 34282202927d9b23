"""Prints each row with our error and the naive one, then each group; all rows go to build/checks/published.csv."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence

import numpy as np

from ..benchmarks.table import CHECKS
from .study import Row, rows, table

# By group: the most that the median and the 90th of 100 of the errors may be, in percent.
GROUPS = {
    "streaming": (8, 20),
    "non-parity writes": (10, 30),
    "parity writes": (25, 50),
    "random": (20, 50),
    "degraded": (15, 35),
    "bus": (20, 45),
    "flash": (25, 100),
}
BETTER_THAN_NAIVE = 95.0  # of 100 rows


def main() -> int:
    """1 when a group is further off than it may be, rows that are explained left aside."""
    found = list(rows())
    CHECKS.mkdir(parents=True, exist_ok=True)
    with (CHECKS / "published.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["group", "setup", "what", "measured_mb_s", "predicted_mb_s", "low_mb_s", "high_mb_s",
                         "naive_mb_s", "error_percent", "naive_error_percent", "reason"])  # fmt: skip
        for row in found:
            writer.writerow([row.group, row.setup, row.what, *(f"{one:.4g}" for one in (
                row.measured_mb_s, row.predicted_mb_s, row.low_mb_s, row.high_mb_s, row.naive_mb_s)),
                f"{100 * row.error:.1f}", f"{100 * row.naive_error:.1f}", row.reason])  # fmt: skip
    for group in GROUPS:
        print(f"\n{group}\n   measured  predicted     error     naive  (MB/s, %)")
        for row in (one for one in found if one.group == group):
            sign = " " if row.within else "~"
            star = "*" if row.reason else " "
            print(f"{sign}{star}{row.measured_mb_s:9.4g}  {row.predicted_mb_s:9.4g} {100 * row.error:8.0f}% "
                  f"{100 * row.naive_error:8.0f}%  {row.setup}: {row.what}")  # fmt: skip
    return 0 if _summary(found) else 1


def _summary(found: Sequence[Row]) -> bool:
    reasons = {row.reason for row in found if row.reason}
    print("\nExplained (*): an old kernel, an unknown method or input")
    for reason in sorted(reasons):
        print(f"  {sum(row.reason == reason for row in found):3} rows: {reason}")
    print(f"Left out: {len(table('left_out.csv'))} rows, each with its reason, in left_out.csv")
    print("\ngroup               rows   median   90th    naive         without the explained           allowed")
    good = True
    for group, allowed in GROUPS.items():
        whole = [row for row in found if row.group == group]
        plain = [row for row in whole if not row.reason]
        held = errors(plain) if plain else (0.0, 0.0)
        holds = all(error <= most for error, most in zip(held, allowed, strict=True))
        good &= holds
        said = (*errors(whole), *_percentiles([row.naive_error for row in whole]))
        print(f"{group:18} {len(whole):5} {said[0]:7.0f}% {said[1]:6.0f}%  {said[2]:4.0f}/{said[3]:4.0f}  "
              f"{len(plain):6} rows {held[0]:5.0f}% {held[1]:5.0f}%    "
              f"{'' if holds else '✗ '}{allowed[0]}% {allowed[1]}%")  # fmt: skip
    better, within, unexplained = shares(found)
    print(f"\nbetter than naive, or the same, on {better:.0f}% of {len(found)} rows (wanted: {BETTER_THAN_NAIVE:.0f}%)")
    print(f"within the band on {within:.0f}%, on {unexplained:.0f}% without the explained")
    print(f"all of them in {CHECKS / 'published.csv'}")
    return bool(good and better >= BETTER_THAN_NAIVE)


def shares(found: Sequence[Row]) -> tuple[float, float, float]:
    """On how many of 100 rows we are no worse than the naive prediction; on how many our band holds.

    The last is of those without an explanation.
    """
    better = 100 * np.mean([abs(row.error) <= abs(row.naive_error) + 1e-9 for row in found])
    within, plain = (_within(some) for some in (found, [row for row in found if not row.reason]))
    return float(better), within, plain


def _within(found: Sequence[Row]) -> float:
    return float(100 * np.mean([row.within for row in found]))


def errors(found: Sequence[Row]) -> tuple[float, float]:
    return _percentiles([row.error for row in found])


def _percentiles(errors: Sequence[float]) -> tuple[float, float]:
    """(median, 90th of 100) in percent, without their signs."""
    median, ninety = np.percentile(100 * np.abs(errors), [50, 90])
    return float(median), float(ninety)


if __name__ == "__main__":
    sys.exit(main())
