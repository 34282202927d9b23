"""A mounted file system's own word on its size.

Its superblock on the device may be old: XFS writes it past the device's page cache, and keeps a growth in its log for
half a minute first. So XFS and btrfs are asked where they are mounted; ext4's superblock is one of the device's cached
pages, which the kernel itself changes. Sources: kernel ``fs/xfs/libxfs/xfs_fs.h``, ``include/uapi/linux/btrfs.h``,
``fs/ext4/super.c`` (``s_sbh``); sysfs-fs-ext4, -xfs and -btrfs.
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from raidwright.core.errors import RaidwrightError
from raidwright.core.system.content_size import HEAD_BYTES, used_sectors
from raidwright.core.units import SECTOR_BYTES

from .guards import Pinned
from .host import Host
from .outside import unit_argv
from .runner import run

_XFS_GEOMETRY, _XFS_GEOMETRY_BYTES = 0x80705864, 112  # XFS_IOC_FSGEOMETRY_V1, which every Linux answers
_BTRFS_FS_INFO, _BTRFS_FS_INFO_BYTES = 0x8400941F, 1024
_BTRFS_DEV_INFO, _BTRFS_DEV_INFO_BYTES, _BTRFS_PATH_AT = 0xD000941E, 4096, 3072
_XFS_INFO = ("/usr/sbin/xfs_spaceman", "-c", "info")
_BTRFS_SHOW = ("/usr/bin/btrfs", "filesystem", "show", "--raw")
_XFS_TOLD = re.compile(r"^meta-data=(\S+) .*^data .*bsize=(\d+) +blocks=(\d+)", re.MULTILINE | re.DOTALL)
_BTRFS_TOLD = re.compile(r"^\s*devid +\d+ +size +(\d+) .*path +(\S+)$", re.MULTILINE)
_LIMIT_SECONDS = 30.0
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class MountedFileSystem:
    """A file system of one of the known kinds, mounted in some namespace; ``places`` are those that are seen here.

    ``uuid`` is btrfs's, "" for the others.
    """

    kind: str
    places: tuple[str, ...]
    uuid: str = ""


def mounted_file_system(host: Host, number: int) -> MountedFileSystem | None:
    """Return the ext4, XFS or btrfs that the kernel has mounted from the device, in whatever namespace; None if none.

    The kernel names them in sysfs by the device, so no process has to be asked.
    """
    name = host.kernel_name(number)
    for kind in ("ext4", "xfs"):
        if (host.root / "sys/fs" / kind / name).exists():
            found = tuple(host.mounts(number))
            return MountedFileSystem(found[0].kind if found else kind, tuple(one.place for one in found))
    for folder in sorted((host.root / "sys/fs/btrfs").glob(f"*/devices/{name}")):
        devices = [host.number_of(f"/dev/{one.name}") for one in folder.parent.iterdir()]
        places = [one.place for device in devices if device for one in host.mounts(device)]
        return MountedFileSystem("btrfs", tuple(dict.fromkeys(places)), folder.parent.parent.name)
    return None


async def claimed_sectors(host: Host, device: Pinned, mounted: MountedFileSystem) -> int | None:
    """Return the sectors of the device that the mounted file system has for its own; None if it can't be asked."""
    if mounted.kind not in ("xfs", "btrfs"):
        return _of_ext(host, device, mounted)
    for place in mounted.places:
        try:
            sectors = _of_xfs(host, device, place) if mounted.kind == "xfs" else _of_btrfs(host, device, mounted, place)
        except OSError:  # a home, which is hidden from this service
            sectors = None
        if sectors is None:
            sectors = await _told_outside(host, device, mounted.kind, place)
        if sectors is not None:
            return sectors
    return None


def _of_ext(host: Host, device: Pinned, mounted: MountedFileSystem) -> int | None:
    """Return the sectors by the cached superblock, which is the mounted file system's own; at least what it offers."""
    sectors = used_sectors("ext4", os.pread(device.fd, HEAD_BYTES, 0))
    for place in mounted.places:
        try:
            offered = os.statvfs(host.root / place.lstrip("/"))
        except OSError:
            continue
        if sectors is not None and sectors * SECTOR_BYTES < offered.f_blocks * offered.f_frsize:
            return None
    return sectors


def _of_xfs(host: Host, device: Pinned, place: str) -> int | None:
    fd = os.open(host.root / place.lstrip("/"), _FOLDER)
    try:
        if os.fstat(fd).st_dev != device.number:  # something else is mounted over it
            return None
        told = fcntl.ioctl(fd, _XFS_GEOMETRY, bytes(_XFS_GEOMETRY_BYTES))
    finally:
        os.close(fd)
    block_bytes, blocks = struct.unpack_from("=I28xQ", told)
    return int(block_bytes * blocks // SECTOR_BYTES)


def _of_btrfs(host: Host, device: Pinned, mounted: MountedFileSystem, place: str) -> int | None:
    fd = os.open(host.root / place.lstrip("/"), _FOLDER)
    try:
        told = fcntl.ioctl(fd, _BTRFS_FS_INFO, bytes(_BTRFS_FS_INFO_BYTES))
        if told[16:32].hex() != mounted.uuid.replace("-", ""):
            return None
        return next((sectors for path, sectors in _devices(fd, told) if host.number_of(path) == device.number), None)
    finally:
        os.close(fd)


def _devices(fd: int, told: bytes) -> Iterator[tuple[str, int]]:
    (last,) = struct.unpack_from("=Q", told)
    for number in range(1, last + 1):
        info = bytearray(_BTRFS_DEV_INFO_BYTES)
        struct.pack_into("=Q", info, 0, number)
        try:
            fcntl.ioctl(fd, _BTRFS_DEV_INFO, info)
        except OSError:  # this one has been removed
            continue
        (total_bytes,) = struct.unpack_from("=Q", info, 32)
        yield info[_BTRFS_PATH_AT:].split(b"\0", 1)[0].decode(errors="replace"), -(-total_bytes // SECTOR_BYTES)


async def _told_outside(host: Host, device: Pinned, kind: str, place: str) -> int | None:
    """Have the file system's own program ask it, in the machine's view of its mounts, where homes are seen."""
    argv = (*(_XFS_INFO if kind == "xfs" else _BTRFS_SHOW), place)
    try:
        output = (await run(unit_argv(argv), limit_s=_LIMIT_SECONDS)).output
    except RaidwrightError:
        return None
    if kind == "btrfs":
        sizes = (int(size) for size, path in _BTRFS_TOLD.findall(output) if host.number_of(path) == device.number)
        return next((-(-size // SECTOR_BYTES) for size in sizes), None)
    found = _XFS_TOLD.search(output)
    if found is None or host.number_of(found[1]) != device.number:
        return None
    return int(found[2]) * int(found[3]) // SECTOR_BYTES
