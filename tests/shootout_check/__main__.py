"""A shoot-out of eight arrays on three disks of 2007, beside the study that it is like; each suite's figures beside
fio's own; and what is left when a shoot-out is cut off: by the program's end, the helper's, and the power's.

All rows go to build/checks/shootout.csv, the report beside it. It wants an idle computer.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from ..benchmarks.table import CHECKS
from ..studies_check import three_disks
from ..studies_check.row import Row
from . import by_hand
from .bench import Bench, Running

_ALLOWED = 0.15  # as the studies are held to
_MIDDLE = "with a disk lost"


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


def main() -> int:
    """1 when a row is further off than it may be, or anything is left."""
    parser = argparse.ArgumentParser(prog="make shootout-check", description=__doc__)
    parser.add_argument("--minutes", type=int, default=20, help="for the study")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--only", choices=["study", "figures", *STRIKES], action="append", help="only this (may be repeated)"
    )
    options = parser.parse_args()
    wanted = options.only or ["study", "figures", *STRIKES]
    CHECKS.mkdir(parents=True, exist_ok=True)
    bad = 0
    with (
        tempfile.TemporaryDirectory() as store,
        Bench(Path(store), three_disks.disks(), three_disks.SLICE_MIB) as bench,
        (CHECKS / "shootout.csv").open("w", newline="", encoding="utf-8") as file,
    ):
        table = csv.writer(file)
        table.writerow(["what", "unit", "found", "published", "off", "changed since"])
        for row in _study(bench, options) if "study" in wanted else ():
            holds = bool(row.changed) or not row.published or abs(row.off) <= _ALLOWED
            bad += not holds
            table.writerow([row.what, row.unit, f"{row.found:.4g}", row.published, f"{row.off:+.3f}", row.changed])
            sign = "✗" if not holds else "*" if row.changed else " "
            print(
                f"{sign} {row.found:8.2f} {row.published or 0:8.2f} {row.off:+7.1%} {row.unit:10} {row.what}",
                flush=True,
            )
        for figure in by_hand.figures(bench) if "figures" in wanted else ():
            holds = abs(figure.off) <= by_hand.ALLOWED
            bad += not holds
            table.writerow(
                [figure.what, "as fio says", f"{figure.found:.6g}", f"{figure.own:.6g}", f"{figure.off:+.4f}", ""]
            )
            print(
                f"{' ' if holds else '✗'} {figure.found:10.4g} {figure.own:10.4g} {figure.off:+8.2%} {figure.what}",
                flush=True,
            )
        for kind in ("study", "figures", *STRIKES):
            if kind in wanted:
                left = struck(bench, kind) if kind in STRIKES else bench.left()
                bad += bool(left)
                table.writerow([f"left after: {kind}", "", len(left), 0, "", "; ".join(left)])
                print(f"{'✗' if left else ' '} left after {kind}: {'; '.join(left) or 'nothing'}", flush=True)
    print(f"{bad} do not hold; all of them in {CHECKS / 'shootout.csv'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
