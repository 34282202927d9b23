"""The runs that are kept, for whoever shows them; imported late, since comparing brings numpy."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.runs.comparing import AgainstPrediction, Compared, compared_by_id
from raidwright.runs.run import BegunRun, Run
from raidwright.runs.store import Runs


class KeptRuns:
    """Those of this user."""

    def all(self) -> tuple[BegunRun, ...]:
        """Newest first, without their samples; before them, those that never ended."""
        return (*Runs().unfinished(), *Runs().all())

    def one(self, run_id: str) -> Run:
        """One with its samples."""
        return Runs().get(run_id)

    def compared(
        self, first: Sequence[str], second: Sequence[str]
    ) -> tuple[Compared, ...] | tuple[AgainstPrediction, ...]:
        """Held against each other, by their ids, as ``compared_by_id`` says."""
        return compared_by_id(first, second)
