"""A disk of a joined volume marked as failed, or taken back, as a whole: all of its slices in the volume's arrays.

Each array has a superblock of its own on its slice, so a former disk is known by those that name the volume's arrays.
A slice that its array still lists as failed is removed from it first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.messages import say, sentences
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import CameBack

from raidwright_helper.host import bad_blocks, md, members
from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.guards import person_name, pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.members import HeldMember
from raidwright_helper.host.runner import run
from raidwright_helper.jobs.claims import Claims

from .joining_slices import slices_on
from .replace_joined import pin_volume

_LIMIT_SECONDS = 60.0
_AGAIN = say("Say this once more: what is left is done then.")
_WAYS = (CameBack.REBUILDS, CameBack.SPARE, CameBack.CAUGHT_UP)  # the first that holds for a slice is the disk's


@dataclass(frozen=True, slots=True)
class HeldSlices:
    """A joined volume and the slices of a disk that are acted on, all held. ``failed`` are still in their arrays."""

    volume: PinnedArray
    member: Member
    slices: tuple[HeldMember, ...]
    failed: tuple[HeldMember, ...] = ()


async def hold_failing(
    host: Host, claims: Claims, array_of: tuple[str, str], disk: Member, until: contextlib.ExitStack
) -> HeldSlices:
    """Return the disk's slices that haven't failed; raises InputError if all have, DiskRefused if data would be lost.

    Also raises Busy.
    """
    volume, bands, devices = await pin_volume(host, claims, array_of, [disk], until)
    found = slices_on(host, bands, devices[0], disk, until).values()
    slices = tuple(one for one in found if "faulty" not in members.place_of(host, one).flags)
    if not slices:
        raise InputError("{who} has failed already; remove it next.", code="member-failed", who=person_name(disk))
    for one in slices:
        await members.verify_may_fail(host, one)
    return HeldSlices(volume, disk, slices)


async def hold_returning(
    host: Host, claims: Claims, array_of: tuple[str, str], disk: Member, until: contextlib.ExitStack
) -> HeldSlices:
    """Return the slices of a former disk of the volume, free and carrying nothing else; raises as ``hold_failing``."""
    volume, bands, devices = await pin_volume(host, claims, array_of, [disk], until)
    device = devices[0]
    by_uuid = {band.array.uuid: band for band in bands}
    failed = _failed_slices(host, bands, device.number, disk, until)
    slices = [*failed.values()]
    for part in host.partitions(device.number):
        if host.holders(part):
            continue
        node = host.node(part)
        band = by_uuid.get(await _array_of(node))
        if band is not None and device.number not in _wholes(host, band):
            held = HeldMember(band, disk, until.enter_context(pinned(host, node, who=person_name(disk))))
            await members.verify_may_return(host, held)
            slices.append(held)
    if slices:
        return HeldSlices(volume, disk, tuple(slices), tuple(failed.values()))
    if any(device.number in _wholes(host, band) for band in bands):
        raise InputError(
            "{who} is in {array}; a failed one is removed first.",
            code="member-present",
            who=person_name(disk),
            array=volume.label,
        )
    raise DiskRefused(
        "{who} was a member of another array than {array}.",
        code="disk-other-array",
        disk=disk.id,
        who=person_name(disk),
        array=volume.label,
    )


def _failed_slices(
    host: Host, bands: Sequence[PinnedArray], disk: int, member: Member, until: contextlib.ExitStack
) -> Mapping[int, HeldMember]:
    """Return the slices on the disk that their arrays list as failed, by the array's device number."""
    found = {}
    for band in bands:
        for place in members.places(host, band.array.number):
            if host.whole(place.number) == disk and "faulty" in place.flags:
                node = host.node(place.number)
                device = until.enter_context(pinned(host, node, who=person_name(member)))
                found[band.array.number] = HeldMember(band, member, device)
    return found


def _wholes(host: Host, band: PinnedArray) -> set[int]:
    """Return the disks that the array has slices on, working or failed."""
    return {host.whole(place.number) for place in members.places(host, band.array.number)}


async def _array_of(node: str) -> str:
    """Return the UUID of the array in the partition's superblock; "" if it has none."""
    finished = await run((md.MDADM, "--examine", "--export", node), limit_s=_LIMIT_SECONDS, accept=(0, 1))
    return md.exported(finished.output).get("MD_UUID", "")


async def fail(host: Host, held: HeldSlices, log: list[str]) -> None:
    """Mark the disk as failed in each array; raises JobFailed."""
    for place, one in enumerate(held.slices):
        try:
            await members.fail(host, one, log)
        except RaidwrightError as error:
            raise _half_done(held, place, error) from error


async def re_add(host: Host, held: HeldSlices, log: list[str]) -> CameBack:
    """Take each slice back into its array, as ``members.re_add``; raises JobFailed."""
    ways = []
    for place, one in enumerate(held.slices):
        try:
            if one in held.failed:
                await members.remove(host, one, log)
            ways.append(await bad_blocks.re_add(host, one, log))
        except RaidwrightError as error:
            raise _half_done(held, place, error) from error
        finally:
            host.announce(one.array.array.number)
    return next(way for way in _WAYS if way in ways)


def _half_done(held: HeldSlices, place: int, error: RaidwrightError) -> JobFailed:
    done = say(
        "{count} of {all} slices of {who} are done.", count=place, all=len(held.slices), who=person_name(held.member)
    )
    return JobFailed(sentences([done, error.sentence, _AGAIN]), code=error.code, **error.fields)
