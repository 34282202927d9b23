"""Which mdadm makes the array: the versions whose behaviour differs where a plan can see it."""

from __future__ import annotations

from typing import NamedTuple


class MdadmVersion(NamedTuple):
    """A release of mdadm; compares in order."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


MDADM_4_2 = MdadmVersion(4, 2)  # Debian 12
MDADM_4_4 = MdadmVersion(4, 4)  # Debian 13
