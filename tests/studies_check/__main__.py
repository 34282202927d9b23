"""Does published studies again on practice disks like theirs; all rows go to build/checks/studies.csv.

It wants an idle computer. A row holds within 15% of what was published, or says what has changed in md since.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys

from ..kit.check import CHECKS
from . import classic_eight, cross_paired, three_disks, two_channels
from .row import Row

_ALLOWED = 0.15
STUDIES = {
    "three-disks": three_disks,
    "two-channels": two_channels,
    "cross-paired": cross_paired,
    "classic-eight": classic_eight,
}


def main() -> int:
    """1 when a row is further off than it may be."""
    parser = argparse.ArgumentParser(prog="make studies-check", description=__doc__)
    parser.add_argument("--only", choices=list(STUDIES), action="append", help="only this one (may be repeated)")
    options = parser.parse_args()
    CHECKS.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    with (CHECKS / "studies.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["study", "what", "unit", "found", "published", "off", "changed since"])
        for name in options.only or STUDIES:
            for row in STUDIES[name].rows():
                rows.append(row)
                table.writerow([row.study, row.what, row.unit, row.found, row.published, row.off, row.changed])
                print(_line(row), flush=True)
    for row in rows:
        if row.changed and row.published:
            print(f"* {row.what}: {row.changed}")
    if STUDIES["two-channels"].STUDY in {row.study for row in rows}:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        from .plot import plot_of_members  # noqa: PLC0415  # Qt, where it is needed only

        print(f"plotted in {plot_of_members(rows, CHECKS / 'two-channels.png')}")
    compared = [row for row in rows if row.published]
    wrong = [row for row in compared if not _holds(row)]
    print(f"{len(compared)} compared, {len(wrong)} off by more than {_ALLOWED:.0%} without a reason")
    return 1 if wrong else 0


def _holds(row: Row) -> bool:
    return bool(row.changed) or abs(row.off) <= _ALLOWED


def _line(row: Row) -> str:
    published = f"{row.published:8.2f} {row.off:+7.1%}" if row.published else f"{'':16}"
    sign = "✗" if not _holds(row) else "*" if row.changed and row.published else " "
    return f"{sign} {row.found:8.2f} {published} {row.unit:10} {row.study}: {row.what}"


if __name__ == "__main__":
    sys.exit(main())
