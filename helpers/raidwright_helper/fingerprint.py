"""How an array reads that nothing was put on: what tells, later, that it still holds nothing.

An array that md synchronises is read itself, at both its ends: the synchronisation changes what lies on the members,
never what the array reads as. One that md leaves alone is read on its members, at both ends of where its data lie
there: mirrors that were declared equal without being so (``--assume-clean``) read now as one of them, now as another.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Iterable, Iterator

from raidwright.core.errors import JobFailed

from .backup import END_BYTES, Extent, digest_of
from .guards import pinned
from .host import Host
from .md import Array
from .runner import to_the_end

Part = tuple[int, Extent]  # of which device


async def fingerprint(host: Host, array: Array, *, synchronises: bool) -> str:
    """The SHA-256 of what both ends of ``array`` read as; raises DiskRefused, JobFailed when that can't be read."""
    if synchronises:
        parts = list(_ends(array.number, Extent(0, array.array_sectors * 512)))
    else:
        ends = (end for part in _data_areas(host, array.number) for end in _ends(*part))
        parts = [below for end in ends for below in _below_mirrors(host, *end)]
    try:
        return await to_the_end(asyncio.to_thread(_digest, host, parts))
    except OSError as error:
        raise JobFailed(f"{array.node} can't be read ({error.strerror}).", code="array-unreadable") from error


def _ends(device: int, area: Extent) -> Iterator[Part]:
    length_bytes = min(END_BYTES, area.length_bytes)
    yield device, Extent(area.offset_bytes, length_bytes)
    yield device, Extent(area.end_bytes - length_bytes, length_bytes)


def _data_areas(host: Host, array: int) -> Iterator[Part]:
    """Where the array's data lie on each member that has a slot (kernel ``admin-guide/md.rst``), so on no spare."""
    for member in host.slaves(array):
        folder = f"md/dev-{host.kernel_name(member)}"
        if host.attribute(array, f"{folder}/slot").isdigit():
            sectors, kib = (int(host.attribute(array, f"{folder}/{name}")) for name in ("offset", "size"))
            yield member, Extent(sectors * 512, kib * 1024)


def _below_mirrors(host: Host, device: int, extent: Extent) -> Iterator[Part]:
    """The same bytes on the members of a mirror, on theirs if they are mirrors too; of anything else, its own."""
    if host.attribute(device, "md/level") != "raid1":
        yield device, extent
        return
    for member, area in _data_areas(host, device):
        yield from _below_mirrors(host, member, Extent(area.offset_bytes + extent.offset_bytes, extent.length_bytes))


def _digest(host: Host, parts: Iterable[Part]) -> str:
    digest = hashlib.sha256()
    for number, extent in parts:
        node = host.node(number)
        with pinned(host, node, who=node) as device:
            os.posix_fadvise(device.fd, 0, 0, os.POSIX_FADV_DONTNEED)  # md writes past what is cached of a member
            digest.update(digest_of(device.fd, (extent,)).encode())
    return digest.hexdigest()
