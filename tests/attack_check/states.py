"""States of an array called tank, as people come by them; ``guest.sh`` makes them with mdadm alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DISKS = "8x256MB"
MEMBERS = 4
GUEST = (Path(__file__).parent / "guest.sh").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class State:
    """``verb`` of the script makes it. ``is_split``: tank's two members hold files of their own each.

    ``module`` is the kernel's, where not each Linux has it.
    """

    name: str
    is_split: bool = False
    module: str = ""

    @property
    def verb(self) -> str:
        """Word of ``guest.sh``."""
        return self.name.replace(" ", "_")


STATES = (
    State("xfs just grown"),
    State("ext4 mounted"),
    State("btrfs mounted"),
    State("linear mounted", module="linear"),
    State("degraded"),
    State("rebuilding"),
    State("reshaping"),
    State("reshape that waits"),
    State("parted mirror", is_split=True),
    State("failed while mounted"),
)
