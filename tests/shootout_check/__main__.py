"""Shoot-out of eight arrays on three disks of 2007 against the study it repeats, suites against fio, and leftovers.

Each suite's figures are compared with fio's own. A shoot-out that is broken off (the program or the helper killed, a
power cut) must leave nothing on the disks. All rows go to build/checks/shootout.csv, the report beside it. It needs an
idle computer.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from tests.kit.shootout_bench import Bench, Running

from ..kit import check
from ..studies_check import three_disks
from ..studies_check.row import Row
from . import by_hand, halves

_ALLOWED = 0.15  # as the studies are held to
_MIDDLE = "with a disk lost"
_HALVES = "power cut on halves"


def _program(_bench: Bench, running: Running) -> None:
    running.process.kill()


def _helper(bench: Bench, _running: Running) -> None:
    bench.kill_helper()


def _power(bench: Bench, _running: Running) -> None:
    bench.cut_power()


STRIKES: dict[str, Callable[[Bench, Running], None]] = {
    "program killed": _program,
    "helper killed": _helper,
    "power cut": _power,
}


def struck(bench: Bench, kind: str) -> list[str]:
    """Break a shoot-out off while an array is degraded, clean up, and return what is left."""
    with bench.shootout(*three_disks.WORDS, "--minutes", "9", "--repeats", "1") as running:
        running.wait_for(_MIDDLE, 300)
        STRIKES[kind](bench, running)
        running.ended(120)
    with bench.shootout("--clean") as running:
        if running.ended(120):
            return [running.said]
    return bench.wait_until_nothing_is_left()


def _study(bench: Bench, options: argparse.Namespace) -> Iterator[Row]:
    report = ("--report", str(check.CHECKS / "shootout.html"))
    for row in three_disks.rows_of(three_disks.shot_out(bench, options.minutes, options.repeats, *report)):
        yield replace(row, waited_share=bench.waited_share)


def _compare(table: check.Table, row: Row, allowed: float) -> None:
    """Add a figure that may differ from its reference by ``allowed`` (a share), or by what has changed in md."""
    found, published = f"{row.found:.4g}", f"{row.published or 0:.4g}"
    cells = (row.what, row.unit, found, published, f"{row.off:+.4f}", row.changed)
    line = f"{found:>8} {published:>8} {row.off:+8.2%} {row.unit:10} {row.what}"
    table.add(cells, line, holds=row.holds(allowed), sign=row.sign, waited_share=row.waited_share)


def _add_left(table: check.Table, kind: str, left: list[str]) -> None:
    """Add what a run has left behind; it must be nothing."""
    cells = (f"left after: {kind}", "", len(left), 0, "", "; ".join(left))
    table.add(cells, f"left after {kind}: {'; '.join(left) or 'nothing'}", holds=not left, waited_share=0.0)


def main() -> int:
    """Run the parts; return 1 when a row is further off than allowed, or anything is left."""
    kinds = ("study", "figures", *STRIKES, _HALVES)
    parser = check.parser("shootout-check", __doc__, only=kinds)
    parser.add_argument("--minutes", type=int, default=20, help="for the study")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    chosen = options.only or kinds
    with check.table("shootout", ("what", "unit", "found", "published", "off", "changed since", check.COUNTS)) as table:
        if set(chosen) != {_HALVES}:
            _on_three_disks(table, chosen, options)
        if _HALVES in chosen:
            with tempfile.TemporaryDirectory() as store:
                _add_left(table, _HALVES, halves.left_after_a_power_cut(Path(store)))
    return table.verdict(f"{table.wrong} do not hold")


def _on_three_disks(table: check.Table, chosen: Collection[str], options: argparse.Namespace) -> None:
    with (
        tempfile.TemporaryDirectory() as store,
        Bench(Path(store), three_disks.disks(), three_disks.SLICE_MIB) as bench,
    ):
        if "study" in chosen:
            for row in _study(bench, options):
                _compare(table, row, _ALLOWED)
            _add_left(table, "study", bench.left())
        if "figures" in chosen:
            for figure in by_hand.figures(bench):
                _compare(table, figure, by_hand.ALLOWED)
            _add_left(table, "figures", bench.left())
        for kind in STRIKES:
            if kind in chosen:
                _add_left(table, kind, struck(bench, kind))


if __name__ == "__main__":
    sys.exit(main())
