"""What a person confirmed before a build."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The array's name, typed, and by disk the names of the signatures that may go."""

    name: str
    removed: tuple[tuple[str, tuple[str, ...]], ...] = ()
