"""Plateau of a series of figures: the point beyond which more disks bring no gain (the study of N. Brown, 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

SHARE = 0.05  # of the figure: a gain too small for another disk


def plateau(points: Sequence[tuple[int, float]]) -> int | None:
    """Return the first place from which on nothing gains more than ``SHARE``, of (place, figure) in rising order.

    None if the last one still gains, so that the series ends before the plateau.
    """
    for at, (place, figure) in enumerate(points[:-1]):
        if max(later for _, later in points[at + 1 :]) <= figure * (1 + SHARE):
            return place
    return None


def rises_throughout(points: Sequence[tuple[int, float]]) -> bool:
    """Return True if each point gains more than ``SHARE`` over the one before: a series with a hole in it doesn't."""
    return all(after > before * (1 + SHARE) for (_, before), (_, after) in pairwise(points))


def is_irregular(points: Sequence[tuple[int, float]]) -> bool:
    """Return True if a point is well below an earlier one, or gains after others that didn't."""
    return falls(points) or (plateau(points) is None and not rises_throughout(points))


def falls(points: Sequence[tuple[int, float]]) -> bool:
    """Return True if a point is well below an earlier one: such a series has no regular plateau."""
    most = accumulate((figure for _, figure in points), max)
    return any(figure < highest * (1 - 2 * SHARE) for (_, figure), highest in zip(points, most, strict=True))
