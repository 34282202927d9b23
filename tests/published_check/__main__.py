"""Our and the naive errors on published figures, by row and by group; all rows go to build/checks/published.csv."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from raidwright.analysis.performance.own_error import ErrorKind

from ..kit import check
from . import ablation
from .rate import RATES, quantiles
from .spreads import differing, held_without_own_source
from .study import Row, csv_rows, rows

# By group: maximum of the errors' median and 90th percentile, in percent.
GROUPS = {
    "streaming": (8, 20),
    "non-parity writes": (10, 30),
    "parity writes": (25, 50),
    "random": (20, 50),
    "degraded": (15, 35),
    "bus": (20, 45),
    "flash": (25, 100),
}
HELD = (85.0, 95.0)  # percent of all rows within their bands, explained ones too
HELD_OF_A_GROUP, MANY = 75.0, 15  # at least, in each group of so many rows
BETTER_THAN_NAIVE = 95.0  # percent of the rows, at least
_COLUMNS = ("group", "setup", "what", *RATES, "error_percent", "naive_error_percent", "reason")


def main() -> int:
    """Compare; return 1 when a group's errors, without the rows that are explained, exceed what is allowed."""
    parser = check.parser("published-check", __doc__)
    parser.add_argument("--ablate", action="store_true", help="only show what each term of the model does to the rows")
    ablates = parser.parse_args().ablate
    found = list(rows())
    if ablates:
        for line in ablation.lines(found):
            print(line, flush=True)
        return 0
    with check.table("published", _COLUMNS) as table:
        for row in found:
            errors_percent = (f"{100 * error:.1f}" for error in (row.error, row.naive_error))
            table.add((row.group, row.setup, row.what, *row.cells(), *errors_percent, row.reason))
    for group in GROUPS:
        print(f"\n{group}\n   measured  predicted     error     naive  (MB/s, %)")
        for row in (row for row in found if row.group == group):
            sign = " " if row.within else "~"
            star = "*" if row.reason else " "
            print(f"{sign}{star}{row.measured_mb_s:9.4g}  {row.predicted_mb_s:9.4g} {100 * row.error:8.0f}% "
                  f"{100 * row.naive_error:8.0f}%  {row.setup}: {row.what}")  # fmt: skip
    table.wrong = _summarize(found)
    better, within, unexplained = shares(found)
    print(f"\nbetter than naive, or the same, on {better:.0f}% of {len(found)} rows (wanted: {BETTER_THAN_NAIVE:.0f}%)")
    table.wrong += better < BETTER_THAN_NAIVE
    table.wrong += _print_coverage(found)
    return table.verdict(f"within the band on {within:.0f}%, on {unexplained:.0f}% without the explained")


def _summarize(found: Sequence[Row]) -> int:
    """Print each group's errors; return how many groups exceed theirs."""
    reasons = {row.reason for row in found if row.reason}
    print("\nExplained (*): an old kernel, an unknown method or input")
    for reason in sorted(reasons):
        print(f"  {sum(row.reason == reason for row in found):3} rows: {reason}")
    print(f"Left out: {len(csv_rows('left_out.csv'))} rows, each with its reason, in left_out.csv")
    print("\ngroup               rows   median   90th    naive         without the explained           allowed")
    wrong = 0
    for group, allowed in GROUPS.items():
        whole = [row for row in found if row.group == group]
        plain = [row for row in whole if not row.reason]
        held = errors(plain) if plain else (0.0, 0.0)
        holds = all(error <= most for error, most in zip(held, allowed, strict=True))
        wrong += not holds
        said = (*errors(whole), *_percentiles([row.naive_error for row in whole]))
        print(f"{group:18} {len(whole):5} {said[0]:7.0f}% {said[1]:6.0f}%  {said[2]:4.0f}/{said[3]:4.0f}  "
              f"{len(plain):6} rows {held[0]:5.0f}% {held[1]:5.0f}%    "
              f"{'' if holds else '✗ '}{allowed[0]}% {allowed[1]}%")  # fmt: skip
    return wrong


def _print_coverage(found: Sequence[Row]) -> int:
    """Print how many rows the bands hold; return how many bounds don't hold."""
    without = held_without_own_source(found)
    print("\nWithin the band, of all rows       rows      now   by the spreads of all other authors' rows")
    wrong = 0
    parts: dict[str, list[Row]] = {"all": list(found)}
    parts |= {group: [row for row in found if row.group == group] for group in GROUPS}
    parts |= {kind.value: [row for row in found if row.kind == kind] for kind in ErrorKind}
    for name, rows_of in parts.items():
        if not rows_of:
            continue
        now, left_out = _within(rows_of), float(100 * np.mean([without[row] for row in rows_of]))
        holds = HELD[0] <= now <= HELD[1] if name == "all" else now >= HELD_OF_A_GROUP or len(rows_of) < MANY
        wrong += not holds
        print(f"{'' if holds else '✗ '}{name:36} {len(rows_of):5} {now:7.0f}% {left_out:7.0f}%")
    for kind, (now, told) in differing(found).items():
        print(f"✗ own spread of {kind}: {now:.2f} in the model, {told:.2f} by the rows")
        wrong += 1
    return wrong


def shares(found: Sequence[Row]) -> tuple[float, float, float]:
    """Return percentages: of rows where our error is at most the naive one, where our band holds, and of unexplained
    rows where it holds.
    """
    better = 100 * np.mean([abs(row.error) <= abs(row.naive_error) + 1e-9 for row in found])
    within, plain = (_within(chosen) for chosen in (found, [row for row in found if not row.reason]))
    return float(better), within, plain


def _within(found: Sequence[Row]) -> float:
    return float(100 * np.mean([row.within for row in found]))


def errors(found: Sequence[Row]) -> tuple[float, float]:
    """Median and 90th percentile of our absolute errors, in percent."""
    return _percentiles([row.error for row in found])


def _percentiles(errors: Sequence[float]) -> tuple[float, float]:
    """Median and 90th percentile of the absolute errors, in percent."""
    median, ninety = quantiles(errors)
    return 100 * median, 100 * ninety


if __name__ == "__main__":
    sys.exit(main())
