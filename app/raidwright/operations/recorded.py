"""Recorded measurements: what their runs keep besides the figures, the same for workloads and for file systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

from raidwright.machine.values import Snapshot
from raidwright.runs.run import ArrayState, BegunRun, Series, array_meant, new_run_id, run_context, state_of

from .operation import Operation, Result

_Measured = TypeVar("_Measured")


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
