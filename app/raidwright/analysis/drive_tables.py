"""Tables of drive facts in the package: ``resources/data/*.csv``, with a source and a date in each row.

Read on first use, once each; nothing that the helper imports reads them.
"""

from __future__ import annotations

import csv
from functools import cache

from raidwright.resources import resource


@cache
def rows_of(table: str) -> tuple[dict[str, str], ...]:
    """Return every row of the table ``resources/data/{table}.csv``, by column name."""
    with resource(f"data/{table}.csv").open(encoding="utf-8") as file:
        return tuple(csv.DictReader(file))
