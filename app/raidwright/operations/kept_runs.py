"""Stored runs, for the user interface; imported late, since comparing imports numpy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidwright.runs.comparing import AgainstPrediction, Compared, compared_by_id
from raidwright.runs.imports.files import runs_in
from raidwright.runs.run import BegunRun, Run
from raidwright.runs.store import Runs


class KeptRuns:
    """Access to this user's runs."""

    def all(self) -> tuple[BegunRun, ...]:
        """Return all runs, newest first, without their samples; unfinished runs come before them."""
        return (*Runs().unfinished(), *Runs().all())

    def one(self, run_id: str) -> Run:
        """Return one run with its samples."""
        return Runs().get(run_id)

    def imported(self, paths: Sequence[Path]) -> tuple[Run, ...]:
        """Store the runs in other benchmarks' files, or in exported ones; return them. Raises InputError."""
        runs = tuple(run for path in paths for run in runs_in(path))
        Runs().add(runs)
        return runs

    def compared(
        self, first: Sequence[str], second: Sequence[str]
    ) -> tuple[Compared, ...] | tuple[AgainstPrediction, ...]:
        """Compare runs by their ids, as ``compared_by_id`` does."""
        return compared_by_id(first, second)
