"""Creating a joined volume: partition tables on the disks, an md array a band, and LVM's volume over the arrays.

The commands are those of ``raidwright.core.md.mdadm``, as in the exported script. Each step is logged before it begins
(``BuildStep``), with what tells its traces from anybody else's: the tables' GUIDs, the arrays' UUIDs. ``build`` handles
the disks before and after.
"""

from __future__ import annotations

import contextlib
import shlex
import uuid
from collections.abc import Iterator, Mapping, Sequence

from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.layers.commands import create_commands
from raidwright.core.lvm.capacity import volume_capacity
from raidwright.core.lvm.commands import named_bands, partition_command, volume_commands
from raidwright.core.lvm.joined import (
    EXTENT_SECTORS,
    begins_of,
    data_start_sectors,
    sector_bytes_of,
    slices_of,
    volume_path,
)
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.core.model.plan import LinearVolume, Member
from raidwright.core.protocol.facts import BuildStep
from raidwright.core.protocol.steps import JobStep

from raidwright_helper.host import lvm, md
from raidwright_helper.host.extents import END_BYTES, Extent
from raidwright_helper.host.fingerprint import fingerprint_of_joined
from raidwright_helper.host.guards import Exclusive, person_name, pinned
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import run
from raidwright_helper.host.signatures import found_on, wipe
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds

from .create import BuildOrder, create_each, data_heads, read_back, verify_sound

_SFDISK_SECONDS = 60.0


def verify_sectors(host: Host, disks: Sequence[HeldDisk]) -> None:
    """Raise DiskRefused for a disk whose logical sectors differ from the plan's: LVM joins no arrays of both kinds."""
    for disk in disks:
        if (there := host.sector_bytes(disk.device.number)) != sector_bytes_of(disk.member):
            raise DiskRefused(
                "{disk} has sectors of {there} bytes, the plan says {planned}; make the plan anew.",
                code="sector-sizes",
                disk=person_name(disk.member),
                there=there,
                planned=sector_bytes_of(disk.member),
            )


def slice_marks(volume: LinearVolume, version: MdadmVersion) -> Iterator[tuple[str, Extent]]:
    """Yield, by disk id, what a joined volume overwrites between the disk's ends.

    These are both ends of each slice, as of any member (``backup``), and where LVM's metadata and the volume's start
    lie; signatures that show through at the volume's end are erased, too, up to an extent before the array's end.
    """
    disks, begins = dict[str, str](), dict[str, int]()
    for disk, slices in slices_of(volume).items():
        for begin, member in zip(begins_of(slices), slices, strict=True):
            disks[member.id], begins[member.id] = disk, begin
            yield disk, Extent(begin, END_BYTES)
            tail = min(member.size_bytes, END_BYTES + EXTENT_SECTORS * 512)
            yield disk, Extent(begin + member.size_bytes - tail, tail)
    for band in named_bands(volume):
        for name, head in data_heads(band, version):
            length = head.length_bytes + data_start_sectors(band) * 512
            yield disks[name], Extent(begins[name] + head.offset_bytes, length)


async def make_joined(
    host: Host, builds: Builds, build: Build, order: BuildOrder, job: Job, until: contextlib.ExitStack
) -> md.RunningArray:
    """Create the volume and read it back; it has the lowest array's UUID. Raises JobFailed, leaving what was created.

    The slices are held until ``until`` closes.
    """
    slices = await _partition(host, builds, build, order, job, until)
    uuids = [md.new_uuid() for _ in named_bands(order.volume)]
    builds.note(build.id, BuildStep.CREATE, uuids=uuids)
    arrays = await _make_bands(host, order, slices, job, uuids)
    builds.note(build.id, BuildStep.VOLUME)
    job.progress(JobStep.VOLUME, 0.75)
    for array in arrays:  # what the disks held shows through
        await wipe(host, array.number, await found_on(array.node), job.record.commands)
    number = await _join(host, order, job)
    job.progress(JobStep.READ_BACK, 0.9)
    disks = {disk.member.id: disk.device for disk in order.disks}
    mark = await fingerprint_of_joined(host, arrays, disks, synchronises=build.synchronises)
    for array, band in zip(arrays, named_bands(order.volume), strict=True):
        verify_sound(host, array.number, [slices[member.id] for member in band.disks()])
    builds.note(build.id, BuildStep.DONE, uuid=arrays[0].uuid, uuids=uuids, fingerprint=mark)
    return md.RunningArray(
        number=number,
        node=host.node(number),
        uuid=arrays[0].uuid,
        array_sectors=host.size_bytes(number) // 512,
        component_size_kib=0,
        name=order.volume.name,
    )


