"""A disk that joins a running joined volume in place of another: a slice of it in each array that lacks one.

The slices are worked out from the volume's arrays: one for each that lacks a member, or is to lose the old disk's, as
large as the slices there. So an act that was cut off is done again in the same way, and does what is left. Until the
first array has its slice the disk's old bytes can be restored, as of a disk that joins an array (``replace``); from
then on md rebuilds onto it, one array after the other.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.lvm.bands import slice_of
from raidwright.core.lvm.joined import begins_of
from raidwright.core.md.mdadm import inner_name
from raidwright.core.messages import say, sentences
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import BuildStep
from raidwright.core.protocol.results import Joined

from raidwright_helper.host import bad_blocks, md, members
from raidwright_helper.host.arrays import PinnedArray, find_filled, verify_shape_stays
from raidwright_helper.host.extents import END_BYTES, Extent
from raidwright_helper.host.guards import (
    Exclusive,
    Pinned,
    person_name,
    pinned,
    verify_confirmed,
    verify_free,
    verify_no_writer,
)
from raidwright_helper.host.holding import HeldDisk, hold_pinned, pin_disks
from raidwright_helper.host.host import Host
from raidwright_helper.host.members import HeldMember
from raidwright_helper.host.signatures import found_on, found_within, wipe
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records.backup import put_back
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds

from . import replace, undo_joined
from .build import to_save
from .create import all_or_nothing
from .create_joined import hold_slice, write_table
from .joining_slices import JoiningSlice, besides, cut, fitting, slice_bytes, slices_on, wanted_sets
from .saving_slices import forget_saved, save_slice
from .undo import announce

_FAILURE = say("The disk could not join the volume.")
_AS_BEFORE = say("What it held at the places that were written to is back on it.")
_AGAIN = say("Give the volume this disk once more: what is left is done then.")


@dataclass(frozen=True, slots=True)
class Exchange:
    """The disk that joins a volume, the names of what may be erased on it, and the disk that it replaces, if given."""

    new: Member
    confirmed: Collection[str]
    old: Member | None = None


@dataclass(frozen=True, slots=True)
class JoiningVolumeDisk:
    """A volume and the disk that joins it, both held.

    ``disk`` gets a partition table of the slices. It is None for a disk that is in some of the arrays already, whose
    free partitions are the ``parts``, one a slice. ``record`` is that of an attempt that was cut off before.
    ``further`` are slices after these, whose arrays are yet to be made.
    """

    volume: PinnedArray
    member: Member
    device: Pinned
    slices: tuple[JoiningSlice, ...]
    disk: HeldDisk | None = None
    parts: tuple[HeldDisk, ...] = ()
    record: Build | None = None
    further: tuple[Member, ...] = ()

    @property
    def who(self) -> str:
        """The new disk's name for people."""
        return person_name(self.member)


async def hold_newcomer(
    host: Host,
    claims: Claims,
    builds: Builds,
    array_of: tuple[str, str],
    meant: Exchange,
    until: contextlib.ExitStack,
) -> JoiningVolumeDisk:
    """Return the volume of this UUID and name, and the disk that may join it; raises InputError, DiskRefused, Busy."""
    new, old = meant.new, meant.old
    volume, bands, devices = await pin_volume(host, claims, array_of, [new, *([old] if old else [])], until)
    device = devices[0]
    leaving = slices_on(host, bands, devices[1], old, until) if old else {}
    inside = {band.array.number for band in bands if device.number in host.leaves(band.array.number)}
    sets = [besides(wanted, inside) for wanted in wanted_sets(host, bands, leaving)]
    if not sets or not sets[0]:
        raise InputError(
            "No array of {array} lacks a slice that {who} could take.",
            code="nothing-missing",
            array=volume.label,
            who=person_name(new),
        )
    for band in sets[0]:
        replace.verify_takes_members(host, band)
        await bad_blocks.verify_takes_newcomer(host, band)
        replace.verify_sectors(host, band, new, device)
        if (slice_ := leaving.get(band.array.number)) is not None:
            replace.verify_may_be_replaced(host, slice_)
    if inside:
        slices, parts = await _free_parts(host, volume, sets[0], leaving, meant, device, until)
        return JoiningVolumeDisk(volume, new, device, slices, parts=parts)
    slices = tuple(cut(host, fitting(host, volume, sets, new, device), leaving, new))
    disk, record = await hold_new(host, builds, new, device, meant.confirmed, until)
    return JoiningVolumeDisk(volume, new, device, slices, disk, record=record)


async def hold_new(
    host: Host, builds: Builds, new: Member, device: Pinned, confirmed: Collection[str], until: contextlib.ExitStack
) -> tuple[HeldDisk, Build | None]:
    """Return the disk that is in no array, held, and the record of an attempt that was cut off; raises DiskRefused."""
    if (record := await _cut_off(host, builds, new, device)) is not None:
        verify_free(host, device.number, new, may_have_partitions=True)
        await verify_no_writer(host, ((new, device.number),))
        claim = until.enter_context(Exclusive(host, device, person_name(new)))
        return HeldDisk(new, device, claim, await found_within(host, device.number)), record
    [disk] = await hold_pinned(host, (new,), (device,), {new.id: confirmed}, until)
    return disk, None


