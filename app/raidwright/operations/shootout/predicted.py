"""Predictions for the contestants, from the disks' baselines before the shoot-out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from raidwright.analysis.performance.host import HostModel
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.system.file_acts import FileAct
from raidwright.runs.run import ArrayState
from raidwright.suites import SuiteWorkload

from .slices import Contestant

if TYPE_CHECKING:
    from raidwright.analysis.performance.prediction import PredictedState, Prediction


class Predicted:
    """Predictions for one contestant on its slices."""

    def __init__(self, contestant: Contestant) -> None:
        from raidwright.analysis.performance.of_plan import one_lost  # noqa: PLC0415 -- imports numpy
        from raidwright.analysis.performance.prediction import HEALTHY, Predictor  # noqa: PLC0415 -- likewise

        plan, self._span = contestant.plan, contestant.span
        self._is_unknown = bool(contestant.halved) or contestant.is_volume
        if not contestant.is_layout:  # as a single disk: a raid1 of one passes requests through
            [disk] = contestant.lost
            plan = Plan(MdArray(Level.LINEAR, (disk,)))
            self._span = min(1.0, contestant.region_mib * 2**20 / disk.size_bytes)
        chunk_kib = plan.array.bitmap_chunk_kib
        self._predictor = Predictor(plan, HostModel(bitmap_chunk_bytes=chunk_kib and chunk_kib * 1024))
        lost = one_lost(plan, self._predictor)
        self._states: dict[ArrayState, PredictedState | None] = {
            ArrayState.HEALTHY: HEALTHY,
            ArrayState.DEGRADED: lost,
            ArrayState.REBUILDING: lost and replace(lost, rebuilding=True),
        }

    def of(self, workload: SuiteWorkload, state: ArrayState) -> Prediction | None:
        """Return the prediction; None in a state that the array doesn't survive, for file systems, halves and volumes.

        For halves the number of seeks between them is unknown, of a controller's volume its disks.
        """
        meant = self._states[state]
        if meant is None or isinstance(workload, FileAct) or self._is_unknown:
            return None
        return self._predictor.predict(workload.pattern, meant, self._span)


_MEASURED_HERE = say("all disks are as fast as the one that was measured here")


def is_of_measured_disk(said: Prediction) -> bool:
    """Return whether ``said`` is by ``of_measured_disk``: then it compares with that disk's figure as measured."""
    return _MEASURED_HERE in said.assumes


def of_measured_disk(said: Prediction | None, measured_mb_s: float, alone: Prediction | None) -> Prediction | None:
    """Return ``said`` for the disk as it was just measured alone, where ``alone`` was predicted of a typical one."""
    if said is None or alone is None or not alone.mb_s or not measured_mb_s:
        return said
    factor = measured_mb_s / alone.mb_s
    return replace(
        said,
        mb_s=said.mb_s * factor,
        low_mb_s=said.low_mb_s * factor,
        high_mb_s=said.high_mb_s * factor,
        assumes=(*said.assumes, _MEASURED_HERE),
    )
