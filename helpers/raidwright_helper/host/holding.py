"""The disks of a plan, checked one after the other and held until mdadm takes over."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import UNKNOWN

from raidwright_helper.jobs.claims import Claims

from .extents import forget_all_cached
from .guards import (
    Exclusive,
    Pinned,
    lock_out_udev,
    person_name,
    pinned,
    verify_confirmed,
    verify_free,
    verify_identity,
    verify_no_writer,
    verify_not_listed,
)
from .host import Host
from .signatures import Signature, found_within
from .superblocks import arrays_kept_on
from .unknown import find_unknown

if TYPE_CHECKING:
    from .power import PowerStates


@dataclass(frozen=True, slots=True)
class HeldDisk:
    """A member of a plan, its device, the claim on it, and the signatures that may be erased."""

    member: Member
    device: Pinned
    claim: Exclusive
    found: tuple[Signature, ...]


async def pin_disks(
    host: Host, claims: Claims, members: Sequence[Member], until: contextlib.ExitStack
) -> tuple[Pinned, ...]:
    """Return the devices of ``members``, each verified, and locked against udev and other jobs.

    Raises DiskRefused for the first that differs, InputError for one named twice, Busy if another job has one.
    """
    for member in members:
        if member.id.startswith(("md-", "dm-")):
            raise DiskRefused(
                "{who} is not a disk of hardware.", code="disk-kind", disk=member.id, who=person_name(member)
            )
    devices = tuple(
        until.enter_context(pinned(host, f"/dev/disk/by-id/{member.id}", who=person_name(member))) for member in members
    )
    if len({device.number for device in devices}) < len(devices):
        raise InputError("The plan has a disk in it twice; each can serve once.", code="disk-twice")
    whole_disks = {host.whole(device.number) for device in devices}
    until.enter_context(claims.hold(whole_disks))
    await lock_out_udev(host, whole_disks, until)
    for member, device in zip(members, devices, strict=True):
        verify_identity(host, device.number, member)
    return devices


async def hold_disks(
    host: Host,
    claims: Claims,
    members: Sequence[Member],
    confirmed: Mapping[str, Collection[str]],
    until: contextlib.ExitStack,
) -> tuple[HeldDisk, ...]:
    """Return every disk of ``members`` checked and held until ``until`` closes, in their order.

    ``confirmed`` names, by disk, the signatures that may be erased. Raises as ``pin_disks`` and ``hold_pinned``.
    """
    devices = await pin_disks(host, claims, members, until)
    return await hold_pinned(host, members, devices, confirmed, until)


async def hold_pinned(
    host: Host,
    members: Sequence[Member],
    devices: Sequence[Pinned],
    confirmed: Mapping[str, Collection[str]],
    until: contextlib.ExitStack,
) -> tuple[HeldDisk, ...]:
    """Check and hold every disk that will be overwritten, until ``until`` closes.

    ``devices`` are those of ``members`` (``pin_disks``). Raises DiskRefused for the first that is in use, is named in
    fstab or crypttab, holds anything that isn't ``confirmed``, or is open for writing elsewhere.
    """
    held = []
    for member, device in zip(members, devices, strict=True):
        may_have_partitions = bool(set(confirmed.get(member.id, ())) - {UNKNOWN})
        verify_free(host, device.number, member, may_have_partitions=may_have_partitions)
        held.append(until.enter_context(Exclusive(host, device, person_name(member))))
    found = await asyncio.gather(*(found_anywhere(host, device) for device in devices))
    for member, device, signatures in zip(members, devices, found, strict=True):
        verify_confirmed(signatures, confirmed.get(member.id, ()), member)
        verify_not_listed(host, device.number, signatures, member)
    await verify_no_writer(host, zip(members, (device.number for device in devices), strict=True))
    return tuple(HeldDisk(*parts) for parts in zip(members, devices, held, found, strict=True))


async def found_anywhere(host: Host, device: Pinned, power: PowerStates | None = None) -> tuple[Signature, ...]:
    """Return the device's signatures, and the stopped arrays that need them (``arrays_kept_on``).

    Without any, return the first unrecognised bytes.
    """
    forget_all_cached(device.fd)
    if found := await found_within(host, device.number):
        return (*found, *await arrays_kept_on(host, device.number, found, power))
    unknown = await asyncio.to_thread(find_unknown, device.fd, host.size_bytes(device.number))
    return (unknown,) if unknown else ()


def describe(disks: Sequence[HeldDisk]) -> list[str]:
    """Return the disks' names for the journal and the build's log."""
    return [f"{Path(disk.device.node).name}: {person_name(disk.member)}" for disk in disks]
