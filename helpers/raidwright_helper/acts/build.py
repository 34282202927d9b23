"""A real build: overwritten bytes are saved first, each step is logged before it begins, a failure is undone."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from raidwright.core.errors import RaidwrightError
from raidwright.core.layers.commands import create_commands
from raidwright.core.model.plan import Layer, MdArray
from raidwright.core.protocol.facts import BuildStep
from raidwright.core.protocol.steps import JobStep

from raidwright_helper.host import md
from raidwright_helper.host.extents import Extent
from raidwright_helper.host.fingerprint import fingerprint
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import wipe
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds, ToSave

from .create import BuildOrder, all_or_nothing, data_heads, make_array, verify_sound
from .create_joined import make_joined, slice_marks
from .undo import restore


async def build_array(host: Host, builds: Builds, order: BuildOrder, job: Job) -> tuple[md.RunningArray, Build]:
    """Save, wipe the confirmed signatures, create the array; raises JobFailed, with the disks' old bytes restored."""
    job.progress(JobStep.SAVE, 0.0)
    plan, log, slices = order.plan, job.record.commands, contextlib.ExitStack()
    build = await builds.begin(plan.name, order.uid, _to_save(host, order), synchronises=synchronises(plan.top))

    async def take_back() -> None:
        for disk in order.disks:  # restoring claims each disk again, for writing
            disk.claim.release()
        slices.close()  # an open partition keeps the kernel from reading the old table
        await restore(host, builds, build, [disk.device for disk in order.disks], log)

    with builds.running(build.id), slices:
        left: Sequence[str] = ()
        try:
            async with all_or_nothing(take_back) as left:
                await _wipe(host, builds, build, order.disks, job)
                if plan.volume:
                    array = await make_joined(host, builds, build, order, job, slices)
                else:
                    array = await _make(host, builds, build, order, job)
        except (RaidwrightError, asyncio.CancelledError):
            with contextlib.suppress(
                RaidwrightError
            ):  # without the note it reads as interrupted, which can be undone too
                builds.note(build.id, BuildStep.FAILED, left=list(left))
            raise
    return array, build


async def _make(host: Host, builds: Builds, build: Build, order: BuildOrder, job: Job) -> md.RunningArray:
    uuids = [md.new_uuid() for _ in create_commands(order.plan.top)]
    builds.note(build.id, BuildStep.CREATE, uuids=uuids)
    array = await make_array(host, order.plan, order.disks, job, homehost=order.homehost, uuids=uuids)
    mark = await fingerprint(host, array, synchronises=build.synchronises)
    verify_sound(host, array.number, order.disks)
    uuids = await md.uuids_of(host, array.number)
    builds.note(build.id, BuildStep.DONE, uuid=array.uuid, uuids=uuids, fingerprint=mark)
    return array


async def _wipe(host: Host, builds: Builds, build: Build, disks: Sequence[HeldDisk], job: Job) -> None:
    job.progress(JobStep.WIPE, 0.05)
    for disk in disks:
        if any(one.is_magic for one in disk.found):  # unknown bytes aren't erased
            builds.note(build.id, BuildStep.WIPE, disk=disk.member.id, signatures=[one.name for one in disk.found])
            disk.claim.release()  # wipefs opens it exclusively itself
            await wipe(host, disk.device.number, disk.found, job.record.commands)


def _to_save(host: Host, order: BuildOrder) -> list[ToSave]:
    marks: Mapping[str, list[Extent]] = defaultdict(list)
    top = order.plan.top
    marked = data_heads(top, order.version) if isinstance(top, MdArray) else slice_marks(top, order.version)
    for disk_id, extent in marked:
        marks[disk_id].append(extent)
    return [to_save(host, disk, marks[disk.member.id]) for disk in order.disks]


def to_save(host: Host, disk: HeldDisk, marks: Iterable[Extent] = ()) -> ToSave:
    """Return the bytes of ``disk`` to save besides its ends: ``marks``, and each signature found on it."""
    found = (Extent(one.offset_bytes, one.length_bytes) for one in disk.found)
    names = tuple(one.name for one in disk.found)
    return ToSave(disk.member, disk.device.fd, host.size_bytes(disk.device.number), (*marks, *found), names)


def synchronises(layer: Layer) -> bool:
    """Return whether md resyncs the members by itself once the layer's arrays run."""
    return any(array.level.is_redundant and not array.assume_clean for array in layer.md_arrays())
