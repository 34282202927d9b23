"""A joined volume grows onto the room that its disks have, and new ones: its arrays widen, and new ones are made above.

What is left is computed from the volume itself (``core.md.changes.volumes``): a slice that is a spare of its array has
joined, an array under the volume's next name is made. So whoever asks again after a crash continues. First all slices
join, then each array is changed as any other (``change``), which waits for md; new arrays, LVM and what is on the
volume come last.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, JobFailed, RaidwrightError
from raidwright.core.layers.commands import create_commands
from raidwright.core.lvm.bands import slice_of
from raidwright.core.lvm.joined import VOLUME, begins_of, data_start_sectors, slices_of
from raidwright.core.lvm.values import VolumeGrowth, VolumeStep, VolumeWay
from raidwright.core.lvm.volume_changes import VolumeStanding, volume_way
from raidwright.core.md.changes.standing import standing_from
from raidwright.core.md.changes.values import ChangeKind, ChangeStep, ChangeWish
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import array_path, inner_name
from raidwright.core.model.plan import JOINED, LinearVolume, Member
from raidwright.core.protocol.results import ArrayChanged
from raidwright.core.protocol.steps import JobStep

from raidwright_helper.host import bad_blocks, lvm, md, members
from raidwright_helper.host.array_entries import entries_of
from raidwright_helper.host.array_plan import ground_of, plan_now
from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.guards import Pinned, pinned
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.lvm_table import verify_linear
from raidwright_helper.host.running_state import reshapes
from raidwright_helper.host.signatures import found_on, wipe
from raidwright_helper.jobs.claims import SYSTEM_FILES, Claims
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds

from . import change, configuration
from .appending import SliceRoom, hold_slices, verify_room
from .change import ChangeRequest
from .change_step import HeldChange, Kept, verify_possible
from .create import create_each, read_back
from .joining_slices import JoiningSlice
from .replace_joined import JoiningVolumeDisk, add, hold_new, pin_volume, take_in
from .saving_slices import forget_saved, save_slice

_WIDEN, _MADE, _JOINED = 0.1, 0.9, 0.95  # fractions of the job at which these begin


@dataclass(frozen=True, slots=True)
class NewDisk:
    """A disk that is in none of the volume's arrays, held, and the record of an attempt that was cut off."""

    disk: HeldDisk
    record: Build | None


@dataclass(slots=True)
class HeldGrowth:
    """A volume and the disks that join it, all held. ``bands`` are its arrays, and those made for it already."""

    volume: PinnedArray
    bands: list[PinnedArray]
    wish: ChangeWish
    devices: Mapping[str, Pinned]  # of the added disks, by id
    wiped: Mapping[str, Sequence[str]]
    until: contextlib.ExitStack
    new: dict[str, NewDisk] = field(default_factory=dict)

    @property
    def disks(self) -> Mapping[int, Member]:
        """The added disks by device number."""
        return {self.devices[disk.id].number: disk for disk in self.wish.add}


async def hold(
    host: Host,
    claims: Claims,
    builds: Builds,
    request: ChangeRequest,
    goal: VolumeGrowth,
    until: contextlib.ExitStack,
) -> HeldGrowth:
    """Return the volume and its new disks, held until ``until`` closes; raises InputError, DiskRefused, Busy."""
    array_of = (request.array_uuid, request.array_name)
    volume, bands, devices = await pin_volume(host, claims, array_of, goal.add, until, may_reshape=True)
    await verify_linear(host, volume)
    added = [
        replace(disk, sector_bytes=4096 if host.sector_bytes(device.number) == 4096 else None)
        for disk, device in zip(goal.add, devices, strict=True)
    ]
    wish = ChangeWish(add=tuple(added), larger=goal.larger)
    by_id = {disk.id: device for disk, device in zip(added, devices, strict=True)}
    held = HeldGrowth(volume, [*bands], wish, by_id, request.wipe, until)
    held.bands += [made async for made in _made(host, held)]
    inside = frozenset().union(*(host.leaves(band.array.number) for band in held.bands))
    for disk in added:
        device = by_id[disk.id]
        if device.number not in inside:
            held.new[disk.id] = NewDisk(
                *await hold_new(host, builds, disk, device, request.wipe.get(disk.id, ()), until)
            )
    if not any(reshapes(host, band.array.number) for band in held.bands):  # else they are waited for first
        way = await way_left(host, held, waits=True)
        verify_possible(way, volume)
        for join in _joins(held, way).values():
            await bad_blocks.verify_takes_newcomer(host, join.array)
        for room in _rooms(held, way).values():
            await verify_room(host, room, held.wiped)
    return held


