"""The commands that make a volume: tables, arrays, LVM."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from raidwright.core.md.mdadm import LINUX_RAID, Command, Option, array_path, by_id_path, inner_name
from raidwright.core.md.mdadm import create_commands as array_commands
from raidwright.core.model.plan import LinearVolume, MdArray, Member

from .joined import (
    EXTENT_SECTORS,
    MIB,
    VOLUME,
    begins_of,
    data_start_sectors,
    slices_of,
)
from .whole_disks import whole_disks


def volume_create_commands(
    volume: LinearVolume,
    path_of: Callable[[Member], str] = by_id_path,
    *,
    homehost: str = "",
    uuids: Iterator[str] | None = None,
    asks: bool = True,
) -> tuple[Command, ...]:
    """Return the commands that create a volume and all below it: tables, arrays, LVM."""
    homehost = homehost or volume.homehost
    arrays = [
        command
        for band in named_bands(volume)
        for command in array_commands(band, path_of, homehost=homehost, uuids=uuids, asks=asks)
    ]
    return (*partition_commands(volume), *arrays, *volume_commands(volume, asks=asks))


def named_bands(plan: LinearVolume) -> Iterator[MdArray]:
    """Yield the arrays of a joined plan, each under its own name."""
    for slot, band in enumerate(plan.arrays):
        yield replace(band, name=inner_name(plan.name, slot), homehost=plan.homehost)


def partition_commands(
    plan: LinearVolume,
    path_of: Callable[[Member], str] = by_id_path,
    *,
    table_ids: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Command, ...]:
    """Return the commands that write the partition tables of a joined plan's disks: a GPT with its slices each.

    ``table_ids`` are the tables' own GUIDs by disk, if they are given.
    """
    return tuple(
        partition_command(path_of(disk), slices, table_ids.get(disk.id, ""))
        for disk, slices in zip(whole_disks(plan), slices_of(plan).values(), strict=True)
    )


def partition_command(path: str, slices: tuple[Member, ...], table_id: str = "") -> Command:
    """Return the command that writes a partition table of ``slices`` on the disk at ``path``."""
    unasked = Option("--wipe=never", "partition-unasked"), Option("--wipe-partitions=never", "partition-unasked")
    return Command("sfdisk", (*unasked, Option(path, "partition")), tuple(partition_table(slices, table_id)))


def partition_table(slices: tuple[Member, ...], table_id: str = "") -> Iterator[str]:
    """Yield sfdisk's lines for a disk's slices (``sfdisk(8)``, "Named-fields format")."""
    yield "label: gpt"
    if table_id:
        yield f"label-id: {table_id}"
    for begin, member in zip(begins_of(slices), slices, strict=True):
        yield f"start={begin // MIB}MiB, size={member.size_bytes // MIB}MiB, type={LINUX_RAID}"


def volume_commands(plan: LinearVolume, *, asks: bool = True) -> Iterator[Command]:
    """Yield LVM's commands that join a joined plan's arrays to its volume."""
    unasked = () if asks else (Option("--yes", "volume-unasked"),)
    arrays = [(band, array_path(inner_name(plan.name, slot))) for slot, band in enumerate(plan.arrays)]
    for band, path in arrays:
        start = Option(f"--dataalignment={data_start_sectors(band)}s", "volume-start")
        yield Command("pvcreate", (*unasked, start, Option(path, "volume-array")))
    extent = Option(f"--physicalextentsize={EXTENT_SECTORS}s", "volume-extent")
    paths = tuple(Option(path, "volume-array") for _, path in arrays)
    yield Command("vgcreate", (*unasked, extent, Option(plan.name, "volume-group"), *paths))
    whole = Option("--extents=100%FREE", "volume"), Option(f"--name={VOLUME}", "volume")
    yield Command("lvcreate", (*unasked, *whole, Option(plan.name, "volume-group"), *paths))
