"""Requests that bring an array back: tried on overlays, and for real."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from raidwright.core.model.rescue_attempt import RescueAttempt, dump_attempt
from raidwright.core.protocol import verbs
from raidwright.core.protocol.results import Rescued, RescueTried
from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.machine.snapshot_conditions import stopped

from .operation import Request

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class TryRescue(Request[RescueTried]):
    """Try an attempt on overlays: started, checked, mounted read-only, taken down. No disk is written to."""

    verb = verbs.TRY_RESCUE
    attempt: RescueAttempt

    def arguments(self) -> tuple[object, ...]:
        return (dump_attempt(self.attempt),)

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> RescueTried:
        """As ``Operation.perform``; snapshots are withheld, since UDisks2 sees the array that is tried."""
        async with machine.turning(stopped(machine.snapshot, self.attempt.uuid)):
            return await super(TryRescue, self).perform(machine, on_update)


@dataclass(frozen=True, slots=True)
class RescueArray(Request[Rescued]):
    """Do for real what was tried with success; ``name`` is the array's, typed. Raises DiskRefused if it was not."""

    verb = verbs.RESCUE_ARRAY
    attempt: RescueAttempt
    name: str

    def arguments(self) -> tuple[object, ...]:
        return (dump_attempt(self.attempt), self.name)
