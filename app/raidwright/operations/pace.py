"""Time left of a long operation: its estimate at first, and the pace that was kept once enough is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

_TRUSTED = 0.2  # share of the whole after which the pace alone counts


@dataclass(slots=True)
class Pace:
    """Pace of an operation that was estimated to take ``estimated_s``, from now on."""

    estimated_s: float
    now: Callable[[], float] = monotonic
    begun_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.begun_s = self.now()

    def left_s(self, share: float) -> float:
        """Return the seconds left when ``share`` of the estimate is done."""
        if share <= 0:
            return self.estimated_s
        elapsed_s = self.now() - self.begun_s
        trust = min(1.0, share / _TRUSTED)
        total_s = trust * elapsed_s / share + (1 - trust) * max(self.estimated_s, elapsed_s)
        return max(0.0, total_s * (1 - share))
