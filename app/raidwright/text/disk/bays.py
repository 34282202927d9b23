"""The place of a disk in words: its bay's name, if the user gave it one, and its link."""

from __future__ import annotations

from typing import Protocol

from raidwright.machine.bays import bay_of


class Placed(Protocol):
    """A disk, a member, or one that was seen last."""

    @property
    def link(self) -> str: ...

    @property
    def path(self) -> str: ...


def bay_key(where: Placed) -> str:
    """Return what the bay is named by: the disk's own path, or its link where udev gives it none."""
    return where.path or where.link


def place_words(where: Placed) -> str:
    """Return the bay's name and the link; the link alone if it has no name."""
    bay = bay_of(bay_key(where))
    return " ".join(filter(None, (bay, f"({where.link})" if bay and where.link else where.link)))
