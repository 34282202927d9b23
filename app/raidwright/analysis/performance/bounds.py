"""What limits a rate, and why; the least of several holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from raidwright.core.messages import Message

# How far what bounds a rate may be off (deviation of the logarithm), beside what is known of the disks.
OF_LINKS = 0.12  # ceilings of links and buses are rounder figures than those of disks
OF_THE_MEASURED = 0.1  # and those that were
OF_THE_HOST = 0.35  # processors' costs that nobody measured differ by a factor of two


@dataclass(frozen=True, slots=True)
class Bound:
    """The rate, in bytes a second, that one cause alone would allow; ``spread``: how far that may be off."""

    b_s: float
    reason: Message
    spread: float = 0.0


def least(bounds: Iterable[Bound]) -> Bound:
    """The one that holds."""
    return min(bounds, key=lambda bound: bound.b_s)
