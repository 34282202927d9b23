"""The user's own names for the places of a case, by the link of a disk: “bay 2, bottom” for ``ata3``.

They are chosen for a machine, as the language is for the program, and shown wherever a link is.
"""

from __future__ import annotations

from collections.abc import Mapping

_NAMES: dict[str, str] = {}


def use_bays(names: Mapping[str, str]) -> None:
    """Name links so from now on: those of the machine that is shown."""
    _NAMES.clear()
    _NAMES.update(names)


def bay_of(link: str) -> str:
    """Return the bay's name; "" if it has none."""
    return _NAMES.get(link, "")


def place_words(link: str) -> str:
    """Return the bay's name and the link; the link alone if it has no name."""
    return f"{bay} ({link})" if (bay := bay_of(link)) else link
