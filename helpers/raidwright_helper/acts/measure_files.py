"""MeasureFileSystem: a file system on an empty array, measured by fio, and removed again.

mkfs and the mount open the array exclusively themselves, so the claim is released before them (``guards`` says what
that window means) and taken again before the signature is erased. fio runs in a systemd unit of its own for each act,
which mounts the file system for itself alone: the page cache of one act doesn't serve the next.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import uuid
from dataclasses import asdict, dataclass, fields
from typing import Any

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.md.stripe import Stripe
from raidwright.core.messages import say
from raidwright.core.protocol.results import ActFigures, FileSystemMeasured
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.file_acts import FileAct, act_argv
from raidwright.core.system.filesystem import (
    MEASURED_LABEL,
    MEASURED_MIN_BYTES,
    Alignment,
    FileSystemKind,
    alignment_argv,
    mkfs_argv,
    read_alignment,
)
from raidwright.core.system.workload import START, result_of

from raidwright_helper.host.arrays import hold_empty
from raidwright_helper.host.guards import Exclusive, Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.outside import MEASURED_AT, SYSTEMCTL, measuring_argv
from raidwright_helper.host.runner import run, stream
from raidwright_helper.host.signatures import found_on, wipe
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job

from .filesystem import stripe_on
from .measure import FioSamples, pin_array_target, verify_fio
from .surroundings import surroundings_after, surroundings_of

_MKFS_SECONDS = 600.0
_ACT_SECONDS = 600.0
_SHORT_SECONDS = 60.0
_FREE_PAUSES_S = (0.0, 0.1, 0.3, 1.0, 3.0)  # the kernel unmounts a unit's mounts a moment after its end
LIMIT_SECONDS = _MKFS_SECONDS + len(FileAct) * _ACT_SECONDS
_MAX_OF_ARRAY = 0.8  # the rest is for the file system's metadata and its log
_NOT_BEHIND = {FileSystemKind.EXT4: ",noinit_itable"}  # ext4 would initialise its inode tables meanwhile
_MIB = 2**20
_EMPTY = say("Files are only measured on an array that holds nothing.")


@dataclass(frozen=True, slots=True)
class FilesRequest:
    """Request of MeasureFileSystem: one file of ``size_mib``, then ``files`` small files."""

    target: str
    kind: FileSystemKind
    aligned: bool
    size_mib: int
    files: int


@dataclass(frozen=True, slots=True)
class PreparedFiles:
    """An empty array, checked and held for measuring files."""

    device: Pinned
    claim: Exclusive
    stripe: Stripe | None
    fio: str


async def prepare(host: Host, claims: Claims, request: FilesRequest, until: contextlib.ExitStack) -> PreparedFiles:
    """Return the array, held until ``until`` closes.

    Raises InputError, Busy, JobFailed, and DiskRefused if the array isn't empty.
    """
    device = await pin_array_target(host, request.target, until)
    until.enter_context(claims.hold({device.number, *host.leaves(device.number)}))
    claim = await hold_empty(host, device, until, purpose=_EMPTY)
    if host.size_bytes(device.number) < MEASURED_MIN_BYTES:
        raise InputError("Files are measured on an array of a GiB or more; mkfs.xfs wants that.", code="size")
    room_mib = int(host.size_bytes(device.number) * _MAX_OF_ARRAY) // _MIB
    if request.size_mib > room_mib:
        raise InputError(
            "A file of {size_mib} MiB is too large for this array; {room_mib} is the most.",
            code="size",
            size_mib=request.size_mib,
            room_mib=room_mib,
        )
    return PreparedFiles(device, claim, stripe_on(host, device.number), await verify_fio())


async def measure(host: Host, what: PreparedFiles, request: FilesRequest, job: Job) -> FileSystemMeasured:
    """Make the file system, run all acts, remove it. Raises JobFailed; the array is empty then, too."""
    job.progress(JobStep.MKFS, 0.0)
    number, node, own_uuid = what.device.number, what.device.node, str(uuid.uuid4())
    around = await surroundings_of(host, number, what.fio)
    argv = mkfs_argv(
        request.kind, node, uuid=own_uuid, label=MEASURED_LABEL, stripe=what.stripe, aligned=request.aligned
    )
    what.claim.release()
    try:
        mkfs = await run(argv, limit_s=_MKFS_SECONDS)
        job.record.commands.append(mkfs.command)
        job.progress(JobStep.READ_BACK, 0.1)
        aligned = await _alignment(request.kind, node)
        acts = {}
        for done, act in enumerate(FileAct):
            job.progress(JobStep.MEASURE, round(0.1 + 0.85 * done / len(FileAct), 3))
            acts[act] = await _act(act, request, node, job)
    finally:
        job.progress(JobStep.WIPE, 0.95)
        await to_the_end(_clear(host, what.device, own_uuid, job))
    return FileSystemMeasured(
        kind=request.kind,
        figures={str(act): figures for act, (figures, _) in acts.items()},
        commands={str(act): command for act, (_, command) in acts.items()},
        surroundings=around | surroundings_after(host, number) | {"filesystem": _said(request.kind, aligned)},
        mkfs=mkfs.command,
        **asdict(aligned),
    )


async def _alignment(kind: FileSystemKind, node: str) -> Alignment:
    argv = alignment_argv(kind, node)
    return read_alignment(kind, (await run(argv, limit_s=_SHORT_SECONDS)).output) if argv else Alignment()


def _said(kind: FileSystemKind, aligned: Alignment) -> str:
    """Return the file system's description for the run's context: ``xfs 512K/1024K log 256K``."""
    stripe = f" {aligned.unit_kib}K/{aligned.width_kib}K" if aligned.unit_kib else ""
    return f"{kind}{stripe}{f' log {aligned.log_unit_kib}K' if aligned.log_unit_kib else ''}"


async def _act(act: FileAct, request: FilesRequest, node: str, job: Job) -> tuple[ActFigures, str]:
    fio = act_argv(act, MEASURED_AT, size_mib=request.size_mib, files=request.files)
    unit = f"raidwright-measured-{secrets.token_hex(4)}"
    argv = measuring_argv(fio, node, _NOT_BEHIND.get(request.kind, ""), name=unit, limit_s=_ACT_SECONDS)
    curve = FioSamples(job, is_warm=True)
    try:
        finished = await stream(argv, curve.feed, limit_s=_ACT_SECONDS)
    except (RaidwrightError, asyncio.CancelledError):
        await to_the_end(run((SYSTEMCTL, "stop", "--", f"{unit}.service"), limit_s=_SHORT_SECONDS, accept=range(256)))
        raise
    job.record.commands.append(finished.command)
    if curve.last is START:
        raise JobFailed("fio printed no figures.", code="workload-output")
    result = asdict(result_of(act, finished.command, curve.last))
    told: dict[str, Any] = {one.name: result[one.name] for one in fields(ActFigures)}
    return ActFigures(**told | ({"mb_s": 0.0} if act.counts_files else {})), finished.command


async def _clear(host: Host, device: Pinned, own_uuid: str, job: Job) -> None:
    """Remove our file system, and nothing else; raises DiskRefused while it is in use elsewhere."""
    if (point := host.mount_point(device.number)) is not None:
        raise DiskRefused("The array was mounted at {point} meanwhile; unmount it.", code="array-mounted", point=point)
    for pause_s in _FREE_PAUSES_S:
        await asyncio.sleep(pause_s)
        with contextlib.suppress(DiskRefused):
            with Exclusive(host, device, say("The array")):
                own = [one for one in await found_on(device.node) if one.uuid == own_uuid]
            await wipe(host, device.number, own, job.record.commands)  # wipefs opens it exclusively itself
            return
    raise DiskRefused(
        "The array is still in use, with a file system labelled {label} on it; wipe that once nothing uses it.",
        code="disk-busy",
        label=MEASURED_LABEL,
    )
