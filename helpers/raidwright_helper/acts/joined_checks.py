"""A joined volume checked as one: md checks each of its arrays, those that share disks one after the other."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass

from raidwright.core.errors import InputError
from raidwright.core.protocol import codec, facts
from raidwright.core.protocol.joined_checks import as_one

from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.host import Host
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records.checks import Checks, KeptCheck

from .replace_joined import pin_volume


@dataclass(frozen=True, slots=True)
class CheckedVolume:
    """A joined volume and those of its arrays that the act is about, all held."""

    volume: PinnedArray
    bands: tuple[PinnedArray, ...]


async def hold_startable(
    host: Host, claims: Claims, checks: Checks, array_of: tuple[str, str], until: contextlib.ExitStack
) -> CheckedVolume:
    """Return the volume and the arrays to check: those whose check is paused, else all with copies or parity.

    Raises InputError if there is nothing to compare, DiskRefused while md is busy with one or one lacks a member, Busy.
    """
    volume, bands, _ = await pin_volume(host, claims, array_of, [], until)
    own = [band for band in bands if host.attribute(band.array.number, "md/sync_action")]
    if not own:
        raise InputError(
            "The array {array} has no copies or parity to compare.", code="check-pointless", array=volume.label
        )
    await checks.reconcile()
    paused = [band for band in own if checks.is_paused(band.array.uuid)]
    for band in paused or own:
        checks.verify_may_start(band)
    return CheckedVolume(volume, tuple(paused or own))


async def hold_pausable(
    host: Host, claims: Claims, _checks: Checks, array_of: tuple[str, str], until: contextlib.ExitStack
) -> CheckedVolume:
    """Return the volume and the arrays that md checks, or will; raises InputError if there are none, Busy."""
    volume, bands, _ = await pin_volume(host, claims, array_of, [], until)
    own = tuple(band for band in bands if host.attribute(band.array.number, "md/sync_action") == "check")
    if not own:
        raise InputError("No check of {array} is running.", code="check-not-running", array=volume.label)
    return CheckedVolume(volume, own)


async def of_each(held: CheckedVolume, act: Callable[[PinnedArray], Awaitable[KeptCheck]]) -> facts.Check:
    """Do ``act`` with each array, the last one first; return the volume's check. Raises JobFailed.

    md begins a paused array's successor as soon as that is paused, so they are paused from the end.
    """
    kept = [await act(band) for band in reversed(held.bands)]
    array = held.volume.array
    return as_one(array.uuid, array.name, [told(check) for check in kept])


def told(check: KeptCheck) -> facts.Check:
    """Return a recorded check as it is told."""
    return codec.read(facts.Check, asdict(check))
