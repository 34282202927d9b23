"""Mount and Unmount: an array's file system, at a folder below /srv or /mnt.

systemd mounts, not this service, whose own mount namespace is private. So the mount is an ordinary unit (``systemctl
status srv-tank.mount``), systemd makes the folder, and an entry in fstab is used if there is one.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.messages import say
from raidwright.core.protocol.results import Mounted, Unmounted
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.config_files import mount_place, table_lines
from raidwright.core.system.filesystem import checked_place

from raidwright_helper.host.arrays import PinnedArray, pin_mountable
from raidwright_helper.host.host import Host
from raidwright_helper.host.outside import SYSTEMCTL, mount_argv, unmount_argv
from raidwright_helper.host.runner import run
from raidwright_helper.host.system_files import read
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job

from .filesystem import FileSystem, filesystem_on

_SECONDS = 120.0  # a file system that has to be checked first takes a while
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Mountable:
    """An array with a file system, and its mount point, present or requested."""

    pinned: PinnedArray
    filesystem: FileSystem
    place: str


async def prepare_mount(
    host: Host, claims: Claims, request: tuple[str, str, str], until: contextlib.ExitStack
) -> Mountable:
    """Return the array by UUID and name, for the requested place; raises InputError, DiskRefused, Busy."""
    uuid, name, text = request
    place = checked_place(text)
    found = await pin_mountable(host, claims, uuid, name, until)
    if (point := host.mount_point(found.device.number)) is not None:
        raise DiskRefused("The array is mounted already, at {place}.", code="array-mounted", place=point)
    filesystem = await filesystem_on(found.device.node)
    if filesystem is None:
        raise DiskRefused("The array holds no file system that can be mounted here.", code="array-no-filesystem")
    verify_place(host, place)
    return Mountable(found, filesystem, place)


def verify_place(host: Host, place: str) -> None:
    """Raise DiskRefused unless ``place`` doesn't exist yet, or is root's empty folder with nothing mounted.

    Nobody else can change that afterwards: the parent folder is root's as well, and no link.
    """
    path = host.root / place.lstrip("/")
    try:
        above = os.open(path.parent, _FOLDER)
        try:
            _verify_roots(os.fstat(above), str(Path(place).parent))
            folder = os.open(path.name, _FOLDER, dir_fd=above)
        except FileNotFoundError:
            return
        finally:
            os.close(above)
    except OSError as error:
        raise _bad_place(place, say("can't be used ({why})", why=error.strerror)) from None
    try:
        _verify_roots(os.fstat(folder), place)
        if os.listdir(folder):  # noqa: PTH208  (a descriptor)
            raise _bad_place(place, say("is not empty, or something is mounted there"))
    finally:
        os.close(folder)


def _verify_roots(status: os.stat_result, name: str) -> None:
    if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o022:
        raise _bad_place(name, say("belongs to others than root, or others may write to it"))


def _bad_place(place: str, why: str) -> DiskRefused:
    return DiskRefused(
        "{place} {why}; choose another folder below /srv or /mnt.", code="disk-place", place=place, why=why
    )


async def mount(host: Host, what: Mountable, job: Job) -> Mounted:
    """Mount the file system; raises JobFailed."""
    job.progress(JobStep.MOUNT, 0.1)
    if _stands_in_fstab(host, what.place):
        argv: tuple[str, ...] = (SYSTEMCTL, "start", "--", what.place)
    else:
        argv = mount_argv(what.pinned.device.node, what.place, what.filesystem.kind)
    job.record.commands.append((await to_the_end(run(argv, limit_s=_SECONDS))).command)
    if host.mount_point(what.pinned.device.number) != what.place:
        raise JobFailed(
            "{place} was mounted, but not with this array; see “systemctl status {place}”.",
            code="mount",
            place=what.place,
        )
    return Mounted(what.place, what.filesystem.kind, job.record.commands[-1], job.record.log, what.pinned.array.uuid)


def _stands_in_fstab(host: Host, place: str) -> bool:
    """Return whether fstab has an entry for ``place``: systemd then has a unit for it, which no other may replace."""
    lines = table_lines(read(host.root / "etc/fstab").content)
    return any(len(words) > 1 and mount_place(words[1]) == place for words in lines)


async def prepare_unmount(host: Host, claims: Claims, uuid: str, name: str, until: contextlib.ExitStack) -> Mountable:
    """Return the array by UUID and name, mounted below Mount's folders; raises InputError, DiskRefused, Busy."""
    found = await pin_mountable(host, claims, uuid, name, until)
    point = host.mount_point(found.device.number)
    filesystem = await filesystem_on(found.device.node)
    if point is None or filesystem is None:
        raise DiskRefused("The array isn't mounted.", code="array-not-mounted")
    return Mountable(found, filesystem, checked_place(point))


async def unmount(host: Host, what: Mountable, job: Job) -> Unmounted:
    """Unmount the file system; raises JobFailed, also while it is busy."""
    job.progress(JobStep.UNMOUNT, 0.1)
    finished = await to_the_end(run(unmount_argv(what.place), limit_s=_SECONDS, accept=(0, 1)))
    job.record.commands.append(finished.command)
    if (point := host.mount_point(what.pinned.device.number)) is not None:
        raise JobFailed(
            "The array is still mounted at {place}: something uses it. Close what is open there and try again.",
            code="mount-busy",
            place=point,
        )
    return Unmounted(what.place, what.filesystem.kind, job.record.commands[-1], job.record.log, what.pinned.array.uuid)
