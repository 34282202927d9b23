"""A benchmark's rows, on the screen and as CSV under build/checks/."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

CHECKS = Path(__file__).parents[2] / "build" / "checks"


def report(name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print ``rows`` under ``columns`` and keep them as ``build/checks/NAME.csv``."""
    CHECKS.mkdir(parents=True, exist_ok=True)
    with (CHECKS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    table = Table(*columns, title=name)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
