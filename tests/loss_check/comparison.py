"""One row of a comparison."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was said and what was found. ``away`` is how far apart, of which ``allowed`` is right."""

    proof: str
    what: str
    said: float
    found: float
    away: float
    allowed: float

    @property
    def holds(self) -> bool:
        """Whether the two agree."""
        return self.away <= self.allowed

    @classmethod
    def relative(cls, proof: str, what: str, said: float, found: float, allowed: float) -> Comparison:
        """Two figures that agree to a fraction of the one ``said``."""
        return cls(proof, what, said, found, abs(found / said - 1), allowed)
