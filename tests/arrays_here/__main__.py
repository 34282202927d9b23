"""Every state of an array, made with mdadm 4.2, 4.4, 4.6: listed, explained, started, refused, by command and card."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from raidwright.core.errors import RaidwrightError
from raidwright.lab.places import roomy

from ..kit import check, kernels
from .bench import Bench, Judged
from .states import CASES

_STORE_BYTES = 4 * 2**30
_MDADM = kernels.BY_MDADM
_TRIED = [str(kernels.MDADM[generation]) for generation in kernels.tried()]
_COLUMNS = ("mdadm", "state", "told as", "card", "start", "fault")


def main() -> int:
    """Try all cases; return 1 if one is at fault."""
    parser = check.parser("arrays-here-check", __doc__, mdadm=_MDADM)
    parser.add_argument("--only", default="", help="only the states whose name contains this")
    options = parser.parse_args()
    with check.table("arrays-here", _COLUMNS) as table:
        for version in options.mdadm or _TRIED:
            with (
                tempfile.TemporaryDirectory(dir=roomy(_STORE_BYTES)) as folder,
                Bench(Path(folder), f"arrays-here-{version.replace('.', '')}", _MDADM[version]) as bench,
            ):
                for case in CASES:
                    if options.only not in case.name:
                        continue
                    try:
                        found = bench.judge(case)
                    except (RaidwrightError, TimeoutError) as error:
                        found = Judged("", "", "", f"the lab broke off: {error}")
                    row = (version, case.name, found.state, found.card, found.started, found.fault)
                    table.add(row, " | ".join(row), holds=not found.fault)
        return table.verdict(f"{table.rows} states, {table.wrong} at fault")


if __name__ == "__main__":
    sys.exit(main())