async def pin_volume(
    host: Host,
    claims: Claims,
    array_of: tuple[str, str],
    disks: Sequence[Member],
    until: contextlib.ExitStack,
    *,
    may_reshape: bool = False,
) -> tuple[PinnedArray, Sequence[PinnedArray], Sequence[Pinned]]:
    """Return the volume, its arrays in their order, and the whole ``disks``, all held."""
    volume = await find_filled(host, *array_of, until)
    number = volume.array.number
    found = [await md.read_array(host, band) for band in host.slaves(number)]
    by_name = {array.name: array for array in found}
    names = [inner_name(volume.array.name, place) for place in range(len(found))]
    if set(names) != set(by_name):
        raise DiskRefused(
            "The arrays of {array} aren't called {names:and}, so it isn't a joined volume as Raidwright makes one.",
            code="array-in-use",
            array=volume.label,
            names=names,
        )
    bands = []
    for name in names:
        node = by_name[name].node
        bands.append(PinnedArray(by_name[name], until.enter_context(pinned(host, node, who=node))))
    await members.settle()
    devices = await pin_disks(host, claims, disks, until)
    others = {number, *host.slaves(number), *host.leaves(number)} - {device.number for device in devices}
    until.enter_context(claims.hold(others))
    for device, disk in zip(devices, disks, strict=True):
        if not host.is_disk(device.number):
            raise InputError("{who} isn't a whole disk.", code="disk-kind", disk=disk.id, who=person_name(disk))
    for band in bands:
        members.verify_not_failed(host, band)
        if not may_reshape:
            verify_shape_stays(host, band)
    return volume, bands, devices


async def _free_parts(
    host: Host,
    volume: PinnedArray,
    bands: Sequence[PinnedArray],
    leaving: Mapping[int, HeldMember],
    meant: Exchange,
    device: Pinned,
    until: contextlib.ExitStack,
) -> tuple[tuple[JoiningSlice, ...], tuple[HeldDisk, ...]]:
    """Return the slices of a disk that is in some of the arrays already, and its free partitions for them, held."""
    new = meant.new
    await verify_no_writer(host, ((new, device.number),))
    free = [part for part in host.partitions(device.number) if not host.holders(part)]
    free.sort(key=lambda part: host.partition(part) or 0)
    slices, parts = [], []
    for band in bands:
        size = slice_bytes(host, band)
        part = next((one for one in free if host.size_bytes(one) >= size), None)
        if part is None:
            raise DiskRefused(
                "{who} is in {array} already, and has no free partition of {size} bytes for its array “{band}”. "
                "Choose another disk.",
                code="disk-shared",
                disk=new.id,
                who=person_name(new),
                array=volume.label,
                size=size,
                band=band.array.name,
            )
        free.remove(part)
        member = slice_of(new, host.partition(part) or 0, host.size_bytes(part))
        verify_free(host, part, member)
        held = hold_slice(host, part, member, until)
        found = await found_on(held.device.node)
        verify_confirmed(found, meant.confirmed, member)
        slices.append(JoiningSlice(band, member, leaving.get(band.array.number)))
        parts.append(HeldDisk(member, held.device, held.claim, found))
    return tuple(slices), tuple(parts)


async def _cut_off(host: Host, builds: Builds, new: Member, device: Pinned) -> Build | None:
    """Return the record of an attempt with this disk that was cut off, if the disk is as that left it."""
    for build in builds.all():
        if build.joined and new.id in build.tables and build.has_way_back:
            try:
                await undo_joined.verify_untouched(host, builds, build, [device])
            except (DiskRefused, InputError):
                continue
            return build
    return None


async def join(host: Host, builds: Builds, held: JoiningVolumeDisk, uid: int, log: list[str]) -> Joined:
    """Make the disk's slices and add each to its array; raises JobFailed.

    This must not be interrupted: the caller waits for its end (``to_the_end``).
    """
    takes_over = any(one.old and members.place_of(host, one.old).works for one in held.slices)
    try:
        with contextlib.ExitStack() as until:
            if held.disk is not None:
                parts = await take_in(host, builds, held, held.disk, uid, log, until)
            else:
                parts = held.parts
                for part in parts:
                    await save_slice(host, builds, held.volume, part, uid, until)
            await _add_rest(host, held, parts, log)
    finally:
        forget_saved(host, builds, [one.array.array.number for one in held.slices])
        for one in held.slices:
            host.announce(one.array.array.number)  # no wait for udev: it waits for the disk, which we hold
    return Joined.TAKES_OVER if takes_over else Joined.REBUILDS


