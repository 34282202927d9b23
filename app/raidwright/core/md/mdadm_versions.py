"""mdadm releases whose behaviour differs where a plan is affected."""

from __future__ import annotations

import re
from typing import NamedTuple


class MdadmVersion(NamedTuple):
    """A release of mdadm; compares in order."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


MDADM_3_3 = MdadmVersion(3, 3)
MDADM_3_4 = MdadmVersion(3, 4)
MDADM_4_1 = MdadmVersion(4, 1)
MDADM_4_2 = MdadmVersion(4, 2)  # Debian 12
MDADM_4_3 = MdadmVersion(4, 3)
MDADM_4_4 = MdadmVersion(4, 4)  # Debian 13
MDADM_4_5 = MdadmVersion(4, 5)
MDADM_4_6 = MdadmVersion(4, 6)
KNOWN = (MDADM_4_2, MDADM_4_3, MDADM_4_4, MDADM_4_5, MDADM_4_6)  # those examined, oldest first


def mdadm_of(text: str) -> MdadmVersion | None:
    """Return the version that ``text`` begins with ("4.4"); None if it begins with none."""
    found = re.match(r"(\d+)\.(\d+)", text)
    return MdadmVersion(int(found[1]), int(found[2])) if found else None
