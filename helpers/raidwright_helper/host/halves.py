"""Halves of a disk as in-kernel partitions: nothing is written to the disk for them.

They last until they are deleted or the machine reboots. Source: kernel ``block/ioctl.c`` (blkpg_do_ioctl) and
``include/uapi/linux/blkpg.h``; addpart(8), delpart(8).
"""

from __future__ import annotations

import ctypes
import fcntl
from collections.abc import Mapping

from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.model.halves import begin_bytes, halves_of
from raidwright.core.model.plan import Member

from .guards import Pinned, person_name
from .host import Host
from .signatures import found_on

_BLKPG = 0x1269
_ADD, _DELETE = 1, 2


class _Partition(ctypes.Structure):
    _fields_ = (
        ("start", ctypes.c_longlong),
        ("length", ctypes.c_longlong),
        ("pno", ctypes.c_int),
        ("devname", ctypes.c_char * 64),
        ("volname", ctypes.c_char * 64),
    )


class _Argument(ctypes.Structure):
    _fields_ = (
        ("op", ctypes.c_int),
        ("flags", ctypes.c_int),
        ("datalen", ctypes.c_int),
        ("data", ctypes.c_void_p),
    )


def _tell(disk: Pinned, act: int, half: Member) -> None:
    part = _Partition(begin_bytes(half), half.size_bytes, half.partition or 0)
    argument = _Argument(act, 0, ctypes.sizeof(part), ctypes.addressof(part))
    fcntl.ioctl(disk.fd, _BLKPG, argument)


def add_halves(host: Host, disk: Pinned, member: Member) -> Mapping[str, int]:
    """Add both halves of the unpartitioned ``disk`` to the kernel; return their numbers by id. Raises JobFailed."""
    try:
        for half in halves_of(member):
            _tell(disk, _ADD, half)
    except OSError as error:
        take_back_halves(host, disk, member)
        raise JobFailed(
            "{disk} can't be halved: {why}.", code="halves", disk=person_name(member), why=error.strerror
        ) from error
    return halves_there(host, disk, member)


def halves_there(host: Host, disk: Pinned, member: Member) -> Mapping[str, int]:
    """Return the numbers of the halves that the kernel knows, by id; {} with other partitions, or none."""
    wanted = {(half.partition, begin_bytes(half), half.size_bytes): half.id for half in halves_of(member)}
    found = {
        (host.partition(number), host.start_bytes(number), host.size_bytes(number)): number
        for number in host.partitions(disk.number)
    }
    if not found.keys() <= wanted.keys():
        return {}
    return {wanted[key]: number for key, number in found.items()}


async def halves_again(host: Host, disk: Pinned, member: Member) -> Mapping[str, int]:
    """Return the halves, added again after a reboot; {} if the disk holds anything by now."""
    if host.partitions(disk.number) or await found_on(disk.node):
        return halves_there(host, disk, member)
    return add_halves(host, disk, member)


def take_back_halves(host: Host, disk: Pinned, member: Member) -> None:
    """Delete the halves from the kernel; raises DiskRefused while one is in use."""
    there = halves_there(host, disk, member)
    for half in halves_of(member):
        if half.id in there:
            try:
                _tell(disk, _DELETE, half)
            except OSError as error:
                raise DiskRefused(
                    "A half of {disk} is still in use ({why}).",
                    code="disk-busy",
                    disk=person_name(member),
                    why=error.strerror,
                ) from error
