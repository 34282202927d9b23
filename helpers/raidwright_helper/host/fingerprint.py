"""Fingerprint of an array's ends, to find out later whether anything was written to it.

An array that md resyncs is read itself, at both its ends: the resync changes the members, never the array's content.
One that md doesn't resync is read on its members, at both ends of their data areas: mirrors that were declared equal
without being so (``--assume-clean``) read now as one of them, now as another.

A member that has failed since isn't read: nothing can have been written to the array without the others having it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.ending import to_the_end
from raidwright.core.errors import JobFailed

from .extents import END_BYTES, Extent, digest_of
from .gpt import table_places
from .guards import Pinned, pinned
from .host import Host
from .md import RunningArray


@dataclass(frozen=True, slots=True)
class _Place:
    """A place to read. ``name`` is made of slots, from the top down: the kernel's names change with a reboot."""

    name: str
    device: int
    extent: Extent


async def fingerprint(host: Host, array: RunningArray, *, synchronises: bool) -> Mapping[str, str]:
    """Return the SHA-256 of both ends of ``array``, by place; raises DiskRefused, JobFailed."""
    top = _Place("", array.number, Extent(0, array.array_sectors * 512))
    places = list(_ends(top) if synchronises else _on_members(host, top))
    try:
        return await to_the_end(asyncio.to_thread(lambda: {place.name: _digest(host, place) for place in places}))
    except OSError as error:
        raise JobFailed(
            "{node} can't be read ({why}).", code="array-unreadable", node=array.node, why=error.strerror
        ) from error


async def fingerprint_of_joined(
    host: Host, arrays: Sequence[RunningArray], disks: Mapping[str, Pinned], *, synchronises: bool
) -> Mapping[str, str]:
    """Return the fingerprints of a joined volume's arrays, by UUID and place, and of its disks' partition tables.

    Raises DiskRefused, JobFailed.
    """
    found: dict[str, str] = {}
    for array in arrays:
        ends = await fingerprint(host, array, synchronises=synchronises)
        found |= {f"{array.uuid}{place}": digest for place, digest in ends.items()}
    for name, disk in disks.items():
        places = table_places(host.size_bytes(disk.number), host.sector_bytes(disk.number))
        try:
            found[f"table {name}"] = await to_the_end(asyncio.to_thread(digest_of, disk.fd, places))
        except OSError:  # a disk that fails doesn't keep the others from being put back
            continue
    return found


def reads_the_same(now: Mapping[str, str], then: Mapping[str, str]) -> bool:
    """Return whether everything readable now equals ``then``; members failed since are no longer read."""
    return bool(now) and now.items() <= then.items()


def _ends(area: _Place) -> Iterator[_Place]:
    whole = area.extent
    length_bytes = min(END_BYTES, whole.length_bytes)
    yield _Place(f"{area.name} head", area.device, Extent(whole.offset_bytes, length_bytes))
    yield _Place(f"{area.name} tail", area.device, Extent(whole.end_bytes - length_bytes, length_bytes))


def _on_members(host: Host, array: _Place) -> Iterator[_Place]:
    for area in _data_areas(host, array):
        for end in _ends(area):
            yield from _below_mirrors(host, end)


def _data_areas(host: Host, array: _Place) -> Iterator[_Place]:
    """Yield the data area of each member with a slot (kernel ``admin-guide/md.rst``), so of no spare."""
    for member in host.slaves(array.device):
        folder = f"md/dev-{host.kernel_name(member)}"
        if (slot := host.attribute(array.device, f"{folder}/slot")).isdigit():
            sectors, kib = (int(host.attribute(array.device, f"{folder}/{name}")) for name in ("offset", "size"))
            yield _Place(f"{array.name}/{slot}", member, Extent(sectors * 512, kib * 1024))


def _below_mirrors(host: Host, place: _Place) -> Iterator[_Place]:
    """Yield the same bytes on the members of a mirror, recursively; for any other device, its own."""
    if host.attribute(place.device, "md/level") != "raid1":
        yield place
        return
    for area in _data_areas(host, place):
        start_bytes = area.extent.offset_bytes + place.extent.offset_bytes
        yield from _below_mirrors(host, _Place(area.name, area.device, Extent(start_bytes, place.extent.length_bytes)))


def _digest(host: Host, place: _Place) -> str:
    node = host.node(place.device)
    with pinned(host, node, who=node) as device:
        return digest_of(device.fd, (place.extent,))
