"""Where more brings no more: the plateau of a row of figures (the study of N. Brown, 2004)."""

from __future__ import annotations

from collections.abc import Sequence

SHARE = 0.05  # of the figure: what nobody adds a disk for


def plateau(points: Sequence[tuple[int, float]]) -> int | None:
    """The first place from which on nothing gains more than ``SHARE``, of (place, figure) in rising order.

    None where the last one still does, so that the end of it wasn't seen.
    """
    for at, (place, figure) in enumerate(points[:-1]):
        if max(later for _, later in points[at + 1 :]) <= figure * (1 + SHARE):
            return place
    return None
