"""Repetition of published studies on practice disks like theirs; all rows go to build/checks/studies.csv.

It needs an idle computer. A row holds within 15% of the published figure, or says what has changed in md since.
"""

from __future__ import annotations

import os
import sys

from ..kit import check
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
    """Repeat the studies; return 1 when a row is further off than allowed."""
    options = check.parser("studies-check", __doc__, only=STUDIES).parse_args()
    rows: list[Row] = []
    with check.table(
        "studies", ("study", "what", "unit", "found", "published", "off", "changed since", check.COUNTS)
    ) as table:
        for name in options.only or STUDIES:
            for row in STUDIES[name].rows():
                rows.append(row)
                cells = (row.study, row.what, row.unit, row.found, row.published, row.off, row.changed)
                holds = row.holds(_ALLOWED)
                table.add(cells, _line(row), holds=holds, sign=row.sign, waited_share=row.waited_share)
    for row in rows:
        if row.changed and row.published:
            print(f"* {row.what}: {row.changed}")
    if STUDIES["two-channels"].STUDY in {row.study for row in rows}:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        from .plot import plot_of_members  # noqa: PLC0415  # Qt, where it is needed only

        print(f"plotted in {plot_of_members(rows, check.CHECKS / 'two-channels.png')}")
    compared = sum(bool(row.published) for row in rows)
    return table.verdict(f"{compared} compared, {table.wrong} off by more than {_ALLOWED:.0%} without a reason")


def _line(row: Row) -> str:
    published = f"{row.published:8.2f} {row.off:+7.1%}" if row.published else f"{'':16}"
    return f"{row.found:8.2f} {published} {row.unit:10} {row.study}: {row.what}"


if __name__ == "__main__":
    sys.exit(main())
