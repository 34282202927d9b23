"""What is to be written for another place: a plan, what is around it, and what is known of its array."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidwright.core.model.plan import Plan
from raidwright.export.surroundings import Surroundings
from raidwright.runs.run import Run


@dataclass(frozen=True, slots=True)
class Wanted:
    """``uuid`` and ``filesystem_uuid`` are "" where nothing stands yet; ``runs`` newest first, with their samples."""

    plan: Plan
    around: Surroundings = field(default_factory=Surroundings)
    uuid: str = ""
    filesystem_uuid: str = ""
    runs: tuple[Run, ...] = ()
