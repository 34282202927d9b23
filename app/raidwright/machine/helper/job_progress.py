"""Progress of a privileged job, and its callback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raidwright.core.protocol.measured import Sample


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Progress of a job: ``fraction`` is 0 … 1 of the whole; ``step`` is a JobStep's value, or a newer helper's."""

    step: str
    fraction: float


OnUpdate = Callable[[JobProgress | Sample], object]
"""Callback for a job's progress and samples, called from the loop's thread."""


def ignore(_update: JobProgress | Sample) -> None:
    """Ignore progress."""