async def _made(host: Host, held: HeldGrowth) -> AsyncIterator[PinnedArray]:
    """Yield the arrays that were made for the volume and aren't in it yet; raises DiskRefused for somebody else's."""
    name, disks = held.volume.array.name, host.leaves(held.volume.array.number) | held.disks.keys()
    for place in itertools.count(len(held.bands)):
        path = array_path(inner_name(name, place))
        number = host.number_of(path)
        if number is None:
            return
        if not host.leaves(number) <= disks or host.holders(number):
            raise DiskRefused(
                "There is an array called “{name}” already that isn't of this volume; rename it first.",
                code="name-taken",
                name=inner_name(name, place),
            )
        device = held.until.enter_context(pinned(host, host.node(number), who=path))
        yield PinnedArray(await md.read_array(host, number), device)


async def way_left(host: Host, held: HeldGrowth, *, waits: bool = False) -> VolumeWay:
    """Return the way from the volume as it is to its goal; with ``waits``, as if md were idle."""
    grounds = [await ground_of(host, band) for band in held.bands]
    above = standing_from(await ground_of(host, held.volume))
    standings = [standing_from(ground) for ground in grounds]
    if waits:
        standings = [replace(one, busy="", reshapes=False) for one in standings]
    standing = VolumeStanding(
        bands=tuple(standings),
        starts=tuple(ground.start_sectors for ground in grounds),
        content=above.content,
        size_sectors=above.size_sectors,
    )
    return volume_way(plan_of_volume(host, held), held.wish, standing)


def plan_of_volume(host: Host, held: HeldGrowth) -> LinearVolume:
    """Return the volume as it is; its disks have their kernel names, except those that are added."""
    bands = []
    for band in held.bands:
        known = {}
        for place in members.places(host, band.array.number):
            whole, number = host.whole(place.number), host.partition(place.number)
            disk = held.disks.get(whole) or _disk(host, whole)
            known[place.number] = slice_of(disk, number or 0, host.size_bytes(place.number))
        bands.append(plan_now(host, band, known))
    homehost = host.udev(held.bands[0].array.number).properties.get("MD_NAME", "").rpartition(":")[0]
    return LinearVolume(tuple(bands), held.volume.array.name, homehost)


def _disk(host: Host, whole: int) -> Member:
    sector = host.sector_bytes(whole)
    return Member(host.kernel_name(whole), host.size_bytes(whole), sector_bytes=sector if sector != 512 else None)


async def grow(host: Host, records: Kept, held: HeldGrowth, uid: int, job: Job) -> ArrayChanged:
    """Take the steps that are left, to the end; raises JobFailed, DiskRefused."""
    builds = records.builds
    for band in held.bands:
        await change.write_enable(host, band, job)
        await change.until_idle(host, band, job.part(0.0, 0.0))
    way = await way_left(host, held)
    verify_possible(way, held.volume)
    with contextlib.ExitStack() as until:
        parts = await to_the_end(_join(host, builds, held, way, uid, job, until))
        for part in parts.values():
            part.claim.release()
        await _widen(host, records, held, uid, job)
        await to_the_end(_create(host, builds, held, way, parts, job))
    unnamed = await _name_arrays(host, records, held, job)
    await to_the_end(_extend(host, held, job))
    grown = ""
    way = await way_left(host, held, waits=True)
    if any(step.kind is ChangeKind.GROW_CONTENT and isinstance(step, VolumeStep) for step in way.steps):
        grown = await change.grow_content(host, held.volume, job.part(_JOINED, 0.05))
    number = held.volume.array.number
    for array in (*held.bands, held.volume):
        host.announce(array.array.number)
    if unnamed is not None:
        raise JobFailed(
            "{array} has grown, but mdadm.conf doesn't name all of its arrays: {sentence}",
            code="effect",
            log=job.record.commands,
            array=held.volume.label,
            sentence=unnamed.sentence,
        ) from unnamed
    return ArrayChanged(
        uuid=held.volume.array.uuid,
        level=JOINED,
        slots=len(host.leaves(number)),
        array_sectors=host.size_bytes(number) // 512,
        component_size_kib=0,
        content=grown,
        log=job.record.log,
    )


