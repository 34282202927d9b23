"""A curve with a bounded number of points, however long it grows."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.core.protocol.measured import Sample

MAX_POINTS = 1024  # about a wide curve's pixels
_WHOLE = 0.5  # of the interval before; a shorter one at the end is partial


class Thinned:
    """Points in order; each is the mean of as many as were merged.

    At the limit, neighbouring points are merged in pairs, and from then on twice as many samples go into each.
    """

    def __init__(self, most_points: int = MAX_POINTS) -> None:
        self._most = most_points  # even
        self.xs: list[float] = []
        self.ys: list[float] = []
        self._each, self._begun = 1, 0  # samples per point, and samples in the last point

    def add(self, x: float, y: float) -> None:
        """Add a point at the right."""
        if self._begun:
            self.xs[-1] += (x - self.xs[-1]) / (self._begun + 1)
            self.ys[-1] += (y - self.ys[-1]) / (self._begun + 1)
        else:
            self.xs.append(x)
            self.ys.append(y)
        self._begun = (self._begun + 1) % self._each
        if len(self.xs) == self._most and not self._begun:
            self.xs, self.ys = _halved(self.xs), _halved(self.ys)
            self._each *= 2


def without_partial(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Return ``samples`` without a last one over a much shorter interval: its rate says little, and dives or spikes."""
    if len(samples) < 3:
        return samples
    before, last = (samples[end].seconds - samples[end - 1].seconds for end in (-2, -1))
    return samples[:-1] if last < _WHOLE * before else samples


def _halved(values: list[float]) -> list[float]:
    return [(left + right) / 2 for left, right in zip(values[::2], values[1::2], strict=True)]
