"""The tables of drive facts that are a part of the program: ``resources/*.csv``, a source and a date in each row.

Read when somebody first asks, once each; nothing that the helper imports does.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files


@cache
def rows_of(table: str) -> tuple[dict[str, str], ...]:
    """Every row of the table ``resources/{table}.csv``, by its columns' names."""
    with files("raidwright").joinpath("resources", f"{table}.csv").open(encoding="utf-8") as file:
        return tuple(csv.DictReader(file))
