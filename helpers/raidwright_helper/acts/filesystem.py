"""MakeFileSystem: a file system on an empty array, aligned to the array's stripe.

The array is held exclusively while it is looked at; mkfs opens it exclusively itself, so the claim is released just
before (``guards`` says what that window means). mkfs isn't told to force, and so refuses what appeared in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from dataclasses import dataclass

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, JobFailed, RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.md.stripe import Stripe, stripe_of
from raidwright.core.messages import say
from raidwright.core.protocol.results import MadeFileSystem
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.filesystem import FileSystemKind, mkfs_argv

from raidwright_helper.host.arrays import PinnedArray, hold_empty, pin_filled
from raidwright_helper.host.guards import Exclusive
from raidwright_helper.host.host import Host
from raidwright_helper.host.lvm import lowest_below
from raidwright_helper.host.runner import run
from raidwright_helper.host.signatures import found_on, wipe
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job

_MKFS_SECONDS = 600.0
_EMPTY = say("A file system is only made on an array that holds nothing.")


@dataclass(frozen=True, slots=True)
class FileSystemRequest:
    """Request of MakeFileSystem."""

    array_uuid: str
    array_name: str
    kind: FileSystemKind
    label: str


@dataclass(frozen=True, slots=True)
class EmptyArray:
    """An empty array, held exclusively."""

    pinned: PinnedArray
    claim: Exclusive
    stripe: Stripe | None


@dataclass(frozen=True, slots=True)
class FileSystem:
    """The file system on an array."""

    kind: FileSystemKind
    uuid: str


async def prepare(host: Host, claims: Claims, request: FileSystemRequest, until: contextlib.ExitStack) -> EmptyArray:
    """Return the array, held until ``until`` closes; raises InputError, Busy, and DiskRefused if it isn't empty."""
    found = await pin_filled(host, claims, request.array_uuid, request.array_name, until)
    if host.attribute(found.device.number, "ro") == "1":
        raise DiskRefused("The array is read-only; make it writable first (mdadm --readwrite).", code="array-read-only")
    claim = await hold_empty(host, found.device, until, purpose=_EMPTY)
    return EmptyArray(found, claim, stripe_on(host, found.device.number))


def stripe_on(host: Host, number: int) -> Stripe | None:
    """Return the stripe of the array, or of the array below it, from md's sysfs attributes.

    Of a joined volume it is the first array's, where it begins.
    """
    if first := lowest_below(host, number):
        return stripe_on(host, first)
    level = host.attribute(number, "md/level")
    if level not in set(Level):
        return None
    return stripe_of(
        Level(level),
        int(host.attribute(number, "md/raid_disks") or 0),
        int(host.attribute(number, "md/chunk_size") or 0) // 1024,
        # md.h: the lowest byte of raid10's layout is the number of near copies
        near_copies=int(host.attribute(number, "md/layout") or 0) & 0xFF if level == Level.RAID10 else 1,
        inner=[stripe_on(host, slave) for slave in host.slaves(number)],
    )


async def make(host: Host, array: EmptyArray, request: FileSystemRequest, job: Job) -> MadeFileSystem:
    """Make the file system; if that fails the array is empty again. Raises JobFailed."""
    job.progress(JobStep.MKFS, 0.1)
    device, own_uuid = array.pinned.device, str(uuid.uuid4())
    argv = mkfs_argv(request.kind, device.node, uuid=own_uuid, label=request.label, stripe=array.stripe)
    array.claim.release()
    try:
        job.record.commands.append((await run(argv, limit_s=_MKFS_SECONDS)).command)
        job.progress(JobStep.READ_BACK, 0.9)
        made = await filesystem_on(device.node)
        if made != FileSystem(request.kind, own_uuid):
            raise JobFailed("The array doesn't carry the file system that was made.", code="mkfs-read-back")
    except (RaidwrightError, asyncio.CancelledError):
        await to_the_end(_clear(host, device.number, request.kind, job))
        raise
    return MadeFileSystem(
        device=device.node,
        kind=request.kind,
        filesystem_uuid=own_uuid,
        stripe_unit_kib=array.stripe.unit_kib if array.stripe else 0,
        stripe_width_kib=array.stripe.width_kib if array.stripe else 0,
        command=job.record.commands[-1],
        log=job.record.log,
        uuid=array.pinned.array.uuid,
    )


async def _clear(host: Host, number: int, kind: FileSystemKind, job: Job) -> None:
    """Remove what a failed mkfs has left: there was nothing else on the array."""
    begun = [one for one in await found_on(host.node(number)) if one.kind == kind]
    await wipe(host, number, begun, job.record.commands)


async def filesystem_on(node: str) -> FileSystem | None:
    """Return the file system on ``node``, if it is the only signature and of a kind that Raidwright makes."""
    found = {(one.kind, one.uuid) for one in await found_on(node)}
    if len(found) != 1:
        return None
    kind, own_uuid = found.pop()
    with contextlib.suppress(ValueError):
        return FileSystem(FileSystemKind(kind), str(uuid.UUID(own_uuid)))
    return None
