"""The tables of drive facts that are a part of the program: ``resources/data/*.csv``, a source and a date in each row.

Read when somebody first asks, once each; nothing that the helper imports does.
"""

from __future__ import annotations

import csv
from functools import cache

from raidwright.resources import resource


@cache
def rows_of(table: str) -> tuple[dict[str, str], ...]:
    """Every row of the table ``resources/data/{table}.csv``, by its columns' names."""
    with resource(f"data/{table}.csv").open(encoding="utf-8") as file:
        return tuple(csv.DictReader(file))
