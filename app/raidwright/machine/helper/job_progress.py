"""How far a privileged job is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A step of a job: ``fraction`` is 0 … 1 of the whole; ``step`` is a JobStep's, or one of a newer helper."""

    step: str
    fraction: float
