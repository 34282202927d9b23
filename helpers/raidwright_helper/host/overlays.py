"""Overlays: snapshots of disks whose writes go to a file, so that a rescue can be tried and the disks stay as they are.

Each disk is the origin of a device-mapper ``snapshot`` target, which the kernel opens for reading alone
(``dm-snap.c snapshot_ctr``: ``origin_mode = FMODE_READ``); what is written lands in a sparse file, by a loop device and
a linear target for each disk. LVM's volumes on the tried array are mapped read-only. All devices have a device-mapper
UUID of ours (`UUID`), by which the next helper finds them, whatever stopped this one (``take_down``); a name or an md
number says nothing, since somebody else's device may have it. The array on them is known by its slaves, the loop device
by its file. After a power cut only the file is left. udev's rules keep everything else off them
(``11-raidwright-trial.rules``).

dmsetup, losetup and modprobe run as units of their own (``outside``): this service has neither the control devices nor
the capabilities.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import DiskRefused, JobFailed

from . import md, system_files
from .guards import Pinned
from .host import Host
from .outside import run_outside
from .runner import run

UUID = "RAIDWRIGHT-trial-"  # of each device, before its own name; also in 11-raidwright-trial.rules
_PREFIX = "raidwright-trial-"  # of the names, for people
_VOLUME = "lv-"  # of the mapped volumes' names, after the prefix
_STORE = "-cow"  # at the end of the stores' names
_NUMBERS = range(973, 511, -1)  # of nodes of md: mdadm from 4.3 on takes none above 1024, and itself goes from 127 down
_DMSETUP = "/usr/sbin/dmsetup"
_LOSETUP = "/usr/sbin/losetup"
_MODPROBE = "/usr/sbin/modprobe"
_FILE = "raidwright-overlays.img"
_SHARE_BYTES = 128 * 2**20  # of a disk: superblocks, a bitmap, and what a check or a mount writes all the same
_RESERVE_BYTES = 64 * 2**20
_CHUNK_SECTORS = 8
_LIMIT_SECONDS = 60.0
_STOP_PAUSES_S = (0.0, 0.3, 1.0, 2.0, 5.0)  # udev, or the mount of a unit that just ended


@dataclass(frozen=True, slots=True)
class Overlays:
    """The overlays on ``host``, one set at a time; their file is in ``folder``, which is created on first use."""

    host: Host
    folder: Path

    async def set_up(self, devices: Sequence[Pinned], log: list[str]) -> tuple[str, ...]:
        """Lay an overlay over each of the ``devices``; return their nodes, in order.

        ``log`` gets each command. Raises DiskRefused without room, JobFailed; the caller takes down what there is.
        """
        self._make_file(len(devices))
        await run_outside((_MODPROBE, "--all", "--quiet", "loop", "dm_snapshot"), "CAP_SYS_MODULE", log)
        argv = (_LOSETUP, "--find", "--show", str(self.folder / _FILE))
        loop = (await run_outside(argv, "CAP_SYS_ADMIN", log, f"ReadWritePaths={self.folder}")).strip()
        sectors = _SHARE_BYTES // 512
        await self._create(
            [(f"{at}{_STORE}", f"0 {sectors} linear {loop} {at * sectors}") for at in range(len(devices))], log
        )
        stores = [self._node(f"{at}{_STORE}") for at in range(len(devices))]
        await self._create(
            [
                (
                    str(at),
                    f"0 {self.host.size_bytes(device.number) // 512} snapshot {device.node} {store} N {_CHUNK_SECTORS}",
                )
                for at, (device, store) in enumerate(zip(devices, stores, strict=True))
            ],
            log,
        )
        return tuple(self._node(str(at)) for at in range(len(devices)))

    async def map_volumes(self, tables: Sequence[Sequence[str]], log: list[str]) -> tuple[str, ...]:
        """Map volumes on the tried array for reading alone, by device-mapper's lines; return their nodes, in order.

        Raises JobFailed.
        """
        names = [f"{_VOLUME}{at}" for at in range(len(tables))]
        await self._create([(name, ",".join(table)) for name, table in zip(names, tables, strict=True)], log, mode="ro")
        return tuple(self._node(name) for name in names)

    def _make_file(self, count: int) -> None:
        system_files.have_folder(self.folder)
        needed = count * _SHARE_BYTES + _RESERVE_BYTES
        with system_files.own_folder(self.folder) as folder:
            space = os.fstatvfs(folder)
            if space.f_bavail * space.f_frsize < needed:
                raise DiskRefused(
                    "A trial needs {needed:size} of room in {folder}, for what would be written to the disks; there "
                    "are {free:size}. Make room there.",
                    code="rescue-room",
                    needed=needed,
                    folder=str(self.folder),
                    free=space.f_bavail * space.f_frsize,
                )
        try:
            with system_files.new_file(self.folder / _FILE) as file:
                file.truncate(count * _SHARE_BYTES)
        except OSError as error:
            raise JobFailed(
                "{path} can't be made: {why}.",
                code="file-write",
                path=str(self.folder / _FILE),
                why=error.strerror,
            ) from error

    def free_node(self) -> str:
        """Return a node of md that neither a device nor a file in /dev has; raises JobFailed."""
        for number in _NUMBERS:
            taken = (self.host.root / f"sys/block/md{number}", self.host.root / f"dev/md{number}")
            if not any(os.path.lexists(path) for path in taken):
                return f"/dev/md{number}"
        raise JobFailed("md has no free number for the array that is tried.", code="rescue-overlay")

    async def _create(self, devices: Sequence[tuple[str, str]], log: list[str], mode: str = "rw") -> None:
        table = ";".join(f"{_PREFIX}{name},{UUID}{name},,{mode},{line}" for name, line in devices)
        argv = (_DMSETUP, "create", "--noudevsync", "--concise", table)
        await run_outside(argv, "CAP_SYS_ADMIN CAP_MKNOD", log)

    def _node(self, name: str) -> str:
        for number, called in self._devices():
            if called == name:
                return self.host.node(number)
        raise JobFailed("The kernel made no overlay.", code="rescue-overlay")

    def _devices(self) -> Iterator[tuple[int, str]]:
        """Yield our device-mapper devices, and their names after the prefix."""
        for number in self.host.mapped():
            uuid = self.host.attribute(number, "dm/uuid")
            if uuid.startswith(UUID):
                yield number, uuid.removeprefix(UUID)

    async def _loops(self, log: list[str]) -> tuple[str, ...]:
        """Return the loop devices below our stores, and those of our file, by its device and inode (losetup(8))."""
        below = [one for number, name in self._devices() if name.endswith(_STORE) for one in self.host.slaves(number)]
        found = [self.host.node(number) for number in below]
        if (path := self.folder / _FILE).exists():
            argv = (_LOSETUP, "--list", "--noheadings", "--output=NAME", "--associated", str(path))
            found += (await run_outside(argv, "CAP_SYS_ADMIN", log)).split()
        return tuple(dict.fromkeys(found))

    @property
    def are_left(self) -> bool:
        """True if overlays, or their file, are there."""
        return bool(tuple(self._devices())) or (self.folder / _FILE).exists()

    async def take_down(self, log: list[str]) -> None:
        """Stop the array on the overlays, remove them and their file; raises JobFailed if something holds them."""
        loops = await self._loops(log)
        names = [name for _, name in self._devices()]
        volumes = [name for name in names if name.startswith(_VOLUME)]
        await self._remove(volumes, log)
        for array in self._arrays():
            await _stop(self.host.node(array), log)
        names = [name for name in names if name not in volumes]
        await self._remove(sorted(names, key=lambda name: name.endswith(_STORE)), log)  # snapshots before their stores
        if loops:
            await run_outside((_LOSETUP, "--detach", *loops), "CAP_SYS_ADMIN", log)
        if self.folder.is_dir():
            system_files.remove(self.folder / _FILE)

    async def _remove(self, names: Sequence[str], log: list[str]) -> None:
        called = {own: self.host.attribute(number, "dm/name") for number, own in self._devices()}
        if there := [called[name] for name in names if called.get(name)]:
            argv = (_DMSETUP, "remove", "--noudevsync", "--retry", *there)
            await run_outside(argv, "CAP_SYS_ADMIN CAP_MKNOD", log)

    def _arrays(self) -> tuple[int, ...]:
        """Return md's arrays that are made of our overlays alone."""
        own = {number for number, _ in self._devices()}
        above = {holder for number in own for holder in self.host.holders(number)}
        is_md = (array for array in sorted(above) if (self.host.block_dir(array) / "md").exists())
        return tuple(array for array in is_md if set(self.host.slaves(array)) <= own)


async def _stop(node: str, log: list[str]) -> None:
    for pause_s in _STOP_PAUSES_S:
        await asyncio.sleep(pause_s)
        finished = await run((md.MDADM, "--stop", node), limit_s=_LIMIT_SECONDS, accept=(0, 1))
        if not finished.code:
            log.append(finished.command)
            return
    raise JobFailed(
        "The array that was tried on overlays is still in use ({node}); nothing is written to its disks. Close what "
        "uses it and try again.",
        code="rescue-busy",
        node=node,
    )
