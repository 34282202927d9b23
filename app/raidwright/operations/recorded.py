"""Recorded measurements: what their runs keep besides the figures, the same for workloads and for file systems."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, TypeVar

from raidwright.core.protocol.measured import WorkloadResult
from raidwright.core.system.load_before import HOST_WAITING, LOOK_SECONDS, PRESSURE, percent, waited_us
from raidwright.machine.values import Snapshot
from raidwright.runs.run import ArrayState, BegunRun, Series, array_meant, new_run_id, run_context, state_of

from .operation import Operation, Result

_Measured = TypeVar("_Measured")
_PRESSURE = Path("/", PRESSURE)


@dataclass(frozen=True, slots=True)
class Recorded(Operation[Result], Generic[_Measured, Result]):
    """Perform ``request``; its runs are stored with the state of the array and the disks, if ``keep``.

    ``machine_title`` is stored as the place. ``state`` is the array's state as known to the caller; without it, that of
    the snapshot.
    """

    request: _Measured
    machine_title: str
    is_practice: bool = False
    keep: bool = True
    series: Series | None = None
    state: ArrayState | None = None
    repeat: int = 1

    def begun(
        self, seen: Snapshot, target: str, workload: str, region_mib: int | None, **context: Mapping[str, object] | None
    ) -> BegunRun:
        """Return the run of ``workload`` on ``target``, as it is when it begins; ``context`` is kept with it."""
        started = datetime.now(UTC)
        return BegunRun(
            id=new_run_id(started, workload),
            started=started,
            machine=self.machine_title,
            target=target,
            workload=workload,
            region_mib=region_mib,
            is_practice=self.is_practice,
            series=self.series,
            state=self.state or state_of(array_meant(seen, target)),
            repeat=self.repeat,
            context={**run_context(seen, target), **context},
        )

    async def load(self) -> dict[str, str]:
        """Return how busy this computer is, by which a practice machine is slower; {} if that isn't known.

        A real machine's helper tells its own.
        """
        first, began_s = _waited_us(), time.monotonic()
        if not self.is_practice or first is None:
            return {}
        await asyncio.sleep(LOOK_SECONDS)
        last, passed_us = _waited_us(), (time.monotonic() - began_s) * 1e6
        return {} if last is None else {HOST_WAITING: percent(first, last, passed_us)}


def with_load(result: WorkloadResult, load: Mapping[str, str]) -> WorkloadResult:
    """Return ``result`` with ``Recorded.load`` among its surroundings."""
    return replace(result, surroundings={**(result.surroundings or {}), **load}) if load else result


def _waited_us() -> int | None:
    try:
        return waited_us(_PRESSURE.read_text(encoding="ascii"))
    except OSError:
        return None
