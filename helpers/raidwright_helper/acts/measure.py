"""RunWorkload: fio on an array or a disk, reading; or writing, on an empty array.

The target is pinned (see ``guards``) and fio is given the kernel's node, which is no link and contains no colon. For
writing the target is held exclusively through the whole run: mounts, LVM and md are excluded, while fio, which opens
without O_EXCL, is not.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from dataclasses import dataclass, replace

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.json_fields import printable
from raidwright.core.messages import say
from raidwright.core.protocol.measured import WorkloadResult
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.workload import (
    FIO,
    FIO_MIN,
    START,
    AnyWorkload,
    Status,
    StatusReader,
    fio_argv,
    result_of,
    sample_between,
)

from raidwright_helper.host.arrays import hold_empty, pin_running, verify_reads_end
from raidwright_helper.host.guards import Exclusive, Pinned, pinned
from raidwright_helper.host.heads import clear_head
from raidwright_helper.host.host import Host
from raidwright_helper.host.lvm import joined_over, lowest_below
from raidwright_helper.host.runner import run, stream
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job

from .alongside import Alongside
from .surroundings import surroundings_after, surroundings_of

_GRACE_SECONDS = 60.0  # fio's start, and the flush of a buffered write's dirty pages
_MIB = 2**20
_VERSION = re.compile(r"fio-(\d+)\.(\d+)")
_VERSION_SECONDS = 60.0  # it may have to be read from a disk that is busy


@dataclass(frozen=True, slots=True)
class WorkloadRequest:
    """Request of RunWorkload. ``target``: ``md:UUID`` or a by-id name; without a region, the whole target."""

    target: str
    workload: AnyWorkload
    seconds: int
    region_mib: int | None = None
    warm_up_seconds: int = 0


@dataclass(frozen=True, slots=True)
class PreparedWorkload:
    """A checked workload, with its target held.

    ``claim``: on the array that is written to.
    """

    workload: AnyWorkload
    device: Pinned
    seconds: int
    region_bytes: int
    fio: str
    warm_up_seconds: int = 0
    claim: Exclusive | None = None

    @property
    def limit_s(self) -> float:
        """Time limit of the run."""
        return self.warm_up_seconds + self.seconds + _GRACE_SECONDS


async def prepare(
    host: Host,
    claims: Claims,
    request: WorkloadRequest,
    until: contextlib.ExitStack,
) -> PreparedWorkload:
    """Check the target of a request (``arguments.read_workload``) and hold it until ``until`` closes.

    Raises InputError, DiskRefused, Busy, and JobFailed if fio is missing or too old.
    """
    target, workload = request.target, request.workload
    is_array = target.startswith("md:")
    if workload.writes and not is_array:
        raise DiskRefused(
            "Writing is only measured on an array that holds nothing, never on a disk itself.", code="write-to-disk"
        )
    device = await pin_array_target(host, target, until) if is_array else _pin_disk(host, target, until)
    until.enter_context(claims.hold({device.number, *host.leaves(device.number)}))
    verify_reads_end(host, device.number, "The array")
    claim = None
    if workload.writes:
        purpose = say("Writing is only measured on an array that holds nothing.")
        claim = await hold_empty(host, device, until, purpose=purpose)
    fio = await verify_fio()
    region_bytes = _region_bytes(host.size_bytes(device.number), request.region_mib)
    return PreparedWorkload(workload, device, request.seconds, region_bytes, fio, request.warm_up_seconds, claim)


async def pin_array_target(host: Host, target: str, until: contextlib.ExitStack) -> Pinned:
    """Return the array ``md:UUID``, open until ``until`` closes; raises InputError, DiskRefused.

    Of a joined volume's first array it is the volume, which has that array's UUID.
    """
    device = (await pin_running(host, target.removeprefix("md:"), until, is_own_make=False)).device
    joined = joined_over(host, device.number)
    if joined is not None and lowest_below(host, joined[0]) == device.number:
        return until.enter_context(pinned(host, host.node(joined[0]), who=say("The volume “{name}”", name=joined[1])))
    return device


def _pin_disk(host: Host, target: str, until: contextlib.ExitStack) -> Pinned:
    device = until.enter_context(pinned(host, f"/dev/disk/by-id/{target}", who=say("The disk {name}", name=target)))
    if not host.is_disk(device.number):
        raise DiskRefused("{disk} is not a whole disk.", code="disk-kind", disk=target)
    return device


async def verify_fio() -> str:
    """Return fio's version; raises JobFailed unless it is ``FIO_MIN`` or later, whose output Raidwright can parse."""
    said = (await run((FIO, "--version"), limit_s=_VERSION_SECONDS)).output.strip()
    match = _VERSION.match(said)
    if match is None or (int(match[1]), int(match[2])) < FIO_MIN:
        raise JobFailed(
            "Raidwright needs fio {least} or later, and {found} is here; update fio.",
            code="fio-old",
            least=".".join(map(str, FIO_MIN)),
            found=printable(said) or say("an unknown one"),
        )
    return printable(said.removeprefix("fio-"))


def _region_bytes(size_bytes: int, region_mib: int | None) -> int:
    if region_mib is None:
        return size_bytes - size_bytes % _MIB
    if region_mib * _MIB > size_bytes:
        raise InputError(
            "The region, {region_mib} MiB, is larger than the target, {size_mib} MiB.",
            code="region",
            region_mib=region_mib,
            size_mib=size_bytes // _MIB,
        )
    return region_mib * _MIB


async def measure(host: Host, run: PreparedWorkload, job: Job) -> WorkloadResult:
    """Run fio, passing samples on as they come; a written array is empty again afterwards. Raises JobFailed."""
    number = run.device.number
    around = await surroundings_of(host, number, run.fio)
    argv = fio_argv(
        run.workload,
        run.device.node,
        seconds=run.seconds,
        region_bytes=run.region_bytes,
        warm_up_seconds=run.warm_up_seconds,
    )
    curve = FioSamples(job, is_warm=not run.warm_up_seconds, alongside=Alongside(host, number))
    job.progress(JobStep.MEASURE, 0.0)
    try:
        finished = await stream(argv, curve.feed, limit_s=run.limit_s)
    finally:
        if run.claim is not None:
            await to_the_end(asyncio.to_thread(clear_head, host, run.device, run.claim))
    job.record.commands.append(finished.command)
    if curve.last is START:
        raise JobFailed("fio printed no figures.", code="workload-output")
    result = result_of(str(run.workload), finished.command, curve.last)
    return replace(result, surroundings=around | surroundings_after(host, number))


class FioSamples:
    """Parse fio's output into samples for the job.

    During its ramp time fio counts as well, and then resets its counters (fio(1), ramp_time): nothing before is passed
    on.
    """

    def __init__(self, job: Job, *, is_warm: bool, alongside: Alongside | None = None) -> None:
        self._job = job
        self._alongside = alongside
        self._is_warm = is_warm
        self._reader = StatusReader()
        self.last: Status = START

    def feed(self, line: str) -> None:
        """Parse one line of fio's output."""
        status = self._reader.feed(line)
        if status is None:
            return
        if not self._is_warm and status.runtime_ms < self.last.runtime_ms:
            self._is_warm, self.last = True, START
            if self._alongside is not None:
                self._alongside.begin()
        sample = sample_between(self.last, status)
        self.last = status
        if sample is not None and self._is_warm:
            beside = self._alongside
            self._job.sample(sample if beside is None else beside.with_what_is_beside(sample))
