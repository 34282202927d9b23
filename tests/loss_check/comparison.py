"""Rows of the comparison."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """Reference figure ``said`` and our figure ``found``; their difference ``away`` may be at most ``allowed``."""

    proof: str
    what: str
    said: float
    found: float
    away: float
    allowed: float

    @property
    def holds(self) -> bool:
        """True when the two figures agree."""
        return self.away <= self.allowed

    @classmethod
    def relative(cls, proof: str, what: str, said: float, found: float, allowed: float) -> Comparison:
        """Compare two figures by their difference relative to the one ``said``."""
        return cls(proof, what, said, found, abs(found / said - 1), allowed)
