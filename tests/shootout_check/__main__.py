"""A shoot-out of eight arrays on three disks of 2007, beside the study that it is like; each suite's figures beside
fio's own; and what is left when a shoot-out is cut off: by the program's end, the helper's, and the power's.

All rows go to build/checks/shootout.csv, the report beside it. It wants an idle computer.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TextIO

from ..kit.check import CHECKS
from ..studies_check import three_disks
from ..studies_check.row import Row
from . import by_hand, halves
from .bench import Bench, Running

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
    """What is left of a shoot-out that was struck with an array degraded, once the program has been started again."""
    with bench.shootout(*three_disks.WORDS, "--minutes", "9", "--repeats", "1") as running:
        running.wait_for(_MIDDLE, 300)
        STRIKES[kind](bench, running)
        running.ended(120)
    with bench.shootout("--clean") as running:
        if running.ended(120):
            return [running.said]
    return bench.wait_until_nothing_is_left()


def _study(bench: Bench, options: argparse.Namespace) -> Iterator[Row]:
    report = ("--report", str(CHECKS / "shootout.html"))
    yield from three_disks.rows_of(three_disks.shot_out(bench, options.minutes, options.repeats, *report))


class _Table:
    """What was found, on the screen and in a file; ``bad`` counts what doesn't hold."""

    def __init__(self, file: TextIO) -> None:
        self.bad = 0
        self._rows = csv.writer(file)
        self._rows.writerow(["what", "unit", "found", "published", "off", "changed since"])

    def compared(self, row: Row, allowed: float) -> None:
        """A figure beside the one that it is held to, from which it may be off by so much, or by what has changed."""
        holds = bool(row.changed) or not row.published or abs(row.off) <= allowed
        self.bad += not holds
        found, published = f"{row.found:.4g}", f"{row.published or 0:.4g}"
        self._rows.writerow([row.what, row.unit, found, published, f"{row.off:+.4f}", row.changed])
        sign = "✗" if not holds else "*" if row.changed else " "
        print(f"{sign} {found:>8} {published:>8} {row.off:+8.2%} {row.unit:10} {row.what}", flush=True)

    def left(self, kind: str, left: list[str]) -> None:
        """What is left after it."""
        self.bad += bool(left)
        self._rows.writerow([f"left after: {kind}", "", len(left), 0, "", "; ".join(left)])
        print(f"{'✗' if left else ' '} left after {kind}: {'; '.join(left) or 'nothing'}", flush=True)


def main() -> int:
    """1 when a row is further off than it may be, or anything is left."""
    parser = argparse.ArgumentParser(prog="make shootout-check", description=__doc__)
    parser.add_argument("--minutes", type=int, default=20, help="for the study")
    parser.add_argument("--repeats", type=int, default=3)
    kinds = ("study", "figures", *STRIKES, _HALVES)
    parser.add_argument("--only", choices=kinds, action="append", help="only this (may be repeated)")
    options = parser.parse_args()
    wanted = options.only or kinds
    CHECKS.mkdir(parents=True, exist_ok=True)
    with (CHECKS / "shootout.csv").open("w", newline="", encoding="utf-8") as file:
        table = _Table(file)
        if set(wanted) != {_HALVES}:
            _on_three_disks(table, wanted, options)
        if _HALVES in wanted:
            with tempfile.TemporaryDirectory() as store:
                table.left(_HALVES, halves.left_after_a_power_cut(Path(store)))
    print(f"{table.bad} do not hold; all of them in {CHECKS / 'shootout.csv'}")
    return 1 if table.bad else 0


def _on_three_disks(table: _Table, wanted: Collection[str], options: argparse.Namespace) -> None:
    with (
        tempfile.TemporaryDirectory() as store,
        Bench(Path(store), three_disks.disks(), three_disks.SLICE_MIB) as bench,
    ):
        if "study" in wanted:
            for row in _study(bench, options):
                table.compared(row, _ALLOWED)
            table.left("study", bench.left())
        if "figures" in wanted:
            for figure in by_hand.figures(bench):
                table.compared(figure, by_hand.ALLOWED)
            table.left("figures", bench.left())
        for kind in STRIKES:
            if kind in wanted:
                table.left(kind, struck(bench, kind))


if __name__ == "__main__":
    sys.exit(main())
