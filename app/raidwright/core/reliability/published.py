"""Published annual failure rates by drive model, from ``resources/afr.csv``: a part of the program, read once.

A published AFR is failures per drive-day times 365: a rate, which may exceed 100%, and not a probability. Its limits
are exact Poisson ones, one-sided 95% each.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedRate:
    """One row: failures seen on a model in so many drive-days ``until`` a date, and the rate a year, as fractions."""

    model: str
    drive_days: int
    failures: int
    rate: float
    lower: float
    upper: float
    until: str
    source: str


@cache
def published_rates() -> tuple[PublishedRate, ...]:
    """Every row of the table."""
    table = files("raidwright").joinpath("resources", "afr.csv")
    with table.open(encoding="utf-8") as file:
        return tuple(
            PublishedRate(
                model=row["model"],
                drive_days=int(row["drive_days"]),
                failures=int(row["failures"]),
                rate=float(row["afr_percent"]) / 100,
                lower=float(row["lower95_percent"]) / 100,
                upper=float(row["upper95_percent"]) / 100,
                until=row["until"],
                source=row["source"],
            )
            for row in csv.DictReader(file)
        )


@cache
def rates_of_model(model: str) -> tuple[PublishedRate, ...]:
    """The rows of a drive's model as the drive reports it (``WDC WD60EFRX-68L0BN1``), most drive-days first."""
    words = set(re.split(r"[^A-Z0-9]+", model.upper()))
    rows = [row for row in published_rates() if row.model in words]
    return tuple(sorted(rows, key=lambda row: -row.drive_days))