async def _partition(
    host: Host, builds: Builds, build: Build, order: BuildOrder, job: Job, until: contextlib.ExitStack
) -> Mapping[str, HeldDisk]:
    """Write the partition tables; return the slices by id, held and without signatures."""
    job.progress(JobStep.PARTITION, 0.07)
    tables = {disk.member.id: str(uuid.uuid4()) for disk in order.disks}
    builds.note(build.id, BuildStep.PARTITION, tables=tables)
    held: dict[str, HeldDisk] = {}
    for disk, slices in zip(order.disks, slices_of(order.volume).values(), strict=True):
        parts = await write_table(host, disk, slices, tables[disk.member.id], job.record.commands, until)
        held |= {part.member.id: part for part in parts}
    return held


async def write_table(
    host: Host, disk: HeldDisk, slices: tuple[Member, ...], table_id: str, log: list[str], until: contextlib.ExitStack
) -> Sequence[HeldDisk]:
    """Write the partition table of ``slices``; return them held, without signatures. Raises JobFailed."""
    disk.claim.release()
    command = partition_command(disk.device.node, slices, table_id)
    argv = (lvm.SFDISK, *command.argv[1:])
    lines = "".join(f"{line}\n" for line in command.given)
    log.append(f"printf '%s\\n' {shlex.join(command.given)} | {shlex.join(argv)}")
    await run(argv, limit_s=_SFDISK_SECONDS, given=lines.encode())
    parts = {host.partition(number): number for number in host.partitions(disk.device.number)}
    held = []
    for begin, member in zip(begins_of(slices), slices, strict=True):
        number = parts.get(member.partition)
        if number is None or (host.start_bytes(number), host.size_bytes(number)) != (begin, member.size_bytes):
            raise JobFailed(
                "The partitions of {disk} aren't those that were written.",
                code="wrong-partitions",
                disk=person_name(disk.member),
            )
        await wipe(host, number, await found_on(host.node(number)), log)
        held.append(hold_slice(host, number, member, until))
    return held


def hold_slice(host: Host, number: int, member: Member, until: contextlib.ExitStack) -> HeldDisk:
    """Return the partition ``number``, held until ``until`` closes; raises DiskRefused."""
    device = until.enter_context(pinned(host, host.node(number), who=person_name(member)))
    return HeldDisk(member, device, until.enter_context(Exclusive(host, device, person_name(member))), ())


async def _make_bands(
    host: Host, order: BuildOrder, slices: Mapping[str, HeldDisk], job: Job, uuids: Sequence[str]
) -> Sequence[md.RunningArray]:
    job.progress(JobStep.CREATE, 0.1)
    for held in slices.values():
        held.claim.release()
    commands = create_commands(
        order.volume,
        lambda member: slices[member.id].device.node,
        homehost=order.homehost,
        uuids=iter(uuids),
        asks=False,
    )
    await create_each([command for command in commands if command.program == "mdadm"], job, share=0.6)
    return [
        await read_back(host, band, [slices[member.id] for member in band.disks()])
        for band in named_bands(order.volume)
    ]


async def _join(host: Host, order: BuildOrder, job: Job) -> int:
    """Join the arrays; return the volume's device number. Raises JobFailed."""
    volume, log = order.volume, job.record.commands
    for command in volume_commands(volume, asks=False):
        await lvm.run_lvm(command.argv, log)
    # Started anew, the kernel counts what is written to it from zero: what LVM itself wrote isn't somebody's.
    for act in ("n", "y"):
        await lvm.run_lvm(("vgchange", f"--activate={act}", volume.name), log)
    await md.settle(volume_path(volume.name))
    number = host.number_of(volume_path(volume.name))
    if number is None:
        raise JobFailed(
            "LVM ended well, but {path} did not appear; is udev running?",
            code="no-device",
            path=volume_path(volume.name),
        )
    planned = volume_capacity(volume, order.version).array_sectors
    if (there := host.size_bytes(number) // 512) != planned:
        raise JobFailed(
            "The volume has {there} sectors, not {planned} as planned.", code="wrong-size", there=there, planned=planned
        )
    return number
