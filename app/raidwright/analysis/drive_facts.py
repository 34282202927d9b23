"""Facts about drive models from ``drive_families.csv``, each with its source and date.

Patterns match anywhere in the model's name. The drive's own report (``smartctl -l scterc``) takes precedence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from .drive_tables import rows_of


class Trait(StrEnum):
    """A known trait of a drive family."""

    SHINGLED = "smr"
    NO_ERROR_RECOVERY_CONTROL = "no-erc"


@dataclass(frozen=True, slots=True)
class DriveFamily:
    """One row: models that match ``pattern`` have ``trait``, according to ``source`` on the day ``as_of``."""

    trait: Trait
    pattern: re.Pattern[str]
    family: str
    as_of: str
    source: str


@cache
def drive_families() -> tuple[DriveFamily, ...]:
    """Return every row of the table."""
    return tuple(
        DriveFamily(Trait(row["trait"]), re.compile(row["pattern"]), row["family"], row["as_of"], row["source"])
        for row in rows_of("drive_families")
    )


def shingled_family(model: str) -> str:
    """Return the family of a model known to be shingled (SMR), or ""."""
    return _family(Trait.SHINGLED, model)


def family_without_error_recovery_control(model: str) -> str:
    """Return the family of a desktop model that retries a bad sector for minutes, or ""."""
    return _family(Trait.NO_ERROR_RECOVERY_CONTROL, model)


def _family(trait: Trait, model: str) -> str:
    return next((one.family for one in drive_families() if one.trait is trait and one.pattern.search(model)), "")
