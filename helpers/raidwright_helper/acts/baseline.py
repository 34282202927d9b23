"""Baselines: each disk measured alone by short fio runs, writing too if it is empty; and several disks at once.

For reading, the disk is pinned (see ``guards``) and may be in use: fio opens it read-only. For writing it must be as
free and as empty as a build requires, and is held exclusively, with udev locked out, until the last measurement:
mounts, LVM, md and other builds get EBUSY. What is written stays clear of both ends (``core.system.baseline``), so a
disk that was empty by every sign is so afterwards, even if the measuring is cut off; that is looked at once more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.core.protocol.measured import BaselineResult, Figures
from raidwright.core.protocol.results import AtOnceResult
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.baseline import (
    AT_ONCE,
    KEPT_BYTES,
    MIN_BYTES,
    Measurement,
    at_once_argv,
    baseline_argv,
    figures_of,
    figures_of_each,
    measurements,
)

from raidwright_helper.host.guards import Pinned, person_name, pinned, verify_empty, verify_identity
from raidwright_helper.host.holding import hold_disks
from raidwright_helper.host.host import Host
from raidwright_helper.host.power import PowerStates
from raidwright_helper.host.runner import run
from raidwright_helper.host.unknown import clear
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job

from .measure import verify_fio

_GRACE_SECONDS = 30.0  # fio's start, and a disk that spins up or retries a bad sector


@dataclass(frozen=True, slots=True)
class BaselineRequest:
    """Request of TakeBaseline: ``seconds`` per measurement, and whether the disk is written to, and may be woken.

    ``over_unknown``: unrecognised bytes may be overwritten.
    """

    disk: Member
    seconds: int
    write: bool = False
    wake: bool = False
    over_unknown: bool = False


@dataclass(frozen=True, slots=True)
class PreparedBaseline:
    """A checked and held disk, ready to be measured."""

    disk: Member
    device: Pinned
    seconds: int
    writes: bool
    fio: str

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """The measurements, in order."""
        return measurements(write=self.writes)

    @property
    def label(self) -> str:
        """Label in the journal."""
        return f"{self.device.node.removeprefix('/dev/')}: {person_name(self.disk)}"

    @property
    def limit_s(self) -> float:
        """Time limit of all measurements."""
        return len(self.measurements) * self.limit_of_one_s

    @property
    def limit_of_one_s(self) -> float:
        """Time limit of one measurement; a write measurement first runs as long uncounted."""
        return 2 * self.seconds + _GRACE_SECONDS


async def prepare(
    host: Host, claims: Claims, power: PowerStates, request: BaselineRequest, until: contextlib.ExitStack
) -> PreparedBaseline:
    """Check the disk of ``request`` and hold it until ``until`` closes.

    Raises DiskRefused (``Code.ASLEEP`` for a disk in standby unless ``wake``; for writing, as a build does), Busy, and
    JobFailed when fio isn't there or too old.
    """
    disk = request.disk
    path = f"/dev/disk/by-id/{disk.id}"
    if not request.wake and (number := host.number_of(path)) is not None:  # before anything is opened
        await power.verify_awake(host, host.whole(number), disk.id)
    if request.write:
        wipe = {disk.id: (UNKNOWN,)} if request.over_unknown else {}
        [held] = await hold_disks(host, claims, (disk,), wipe, until)
        device = held.device
    else:
        device = until.enter_context(pinned(host, path, who=person_name(disk)))
        until.enter_context(claims.hold({host.whole(device.number)}))
        verify_identity(host, device.number, disk)
    if host.size_bytes(device.number) < MIN_BYTES:
        raise DiskRefused(
            "{disk} is smaller than {least_bytes:binary}, which is too little to measure.",
            code="disk-small",
            disk=person_name(disk),
            least_bytes=MIN_BYTES,
        )
    return PreparedBaseline(disk, device, request.seconds, request.write, await verify_fio())


async def measure(host: Host, disk: PreparedBaseline, job: Job) -> BaselineResult:
    """Run fio for each measurement, reporting progress. Raises JobFailed."""
    began_s, size_bytes = int(time.time()), host.size_bytes(disk.device.number)
    figures: dict[str, Figures] = {}
    try:
        for measurement in disk.measurements:
            job.progress(JobStep.MEASURE, len(figures) / len(disk.measurements))
            argv = baseline_argv(measurement, disk.device.node, seconds=disk.seconds, size_bytes=size_bytes)
            finished = await run(argv, limit_s=disk.limit_of_one_s)
            job.record.commands.append(finished.command)
            figures[measurement] = figures_of(measurement, finished.command, finished.output)
    finally:
        if disk.writes:
            await to_the_end(asyncio.to_thread(_clear, disk.device, size_bytes))
    if disk.writes:
        await verify_empty(disk.device, person_name(disk.disk))
    return BaselineResult(figures, size_bytes, disk.seconds, began_s, disk.fio, job.record.log)


def _clear(device: Pinned, size_bytes: int) -> None:
    """Zero the places that ``unknown`` reads. If the disk fails, the bytes stay, and are reported from then on.

    The claim stays: this opens the pinned device once more, to write, which the claim's owner may.
    """
    with contextlib.suppress(OSError):
        writer = os.open(f"/proc/self/fd/{device.fd}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            clear(writer, size_bytes, kept_bytes=KEPT_BYTES)
        finally:
            os.close(writer)


async def measure_at_once(host: Host, disks: Sequence[PreparedBaseline], job: Job) -> AtOnceResult:
    """Run fio on all ``disks`` at once for each of ``AT_ONCE``, which only read. Raises JobFailed."""
    sizes = {disk.device.node: host.size_bytes(disk.device.number) for disk in disks}
    seconds, limit_s = disks[0].seconds, max(disk.limit_of_one_s for disk in disks)
    found: list[dict[str, Figures]] = []
    for measurement in AT_ONCE:
        job.progress(JobStep.MEASURE, len(found) / len(AT_ONCE))
        finished = await run(at_once_argv(measurement, sizes, seconds=seconds), limit_s=limit_s)
        job.record.commands.append(finished.command)
        each = figures_of_each(measurement, finished.command, finished.output)
        found.append({disk.disk.id: figures for disk, figures in zip(disks, each, strict=True)})
    streams, accesses = found
    return AtOnceResult(streams, accesses, seconds, disks[0].fio, job.record.log)
