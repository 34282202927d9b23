"""Users of block devices, by the kernel's word: mounts of every namespace, logs, swap, loop devices, exports, holders.

``DeviceUsers`` is read once and asked of any number of devices. It follows what is stacked on a device: a file system
mounted from a loop device over a partition uses the disk. No disk is opened, so none wakes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from raidwright.core.messages import say
from raidwright.core.protocol.device_users import DeviceUser, UserKind

from .exported import exports
from .host import Host
from .mount_tables import Mount, mounts_everywhere, numbers_of
from .open_devices import Opening

_GET_STATUS = 0x4C05  # LOOP_GET_STATUS64 (linux/loop.h)
_STATUS_BYTES = 232
_BACKING_NUMBER = struct.Struct("=16xQ")  # lo_rdevice, behind lo_device and lo_inode


@dataclass(frozen=True, slots=True)
class DeviceUsers:
    """Users of each block device, by its number."""

    host: Host
    mounts: Mapping[int, tuple[Mount, ...]]
    logs: Mapping[int, tuple[Mount, ...]]
    loops: Mapping[int, tuple[int, ...]]
    openings: Mapping[int, tuple[Opening, ...]]
    exports: Mapping[int, tuple[str, ...]]

    @classmethod
    def read(cls, host: Host, openings: Iterable[Opening] = ()) -> DeviceUsers:
        """Ask the kernel now; ``openings`` are the processes that count (``open_devices``)."""
        mounts, logs = defaultdict[int, list[Mount]](list), defaultdict[int, list[Mount]](list)
        for one in mounts_everywhere(host):
            for number in numbers_of(host, one):
                mounts[number].append(one)
            for number in filter(None, map(host.number_of, one.further)):
                logs[number].append(one)
        opened = defaultdict[int, list[Opening]](list)
        for opening in sorted(openings, key=lambda one: (one.number, one.pid)):
            opened[opening.number].append(opening)
        return cls(host, _first(mounts), _first(logs), loops_over(host), _frozen(opened), exports(host))

    def of(self, number: int, partition: int = 0) -> tuple[DeviceUser, ...]:
        """Return the users of a device and of everything on it, its own first, loop devices behind what is on them.

        Its partitions aren't asked about.
        """
        holders = (self.host.kernel_name(holder) for holder in self.host.holders(number))
        found = [*self._on(number, partition, "")]
        found += (DeviceUser(UserKind.HOLDER.value, holder, partition) for holder in holders)
        loops: list[DeviceUser] = []
        seen, ahead = {number}, [(higher, "") for higher in self._above(number)]
        while ahead:
            higher, below = ahead.pop(0)
            if higher in seen:
                continue
            seen.add(higher)
            name = self.host.kernel_name(higher)
            found += self._on(higher, partition, name)
            if self.host.attribute(higher, "loop/backing_file"):
                loops.append(DeviceUser(UserKind.LOOP.value, name, partition, below))
            ahead += [(one, name) for one in (*self._above(higher), *self.host.partitions(higher))]
        opened = self.openings.get(number, ())
        processes = (
            DeviceUser(UserKind.PROCESS.value, one.name, partition, pid=one.pid, writes=one.writes) for one in opened
        )
        return (*found, *loops, *processes)

    def of_disk(self, number: int) -> tuple[DeviceUser, ...]:
        """Return the users of a whole disk and of its partitions."""
        parts = ((part, self.host.partition(part) or 0) for part in self.host.partitions(number))
        return (*self.of(number), *(user for part, place in parts for user in self.of(part, place)))

    def _above(self, number: int) -> tuple[int, ...]:
        return (*self.host.holders(number), *self.loops.get(number, ()))

    def _on(self, number: int, partition: int, through: str) -> Iterator[DeviceUser]:
        for mount in self.mounts.get(number, ()):
            yield DeviceUser(UserKind.MOUNT.value, mount.point, partition, through, mount.pid)
        for mount in self.logs.get(number, ()):
            yield DeviceUser(UserKind.LOG.value, mount.point, partition, through, mount.pid)
        for name in self.exports.get(number, ()):
            yield DeviceUser(UserKind.EXPORT.value, name, partition, through)
        if self.host.is_swap(number):
            yield DeviceUser(UserKind.SWAP.value, self.host.kernel_name(number), partition, through)


def _first(mounts: Mapping[int, list[Mount]]) -> Mapping[int, tuple[Mount, ...]]:
    """Return each device's mounts in one namespace: the system's own, or the first that has any."""
    return {number: tuple(one for one in found if one.pid == found[0].pid) for number, found in mounts.items()}


def _frozen(opened: Mapping[int, list[Opening]]) -> Mapping[int, tuple[Opening, ...]]:
    return {number: tuple(found) for number, found in opened.items()}


def loops_over(host: Host) -> Mapping[int, tuple[int, ...]]:
    """Return the loop devices over block devices, by the number of the one below."""
    found = defaultdict[int, list[int]](list)
    for path in sorted((host.root / "sys/block").glob("loop*/loop/backing_file")):
        loop = host.number_in(path.parents[1] / "dev")
        if (below := _backing(host, loop, path.read_text("utf-8", "replace").strip())) is not None:
            found[below].append(loop)
    return {below: tuple(loops) for below, loops in found.items()}


def _backing(host: Host, loop: int, path: str) -> int | None:
    """Return the number of the block device below a loop device; None for a file.

    The path is that of another namespace, perhaps, so the kernel's number counts more.
    """
    with contextlib.suppress(OSError):
        fd = os.open(host.root / host.node(loop).lstrip("/"), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            status = fcntl.ioctl(fd, _GET_STATUS, bytes(_STATUS_BYTES))
        finally:
            os.close(fd)
        return _decoded(_BACKING_NUMBER.unpack_from(status)[0]) or None
    return host.number_of(path)


def _decoded(number: int) -> int:
    """Return Python's number of the kernel's ``huge_encode_dev``."""
    return os.makedev((number & 0xFFF00) >> 8, (number & 0xFF) | ((number >> 12) & 0xFFF00))


_WORDS = {
    UserKind.MOUNT: say("holds the file system mounted at {used} ({name}); unmount it"),
    UserKind.LOG: say("holds a part of the file system mounted at {used}, such as its log ({name}); unmount that"),
    UserKind.SWAP: say("is swap space ({name}); switch it off with swapoff"),
    UserKind.LOOP: say("is below the loop device {used} ({name}); remove that with losetup --detach"),
    UserKind.EXPORT: say(
        "is exported to other machines by {used} ({name}); take it out of there (below /sys/kernel/config)"
    ),
    UserKind.PROCESS: say("is open for writing by {used} (process {pid}) ({name}); end that, or take the disk from it"),
    UserKind.HOLDER: say("is part of {used} ({name}); stop that"),
}
_THROUGH = say("holds the file system mounted at {used} through {through} ({name}); unmount it and remove {through}")
_ELSEWHERE = say(
    "holds the file system mounted at {used} in the mount namespace of process {pid} ({name}); unmount it there, or "
    "end what runs there"
)


def words_of(user: DeviceUser, name: str) -> str:
    """Return what ``user`` does with the device ``name``, and the remedy, as the rest of a sentence."""
    template = _WORDS[UserKind(user.kind)]
    if user.kind == UserKind.MOUNT and (user.pid or user.through):
        template = _ELSEWHERE if user.pid else _THROUGH
    return say(template, used=user.name, name=name, through=user.through, pid=user.pid)