async def take_in(
    host: Host,
    builds: Builds,
    held: JoiningVolumeDisk,
    disk: HeldDisk,
    uid: int,
    log: list[str],
    until: contextlib.ExitStack,
) -> Sequence[HeldDisk]:
    """Write the partition table, and add the first slice to its array; return the slices. Raises JobFailed.

    As of a disk that joins an array its record is removed once md has the slice, or once its old bytes are restored; it
    stays where all arrays of the slices are yet to be made.
    """
    slices = (*(one.member for one in held.slices), *held.further)
    marks = [mark for begin, one in zip(begins_of(slices), slices, strict=True) for mark in _marks(begin, one)]
    build = held.record or await builds.begin(
        held.volume.array.name, uid, [to_save(host, disk, marks)], synchronises=False
    )
    first = held.slices[0] if held.slices else None
    joins = first.array if first else held.volume

    async def take_back() -> None:
        until.close()  # an open partition keeps the kernel from reading the old table
        disk.claim.release()
        with Exclusive(host, held.device, held.who, writable=True) as claim:
            await asyncio.to_thread(put_back, claim.fd, build.members[0].saved, builds.folder_of(build.id), held.who)
        announce(host, held.device)

    left: Sequence[str] = ()
    is_kept = False
    with builds.running(build.id):
        try:
            async with all_or_nothing(take_back, failure=_FAILURE, consolation=_AS_BEFORE) as left:
                table = build.tables.get(disk.member.id) or str(uuid.uuid4())
                if held.record is None:
                    builds.note(build.id, BuildStep.JOIN, disk=disk.member.id, uuid=joins.array.uuid)
                    builds.note(build.id, BuildStep.PARTITION, tables={disk.member.id: table})
                disk.claim.release()  # wipefs and sfdisk open it exclusively themselves
                await wipe(host, held.device.number, disk.found, log)
                parts = await write_table(host, disk, slices, table, log, until)
                if first:
                    await add(first, parts[0], log)
                is_kept = not first
        except (RaidwrightError, asyncio.CancelledError):
            is_kept = bool(left)
            raise
        finally:
            if not is_kept:
                with contextlib.suppress(RaidwrightError):  # else when the helper ends (``drop_joined``)
                    builds.drop(build.id)
    return parts


def _marks(begin_bytes: int, one: Member) -> Iterator[Extent]:
    """Yield what is written of a slice before md has it: both of its ends."""
    yield Extent(begin_bytes, END_BYTES)
    tail = min(one.size_bytes, END_BYTES)
    yield Extent(begin_bytes + one.size_bytes - tail, tail)


async def _add_rest(host: Host, held: JoiningVolumeDisk, parts: Sequence[HeldDisk], log: list[str]) -> None:
    """Add the slices that aren't in their arrays, and have the old disk's replaced; raises JobFailed."""
    for place, (one, part) in enumerate(zip(held.slices, parts, strict=True)):
        try:
            if part.device.number not in host.slaves(one.array.array.number):
                part.claim.release()  # wipefs and mdadm open it exclusively themselves
                await wipe(host, part.device.number, part.found, log)
                await add(one, part, log)
            await _let_old_leave(host, one, part, log)
        except RaidwrightError as error:
            done = say(
                "{count} of {all} slices of {who} are in their arrays.",
                count=place,
                all=len(held.slices),
                who=held.who,
            )
            raise JobFailed(sentences([done, error.sentence, _AGAIN]), code=error.code, **error.fields) from error


async def add(one: JoiningSlice, part: HeldDisk, log: list[str]) -> None:
    """Add the slice to its array; raises JobFailed."""
    part.claim.release()
    await replace.manage(replace.JoiningMember(one.array, one.member, part.device, part), "--add", log)


async def _let_old_leave(host: Host, one: JoiningSlice, part: HeldDisk, log: list[str]) -> None:
    """Have md copy the old disk's slice onto the new one if that works, else remove it."""
    if one.old is None:
        return
    if members.place_of(host, one.old).works:
        await replace.copy_over(replace.JoiningMember(one.array, one.member, part.device, part, one.old), log)
    else:
        await members.remove(host, one.old, log)


@dataclass(frozen=True, slots=True)
class LeavingDisk:
    """A volume and the slices of a disk that may leave its arrays, all held."""

    volume: PinnedArray
    slices: tuple[HeldMember, ...]


async def hold_leaver(
    host: Host, claims: Claims, array_of: tuple[str, str], disk: Member, until: contextlib.ExitStack
) -> LeavingDisk:
    """Return the volume and the disk's slices, none of which works any more; raises InputError, DiskRefused, Busy."""
    volume, bands, devices = await pin_volume(host, claims, array_of, [disk], until)
    slices = tuple(slices_on(host, bands, devices[0], disk, until).values())
    for one in slices:
        await members.verify_may_leave(host, one)
    return LeavingDisk(volume, slices)


async def remove(host: Host, held: LeavingDisk, log: list[str]) -> None:
    """Remove the disk's slices from their arrays; raises JobFailed."""
    for one in held.slices:
        await members.remove(host, one, log)


def missing(host: Host, volume: PinnedArray) -> int:
    """Return the largest number of slots without a working member of any of the volume's arrays."""
    return max(members.missing(host, band) for band in host.slaves(volume.array.number))


def joined_by(host: Host, held: JoiningVolumeDisk) -> int:
    """Return the number of the volume's arrays that the disk is in."""
    bands = host.slaves(held.volume.array.number)
    return sum(held.device.number in host.leaves(band) for band in bands)
