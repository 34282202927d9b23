"""Processes that have a block device open without claiming it: nothing else in the kernel shows them.

A virtual machine that a disk is passed to opens it so, and writes. (proc(5), ``/proc/PID/fd`` and ``fdinfo``.) To see
the descriptors of a process with more capabilities than the helper has takes CAP_SYS_PTRACE.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from raidwright.core.json_fields import printable

from .mount_tables import mounts_everywhere

if TYPE_CHECKING:
    from .host import Host

# Whoever is asked for the state of a file there may never answer.
_REMOTE = ("fuse", "nfs", "cifs", "smb", "9p", "afs", "ceph", "coda", "virtiofs", "lustre", "gfs", "ocfs", "autofs")
_SETTLE_S = 0.3  # udev, UDisks2 and smartd open a disk for moments
# Programs that ask a disk for its health or its content, which takes longer where it spins up; the acts wait for them.
_ASKING = frozenset({"smartctl", "smartd", "hdparm", "udisksd", "systemd-udevd", "(udev-worker)", "blkid", "wipefs"})
_PATIENCE_S = (0.2, 0.4, 0.8, 1.6)


@dataclass(frozen=True, slots=True)
class Opening:
    """A process that has the block device ``number`` open."""

    number: int
    pid: int
    name: str
    writes: bool


def openings(host: Host, only: Collection[int] | None = None) -> frozenset[Opening]:
    """Return who has a block device open, or those of the processes ``only``; this helper and its children aside.

    One pass over /proc, however many disks there are.
    """
    own = os.getpid()
    pids = [int(path.name) for path in (host.root / "proc").glob("[0-9]*") if path.name.isdecimal()]
    local, generic = _local_mounts(host), _generic_nodes(host)
    found: set[Opening] = set()
    for pid in pids:
        if pid == own or (only is not None and pid not in only):
            continue
        numbers = dict(_opened_by(host.root / f"proc/{pid}", local, generic))
        if numbers and own not in _ancestors(host, pid):
            name = _name(host, pid)
            found |= {Opening(number, pid, name, writes) for number, writes in numbers.items()}
    return frozenset(found)


async def lasting_openings(host: Host) -> frozenset[Opening]:
    """Return who has a block device open and still has it a moment later, without those who ask a disk how it is."""
    first = frozenset(one for one in await asyncio.to_thread(openings, host) if one.name not in _ASKING)
    if not first:
        return first
    await asyncio.sleep(_SETTLE_S)
    return first & await asyncio.to_thread(openings, host, {one.pid for one in first})


async def lasting_writers(host: Host, numbers: Collection[int]) -> tuple[Opening, ...]:
    """Return the processes that have one of the devices ``numbers`` open for writing, and keep it open for seconds."""
    writers: frozenset[Opening] | None = None
    for patience_s in (*_PATIENCE_S, None):
        pids = None if writers is None else {one.pid for one in writers}
        now = await asyncio.to_thread(openings, host, pids)
        there = frozenset(one for one in now if one.writes and one.number in numbers)
        writers = there if writers is None else writers & there
        if not writers or patience_s is None:
            break
        await asyncio.sleep(patience_s)
    return tuple(sorted(writers or (), key=lambda one: (one.number, one.pid)))


def _local_mounts(host: Host) -> frozenset[int]:
    """Return the numbers of the mounts whose files can be looked at without asking another program or machine."""
    return frozenset(one.number for one in mounts_everywhere(host) if not one.kind.startswith(_REMOTE))


def _generic_nodes(host: Host) -> Mapping[int, int]:
    """Return each disk's number by that of its SCSI generic node, by which a virtual machine may have it as well."""
    found = {}
    for path in (host.root / "sys/block").glob("*/device/scsi_generic/*/dev"):
        with contextlib.suppress(OSError, ValueError):
            disk = (path.parents[3] / "dev").read_text(encoding="ascii")
            found[_number(path.read_text(encoding="ascii"))] = _number(disk)
    return found


def _number(text: str) -> int:
    major, _, minor = text.strip().partition(":")
    return os.makedev(int(major), int(minor))


def _opened_by(process: Path, local: Collection[int], generic: Mapping[int, int]) -> Iterator[tuple[int, bool]]:
    """Yield each block device that the process has open, and whether for writing; those for writing last."""
    found = []
    with contextlib.suppress(OSError):  # it ends meanwhile, or is the kernel's own
        for entry in os.scandir(process / "fd"):
            with contextlib.suppress(OSError, ValueError):
                if (number := _device_of(entry, process, local, generic)) is not None:
                    found.append((number, bool(entry.stat(follow_symlinks=False).st_mode & stat.S_IWUSR)))
    return iter(sorted(found, key=lambda one: one[1]))


def _device_of(
    entry: os.DirEntry[str], process: Path, local: Collection[int], generic: Mapping[int, int]
) -> int | None:
    if not os.readlink(entry.path).startswith("/"):  # noqa: PTH115  (a pipe, a socket; Path costs five times as much)
        return None
    fields = dict(line.split(":", 1) for line in (process / "fdinfo" / entry.name).read_text("ascii").splitlines())
    if int(fields["mnt_id"]) not in local or int(fields["flags"], 8) & os.O_PATH:
        return None
    status = entry.stat()
    if stat.S_ISBLK(status.st_mode):
        return status.st_rdev
    return generic.get(status.st_rdev) if stat.S_ISCHR(status.st_mode) else None


def _ancestors(host: Host, pid: int) -> Iterator[int]:
    for _ in range(32):
        if pid <= 1:
            return
        yield pid
        try:
            text = (host.root / f"proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return
        pid = int(text.rpartition(")")[2].split()[1])


def _name(host: Host, pid: int) -> str:
    try:
        text = (host.root / f"proc/{pid}/comm").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "?"
    return printable(text, 16) or "?"
