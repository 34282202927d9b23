"""Published annual failure rates: by drive model, from ``resources/data/afr.csv``, and by class for other models.

The sources are messages of the catalogue, which Babel collects from the tables themselves.

A published AFR is failures per drive-day times 365: a rate, which may exceed 100%, and not a probability. A model's
limits are exact Poisson ones, one-sided 95% each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from raidwright.analysis.drive_tables import rows_of
from raidwright.core.messages import Message, say


@dataclass(frozen=True, slots=True)
class PublishedRate:
    """One row: failures of a model in so many drive-days ``until`` a date, and the annual rate, as fractions."""

    model: str
    drive_days: int
    failures: int
    rate: float
    lower: float
    upper: float
    until: str
    source: Message


@dataclass(frozen=True, slots=True)
class ClassRate:
    """One row: the annual rate of a class of drives, as a fraction, with a range that covers most of its models."""

    name: str
    safer: float
    likely: float
    worse: float
    until: str
    source: Message


@cache
def published_rates() -> tuple[PublishedRate, ...]:
    """Return every row of the table by models."""
    return tuple(
        PublishedRate(
            model=row["model"],
            drive_days=int(row["drive_days"]),
            failures=int(row["failures"]),
            rate=float(row["afr_percent"]) / 100,
            lower=float(row["lower95_percent"]) / 100,
            upper=float(row["upper95_percent"]) / 100,
            until=row["until"],
            source=_source(row),
        )
        for row in rows_of("afr")
    )


@cache
def rate_of_class(*, flash: bool) -> ClassRate:
    """Return the rate for a drive without a published model rate: of flash, or of spinning disks."""
    name = say("flash disks") if flash else say("spinning disks")
    row = next(row for row in rows_of("drive_classes") if row["class"] == name)
    safer, likely, worse = (float(row[f"{end}_percent"]) / 100 for end in ("safer", "likely", "worse"))
    return ClassRate(name, safer, likely, worse, row["until"], _source(row))


def _source(row: dict[str, str]) -> Message:
    named = row["source"]
    return say(named)


@cache
def rates_of_model(model: str) -> tuple[PublishedRate, ...]:
    """Return the rows of a drive's model as the drive reports it (``WDC WD60EFRX-68L0BN1``), most drive-days first."""
    words = set(re.split(r"[^A-Z0-9]+", model.upper()))
    rows = [row for row in published_rates() if row.model in words]
    return tuple(sorted(rows, key=lambda row: -row.drive_days))
