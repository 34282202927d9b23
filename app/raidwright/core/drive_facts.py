"""What is known of drive models, as data with its sources. Patterns match anywhere in the model's name.

SMR: smartmontools' ``drivedb.h`` (7.4), families that it marks (SMR), after the makers' own lists of 2020.
Error recovery: desktop families whose drives ship without SCT ERC, or with it off at each power-on (linux-raid wiki,
"Timeout Mismatch"; ``smartctl -l scterc`` says it for the drive at hand).
"""

from __future__ import annotations

import re

_SHINGLED = (
    (r"HDWD2[246]0", "Toshiba P300"),
    (r"HDWL1[12]0", "Toshiba L200"),
    (r"ST(2000DM00[589]|3000DM007|4000DM00[45]|6000DM003|8000DM004)", "Seagate BarraCuda"),
    (r"ST[568]000AS00[01][12]", "Seagate Archive"),
    (r"WD[246]0EZAZ", "WD Blue"),
    (r"WD10SPSX", "WD Black"),
    (r"WD[2346]0EFAX", "WD Red"),
    (r"WD[12]0SPZX", "WD Blue Mobile"),
)
_NO_ERROR_RECOVERY_CONTROL = (
    (r"ST\d+D[LM]\d{3}", "Seagate BarraCuda or Desktop"),
    (r"WD\d+EZ[A-Z]{2}", "WD Blue"),
    (r"WD\d+EA[DR][SX]", "WD Green"),
)


def shingled_family(model: str) -> str:
    """The family of a model that is known to write in shingles (SMR), or ""."""
    return _family(_SHINGLED, model)


def family_without_error_recovery_control(model: str) -> str:
    """The family of a desktop model that retries a bad sector for minutes, or ""."""
    return _family(_NO_ERROR_RECOVERY_CONTROL, model)


def _family(table: tuple[tuple[str, str], ...], model: str) -> str:
    return next((family for pattern, family in table if re.search(pattern, model)), "")