async def _join(
    host: Host, builds: Builds, held: HeldGrowth, way: VolumeWay, uid: int, job: Job, until: contextlib.ExitStack
) -> Mapping[str, HeldDisk]:
    """Make all slices, and add each to its array, if that is made; return the new slices by id. Raises JobFailed."""
    job.progress(JobStep.PARTITION, 0.0)
    log, parts = job.record.commands, dict[str, HeldDisk]()
    joins, rooms = _joins(held, way), _rooms(held, way)

    async def save(part: HeldDisk) -> None:
        await save_slice(host, builds, held.volume, part, uid, until)

    for step in way.steps:
        if step.kind is not ChangeKind.PARTITION:
            continue
        new = held.new.get(step.disks[0].failure_unit)
        if new is not None:
            own = tuple(joins[one.id] for one in step.disks if one.id in joins)
            further = tuple(one for one in step.disks if one.id not in joins)
            joining = JoiningVolumeDisk(
                held.volume, new.disk.member, new.disk.device, own, new.disk, (), new.record, further
            )
            made = await take_in(host, builds, joining, new.disk, uid, log, until)
        else:
            made = await hold_slices(host, rooms[step.disks[0].failure_unit], held.wiped, save, log, until)
        parts |= {part.member.id: part for part in made}
    for name, join in joins.items():
        if (part := parts.get(name)) is not None and part.device.number not in host.slaves(join.array.array.number):
            part.claim.release()
            await wipe(host, part.device.number, part.found, log)
            await add(join, part, log)
    forget_saved(host, builds, [band.array.number for band in held.bands])
    for band in held.bands:
        host.announce(band.array.number)
    return parts


def _joins(held: HeldGrowth, way: VolumeWay) -> Mapping[str, JoiningSlice]:
    """Return the new slices of arrays that are there, by id, with their arrays."""
    given = {one.id for step in way.steps if step.kind is ChangeKind.PARTITION for one in step.disks}
    return {
        one.id: JoiningSlice(band, one, None)
        for band, plan in zip(held.bands, way.after.arrays, strict=False)
        for one in plan.disks()
        if one.id in given
    }


def _rooms(held: HeldGrowth, way: VolumeWay) -> Mapping[str, SliceRoom]:
    """Return, by disk, the places of the new slices on disks that are in the volume already."""
    rooms = {}
    for step in way.steps:
        if step.kind is ChangeKind.PARTITION and (disk := step.disks[0].failure_unit) not in held.new:
            own, new = slices_of(way.after)[disk], {one.id for one in step.disks}
            begins = zip(own, begins_of(own), strict=True)
            placed = [(one, begin) for one, begin in begins if one.id in new]
            rooms[disk] = SliceRoom(_whole_node(held, step.disks[0]), placed, disk in held.devices)
    return rooms


def _whole_node(held: HeldGrowth, one: Member) -> str:
    """Return the node of the whole disk of the slice."""
    device = held.devices.get(one.failure_unit)
    return device.node if device else f"/dev/{one.failure_unit.replace('!', '/')}"


async def _widen(host: Host, kept: Kept, held: HeldGrowth, uid: int, job: Job) -> None:
    """Change each array that has new slices as its spares, and have LVM see its new end."""
    way = await way_left(host, held, waits=True)
    after = way.after.arrays
    share = (_MADE - _WIDEN) / len(held.bands)
    for place, band in enumerate(held.bands):
        now = plan_of_volume(host, held).arrays[place]
        wish = ChangeWish(add=now.spares, level=after[place].level, slots=len(after[place].members))
        if host.attribute(band.array.number, "md/level") == Level.RAID1 == wish.level:
            continue
        devices = {one.id: _part(host, band, one, held) for one in now.spares}
        one = HeldChange(band, wish, devices, {})
        await change.take_steps(host, kept, one, uid, job.part(_WIDEN + place * share, share))


