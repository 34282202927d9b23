"""Baselines: measuring disks one by one and at once, stored by serial number."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from raidwright.analysis.performance.at_once import limits_of
from raidwright.analysis.performance.odd_disks import MeasuredDisk
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import dump_member
from raidwright.core.protocol import verbs
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.core.protocol.measured import BaselineResult, Figures, Sample
from raidwright.core.protocol.results import AtOnceResult
from raidwright.core.system.baseline import AT_ONCE, DEFAULT_SECONDS, MAX_AT_ONCE, checked_seconds
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.runs.baselines import Baselines, KeptBaseline, known_of, save_baseline

from .operation import Operation, Request

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class TakeBaseline(Request[BaselineResult]):
    """Measure the whole ``disk`` by itself, for ``seconds`` per measurement (1 to 10).

    Without ``write`` nothing is written, and the disk may be in use. With it the disk must be free and empty, and is
    overwritten except for 16 MiB at either end; ``over_unknown``: unrecognised bytes may be overwritten. Raises
    DiskRefused with ``Code.ASLEEP`` for a disk in standby unless ``wake``.
    """

    verb = verbs.TAKE_BASELINE
    disk: Member
    seconds: int = DEFAULT_SECONDS
    write: bool = False
    wake: bool = False
    over_unknown: bool = False

    def arguments(self) -> tuple[object, ...]:
        """Return the helper's arguments, without the disk's assumed speed; raises InputError."""
        options: dict[str, object] = {
            "seconds": checked_seconds(self.seconds),
            "write": self.write,
            "wake": self.wake,
        }
        if self.over_unknown:
            options["wipe"] = [UNKNOWN]
        return (dump_member(replace(self.disk, baseline=None)), options)


@dataclass(frozen=True, slots=True)
class MeasureAtOnce(Request[AtOnceResult]):
    """Read at least two whole ``disks`` simultaneously, for ``seconds`` per measurement (1 to 10).

    They may be in use. Raises DiskRefused with ``Code.ASLEEP`` for a disk in standby unless ``wake``.
    """

    verb = verbs.MEASURE_AT_ONCE
    disks: tuple[Member, ...]
    seconds: int = DEFAULT_SECONDS
    wake: bool = False

    def arguments(self) -> tuple[object, ...]:
        """Return the helper's arguments; raises InputError."""
        disks = [dump_member(replace(disk, baseline=None)) for disk in self.disks]
        return (disks, {"seconds": checked_seconds(self.seconds), "wake": self.wake})


@dataclass(frozen=True, slots=True)
class CompareAtOnce(Operation[tuple[KeptBaseline, ...]]):
    """Measure ``disks`` at once, and store any shared bottleneck with the baselines ``taken`` of each alone.

    Only the first ``MAX_AT_ONCE`` disks are measured.
    """

    disks: tuple[Disk, ...]
    taken: tuple[KeptBaseline, ...]
    seconds: int = DEFAULT_SECONDS
    wake: bool = False
    keep: bool = True

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> tuple[KeptBaseline, ...]:
        """As ``Operation.perform``; InputError also if a baseline can't be stored."""
        members = tuple(disk.as_member() for disk in self.disks[:MAX_AT_ONCE])
        compared = self.taken[:MAX_AT_ONCE]
        result = await MeasureAtOnce(members, self.seconds, self.wake).perform(machine, on_update)
        at_once: list[Mapping[str, Figures]] = [
            dict(zip(AT_ONCE, (result.streams[disk.id], result.accesses[disk.id]), strict=True)) for disk in members
        ]
        seen = [MeasuredDisk(one.serial, one.size_bytes, one.known, one.result.figures) for one in compared]
        limits, now = limits_of(seen, at_once), datetime.now(UTC)
        told = [replace(one, taken=now, known=limits.told(one.known)) for one in compared]
        for one in told:
            if self.keep and one.serial:
                await asyncio.to_thread(save_baseline, one)
        return (*told, *self.taken[MAX_AT_ONCE:])


@dataclass(frozen=True, slots=True)
class TakeBaselines(Operation[tuple[KeptBaseline, ...]]):
    """Measure ``disks`` one after the other, as ``TakeBaseline`` does, and store each baseline at once.

    Several disks are then measured at once (``CompareAtOnce``); a single disk keeps the bottleneck known before. A disk
    without a serial number isn't stored, since it couldn't be identified again. ``machine_title`` is stored as the
    place.
    """

    disks: tuple[Disk, ...]
    machine_title: str
    seconds: int = DEFAULT_SECONDS
    write: bool = False
    wake: bool = False
    keep: bool = True
    over_unknown: bool = False

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> tuple[KeptBaseline, ...]:
        """As ``Operation.perform``; InputError also if a baseline can't be stored."""
        taken: list[KeptBaseline] = []
        kept_before = Baselines()
        rounds = len(self.disks) + (len(self.disks) > 1)

        def pass_on(update: JobProgress | Sample) -> None:
            if isinstance(update, JobProgress):
                on_update(JobProgress(update.step, (len(taken) + update.fraction) / rounds))

        for disk in self.disks:
            started = datetime.now(UTC)
            request = TakeBaseline(disk.as_member(), self.seconds, self.write, self.wake, self.over_unknown)
            result = await request.perform(machine, pass_on)
            before = await asyncio.to_thread(kept_before.of, disk) if self.keep else None
            kept = KeptBaseline(
                serial=disk.serial,
                model=disk.model,
                size_bytes=disk.size_bytes,
                taken=started,
                machine=self.machine_title,
                known=known_of(disk, before.known if before else None),
                result=result,
                in_use=disk.is_live,
            )
            if self.keep and disk.serial:
                await asyncio.to_thread(save_baseline, kept)
            taken.append(kept)
        if len(taken) > 1:
            compare = CompareAtOnce(self.disks, tuple(taken), self.seconds, self.wake, self.keep)
            return await compare.perform(machine, pass_on)
        return tuple(taken)
