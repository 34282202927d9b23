"""A figure of a study that is repeated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A figure, ``found`` and ``published`` in ``unit``; ``changed`` says what has changed in md or Linux in between.

    ``published`` is None of a figure that is only shown.
    """

    study: str
    what: str
    unit: str
    found: float
    published: float | None = None
    changed: str = ""
    waited_share: float = 0.0  # of the time, for the host

    @property
    def off(self) -> float:
        """Relative difference of the found from the published figure; 0 without a published one."""
        return self.found / self.published - 1 if self.published else 0.0

    @property
    def sign(self) -> str:
        """Mark of a row that holds: * where md has changed."""
        return "*" if self.changed and self.published else " "

    def holds(self, allowed: float) -> bool:
        """Return whether the figure is off by at most ``allowed`` (a share), or md has changed."""
        return bool(self.changed) or abs(self.off) <= allowed
