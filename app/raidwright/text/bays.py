"""The place of a disk in words: its bay's name, if the user gave it one, and its link."""

from __future__ import annotations

from raidwright.machine.bays import bay_of


def place_words(link: str) -> str:
    """Return the bay's name and the link; the link alone if it has no name."""
    return f"{bay} ({link})" if (bay := bay_of(link)) else link
