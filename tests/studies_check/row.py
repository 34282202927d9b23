"""One figure of a study, done again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """``found`` and ``published`` are in ``unit``; ``changed`` says what in md or Linux has changed between the two.

    Of a figure that nobody published (None) only ``found`` is shown.
    """

    study: str
    what: str
    unit: str
    found: float
    published: float | None = None
    changed: str = ""

    @property
    def off(self) -> float:
        """How far the found is from the published."""
        return self.found / self.published - 1 if self.published else 0.0