def _part(host: Host, band: PinnedArray, one: Member, held: HeldGrowth) -> Pinned:
    """Return the slice, which is in the array."""
    for place in members.places(host, band.array.number):
        whole = host.whole(place.number)
        disk = held.disks.get(whole) or _disk(host, whole)
        if (disk.id, host.partition(place.number)) == (one.failure_unit, one.partition):
            return held.until.enter_context(pinned(host, host.node(place.number), who=one.id))
    raise DiskRefused("{who} has left the array meanwhile.", code="change-left", who=one.id)


async def _create(
    host: Host, builds: Builds, held: HeldGrowth, way: VolumeWay, parts: Mapping[str, HeldDisk], job: Job
) -> None:
    """Make the new arrays; then md has all disks, and their records go. Raises JobFailed."""
    job.progress(JobStep.CREATE, _MADE)
    for step in way.steps:
        if step.kind is not ChangeKind.CREATE or not isinstance(step, ChangeStep):
            continue
        band, own = step.after, [parts[one.id] for one in step.disks]
        for part in own:
            part.claim.release()
            await wipe(host, part.device.number, part.found, job.record.commands)
        commands = create_commands(band, lambda one: parts[one.id].device.node, uuids=iter([md.new_uuid()]), asks=False)
        await create_each(commands, job.part(_MADE, 0.05), share=0.9)
        array = await read_back(host, band, own)
        await wipe(host, array.number, await found_on(array.node), job.record.commands)  # what the disks held
        device = held.until.enter_context(pinned(host, array.node, who=array.node))
        held.bands.append(PinnedArray(array, device))
    forget_saved(host, builds, [band.array.number for band in held.bands])
    for build in builds.all():
        if build.joined == held.volume.array.uuid and build.tables.keys() & held.devices.keys() and build.has_way_back:
            builds.drop(build.id)


async def _name_arrays(host: Host, records: Kept, held: HeldGrowth, job: Job) -> RaidwrightError | None:
    """Have mdadm.conf name all arrays if it names one; return what kept it from that, which is told at the end."""
    try:
        with records.claims.hold({SYSTEM_FILES}):
            entries = [entry for band in held.bands async for entry in entries_of(host, band.array.number)]
            await configuration.keep_named(records.changes, held.volume.array.name, entries, job)
    except RaidwrightError as error:
        return error
    return None


async def _extend(host: Host, held: HeldGrowth, job: Job) -> None:
    """Have LVM's group take the new arrays, and its volume all that is free; raises JobFailed, DiskRefused."""
    job.progress(JobStep.VOLUME, _JOINED)
    log, name = job.record.commands, held.volume.array.name
    groups = await lvm.groups_on(host, [held.bands[0].array.number], log)
    if len(groups) != 1:
        raise _other_group(held)
    [(uuid, inside)] = groups.items()
    select = (f"--select=vg_uuid={uuid}",)
    told = (await lvm.run_lvm(("vgs", "--noheadings", "--options=vg_name,lv_count", *select), log)).split()
    if told != [name, "1"] or not set(inside) <= {band.array.number for band in held.bands}:
        raise _other_group(held)
    plans = (await way_left(host, held, waits=True)).after.arrays
    for place, band in enumerate(held.bands):
        if band.array.number not in inside:
            start = f"--dataalignment={data_start_sectors(plans[place])}s"
            await lvm.run_lvm(("pvcreate", "--yes", start, band.device.node), log)
            await lvm.run_lvm(("vgextend", "--yes", name, band.device.node), log)
    free = (await lvm.run_lvm(("vgs", "--noheadings", "--options=vg_free_count", *select), log)).strip()
    if free != "0":
        await lvm.run_lvm(("lvextend", "--extents=+100%FREE", f"{name}/{VOLUME}"), log)


def _other_group(held: HeldGrowth) -> DiskRefused:
    return DiskRefused(
        "LVM's group of {array} has other volumes or other arrays than Raidwright made; it isn't grown.",
        code="array-held",
        array=held.volume.label,
    )
