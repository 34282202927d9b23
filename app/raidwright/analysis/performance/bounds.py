"""What limits a rate, and why; the least of several holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bound:
    """The rate, in bytes a second, that one cause alone would allow."""

    b_s: float
    reason: str
    shared: bool = False  # by several members: a link, or the computer's bus


def least(bounds: Iterable[Bound]) -> Bound:
    """The one that holds."""
    return min(bounds, key=lambda bound: bound.b_s)
