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
from raidwright.core.errors import DiskRefused, JobFailed, RaidwrightError
from raidwright.core.messages import say
from raidwright.core.protocol.results import Mounted, Unmounted
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.config_files import mount_place, table_lines
from raidwright.core.system.filesystem import FileSystemKind, checked_place, folder_called, options_without_replay

from raidwright_helper.host.array_users import verify_unused_array
from raidwright_helper.host.arrays import PinnedArray, pin_mountable, verify_reads_end
from raidwright_helper.host.host import Host
from raidwright_helper.host.outside import SYSTEMCTL, mount_argv, unmount_argv
from raidwright_helper.host.runner import run
from raidwright_helper.host.signatures import found_on
from raidwright_helper.host.system_files import read
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job

from .filesystem import FileSystem, filesystem_on

_SECONDS = 120.0  # a file system that has to be checked first takes a while
_LOOKED_AT = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs"})
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Mountable:
    """An array with a file system, and its mount point, present or requested.

    ``options``: of an array that is only read, mount's options; then ``instead_of`` is where it is mounted so far.
    """

    pinned: PinnedArray
    filesystem: FileSystem
    place: str
    options: str = ""
    instead_of: str = ""


async def prepare_mount(
    host: Host, claims: Claims, request: tuple[str, str, str], until: contextlib.ExitStack
) -> Mountable:
    """Return the array by UUID and name, for the requested place; raises InputError, DiskRefused, Busy."""
    uuid, name, text = request
    place = checked_place(text)
    found = await pin_mountable(host, claims, uuid, name, until)
    verify_reads_end(host, found.device.number, found.label)
    point, only_read = host.mount_point(found.device.number), is_only_read(host, found.device.number)
    if point is not None and (not only_read or point == place):
        raise DiskRefused("The array is mounted already, at {place}.", code="array-mounted", place=point)
    who = say("The array {array}", array=found.label)
    await verify_unused_array(host, found.device.number, who, may_be_mounted=True)
    filesystem = await filesystem_on(found.device.node)
    if filesystem is None:
        raise DiskRefused("The array holds no file system that can be mounted here.", code="array-no-filesystem")
    verify_place(host, place)
    if not only_read:
        return Mountable(found, filesystem, place)
    if _stands_in_fstab(host, place):
        raise DiskRefused(
            "{place} is in fstab with other options, and this array is only read: choose another folder below /srv or "
            "/mnt.",
            code="disk-place",
            place=place,
        )
    return Mountable(
        found, filesystem, place, options_without_replay(filesystem.kind), checked_place(point) if point else ""
    )


def is_only_read(host: Host, number: int) -> bool:
    """Return whether the kernel refuses writes to the array or volume, so that no file system's log can be replayed."""
    return host.attribute(number, "ro") == "1" or any(is_only_read(host, below) for below in host.slaves(number))


async def mount_to_look(host: Host, number: int, name: str, log: list[str]) -> str:
    """Mount the file system of an array that is only read, without a replay; return where, "" if it can't be.

    An array that was mounted when it died has a log to replay, which can't be written; and shouldn't before its files
    are saved.
    """
    node = host.node(number)
    kinds = {one.kind for one in await found_on(node)}
    if len(kinds) != 1 or not kinds <= _LOOKED_AT:
        return ""
    [kind] = kinds
    for place in (f"/mnt/{folder_called(name)}", f"/mnt/{folder_called(name, most=24)}-rescued"):
        with contextlib.suppress(RaidwrightError):
            verify_place(host, checked_place(place))
            if not _stands_in_fstab(host, place):
                argv = mount_argv(node, place, kind, options_without_replay(kind))
                log.append((await to_the_end(run(argv, limit_s=_SECONDS))).command)
                return place if host.mount_point(number) == place else ""
    return ""


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
    if what.instead_of:
        await _unmount(host, what, what.instead_of, job)
    if _stands_in_fstab(host, what.place):
        argv: tuple[str, ...] = (SYSTEMCTL, "start", "--", what.place)
    else:
        argv = mount_argv(what.pinned.device.node, what.place, what.filesystem.kind, what.options)
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
    filesystem = await filesystem_on(found.device.node) or _mounted_on(host, found.device.number)
    if point is None or filesystem is None:
        raise DiskRefused("The array isn't mounted.", code="array-not-mounted")
    return Mountable(found, filesystem, checked_place(point))


def _mounted_on(host: Host, number: int) -> FileSystem | None:
    """Return the mounted file system by the kernel's word: of a failed array none can be read."""
    with contextlib.suppress(ValueError):
        return FileSystem(FileSystemKind(next((one.kind for one in host.mounts(number)), "")), "")
    return None


async def unmount(host: Host, what: Mountable, job: Job) -> Unmounted:
    """Unmount the file system; raises JobFailed, also while it is busy."""
    job.progress(JobStep.UNMOUNT, 0.1)
    await _unmount(host, what, what.place, job)
    return Unmounted(what.place, what.filesystem.kind, job.record.commands[-1], job.record.log, what.pinned.array.uuid)


async def _unmount(host: Host, what: Mountable, place: str, job: Job) -> None:
    async with host.looks.kept_out({what.pinned.device.number}):  # a look opens the place where it is mounted
        finished = await to_the_end(run(unmount_argv(place), limit_s=_SECONDS, accept=(0, 1)))
    job.record.commands.append(finished.command)
    if (point := host.mount_point(what.pinned.device.number)) is not None:
        raise JobFailed(
            "The array is still mounted at {place}: something uses it. Close what is open there and try again.",
            code="mount-busy",
            place=point,
        )
