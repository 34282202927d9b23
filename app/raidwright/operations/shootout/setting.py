"""Sweep of a setting on a scratch array: built on slices of empty disks, measured at each value, and removed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.operations.operation import Operation
from raidwright.operations.sweep import Sweep, Swept

from .scratch import scratch_array, trial
from .slices import Contestant

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class SweepScratch(Operation[Swept]):
    """Perform ``sweep`` on a scratch array of ``contestant`` instead of the array it names, within the slices."""

    contestant: Contestant
    sweep: Sweep

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Swept:
        """As ``Operation.perform``; the array is removed at the end in any case."""
        disks = tuple(replace(disk, baseline=None) for disk in self.contestant.disks)
        async with (
            trial(machine, disks, self.sweep.granted_minutes),
            scratch_array(machine, self.contestant.plan, self.contestant.halved) as array,
        ):
            region_mib = min(self.sweep.region_mib or self.contestant.region_mib, self.contestant.region_mib)
            sweep = replace(self.sweep, array=array.named, region_mib=region_mib, is_tried=True, keep=False)
            return await sweep.perform(machine, on_update)
