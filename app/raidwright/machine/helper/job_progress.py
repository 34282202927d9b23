"""How far a privileged job is, and who wants to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raidwright.core.protocol.measured import Sample


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A step of a job: ``fraction`` is 0 … 1 of the whole; ``step`` is a JobStep's, or one of a newer helper."""

    step: str
    fraction: float


OnUpdate = Callable[[JobProgress | Sample], object]
"""Gets a job's progress and samples, from the loop's thread."""


def ignore(_update: JobProgress | Sample) -> None:
    """For jobs whose progress is of no interest."""
