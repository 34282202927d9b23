"""Stored runs, for the user interface; imported late, since comparing imports numpy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from raidwright.core.model.names import array_uuid
from raidwright.runs.comparing import AgainstPrediction, Compared, compared_by_id
from raidwright.runs.imports.files import runs_in
from raidwright.runs.memory_speed import is_at_memory_speed
from raidwright.runs.predicted import predicted
from raidwright.runs.run import BegunRun, Run
from raidwright.runs.store import Runs

if TYPE_CHECKING:
    from raidwright.analysis.performance.prediction import Prediction


class LastMeasured(NamedTuple):
    """The last run on an array, and its prediction; None if there is none, or the disks are as fast as memory."""

    run: Run
    predicted: Prediction | None


class KeptRuns:
    """Access to this user's runs."""

    def all(self) -> tuple[BegunRun, ...]:
        """Return all runs, newest first, without their samples; unfinished runs come before them."""
        return (*Runs().unfinished(), *Runs().all())

    def last_of(self, uuids: Collection[str]) -> Mapping[str, LastMeasured]:
        """Return the last finished run of each array that has one, by UUID, with its prediction."""
        wanted, found = {array_uuid(uuid): uuid for uuid in uuids}, dict[str, LastMeasured]()
        for run in Runs().all():  # the newest first
            uuid = wanted.get(array_uuid(run.target.removeprefix("md:")))
            if uuid is not None and uuid not in found and run.target.startswith("md:"):
                found[uuid] = LastMeasured(run, None if is_at_memory_speed(run) else predicted(run))
        return found

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
