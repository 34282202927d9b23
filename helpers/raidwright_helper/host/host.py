"""Reading the host: sysfs, udev's database, mounts, swap. No device is opened here, so none wakes.

Sources: kernel ``Documentation/ABI`` (sysfs-block, sysfs-block-device), ``scsi_sysfs.c``, proc(5) mountinfo and swaps,
systemd ``sd-device`` (the udev database is /run/udev/data/b<major>:<minor>; S: links, E: properties).
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from raidwright_helper.jobs.looks import Looks

_ESCAPE = re.compile(r"\\([0-7]{3})")
_SLOWEST_RPM, _FASTEST_RPM = 0x0401, 0xFFFE
_LINKS = (
    re.compile(r"/(usb\d+)/(\d+-\d+)/"),  # devices on one port share its speed, with or without a hub
    re.compile(r"/(ata\d+)/"),
    re.compile(r"/(nvme\d+)/"),
    re.compile(r"/(virtio\d+)/"),
    re.compile(r"/(mmc\d+)/"),
    re.compile(r"/(host\d+)/"),
)


@dataclass(frozen=True, slots=True)
class UdevRecord:
    """udev's record of a device: its links below /dev and its properties."""

    links: frozenset[str]
    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Mount:
    """A mount of a device: its place, and the file system's type."""

    place: str
    kind: str


@dataclass(frozen=True, slots=True)
class Host:
    """The machine below ``root`` ("/", except in tests). Devices are identified by number (``st_rdev``).

    ``looks`` are this process's own, which open arrays.
    """

    root: Path = Path("/")
    looks: Looks = field(default_factory=Looks, compare=False, repr=False)

    @property
    def boot_id(self) -> str:
        """The kernel's boot id, new at each boot; "" if unknown."""
        return _read(self.root / "proc/sys/kernel/random/boot_id").strip()

    def block_dir(self, number: int) -> Path:
        """Return the device's folder in sysfs."""
        return (self.root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()

    def attribute(self, number: int, name: str) -> str:
        """Return a sysfs attribute, "" if there is none."""
        return _read(self.block_dir(number) / name).strip()

    def kernel_name(self, number: int) -> str:
        """Return the kernel's name, ``sda``; ``node`` gives the path below /dev."""
        return self.block_dir(number).name

    def node(self, number: int) -> str:
        """Return the kernel's own node, ``/dev/sda``: not a link, and stable while it is held open."""
        fields = dict(line.split("=", 1) for line in _lines(self.attribute(number, "uevent")) if "=" in line)
        return f"/dev/{fields.get('DEVNAME', self.kernel_name(number))}"

    def size_bytes(self, number: int) -> int:
        """Return the size; sysfs counts in sectors of 512 bytes, whatever the device's own are."""
        return int(self.attribute(number, "size") or 0) * 512

    def sector_bytes(self, number: int) -> int:
        """Return the logical sector of the whole disk."""
        return int(self.attribute(number, "queue/logical_block_size") or 512)

    def rotation_rpm(self, number: int) -> int | None:
        """Return a spinning disk's rate (SBC-3, 6.5.3: 0401h to FFFEh), as read by the kernel."""
        try:
            page = (self.block_dir(number) / "device/vpd_pgb1").read_bytes()
        except OSError:
            return None
        rpm = int.from_bytes(page[4:6])
        return rpm if _SLOWEST_RPM <= rpm <= _FASTEST_RPM else None

    def start_bytes(self, number: int) -> int:
        """Return a partition's start on its disk."""
        return int(self.attribute(number, "start") or 0) * 512

    def written_sectors(self, number: int) -> int:
        """Return the sectors written since the device appeared (kernel ``Documentation/block/stat.rst``)."""
        fields = self.attribute(number, "stat").split()
        return int(fields[6]) if len(fields) > 6 else 0

    def announce(self, number: int) -> None:
        """Trigger a change uevent, so that udev and its listeners probe the device again.

        Not by udevadm, which needs a netlink socket that the service's unit doesn't allow.
        """
        with contextlib.suppress(OSError):  # the device has just gone, which has its own uevent
            (self.block_dir(number) / "uevent").write_text("change", encoding="ascii")

    def partition(self, number: int) -> int | None:
        """Return the partition's number; None for a whole disk."""
        return int(text) if (text := self.attribute(number, "partition")) else None

    def whole(self, number: int) -> int:
        """Return the whole disk of a partition; a whole disk's own number."""
        if self.partition(number) is None:
            return number
        return _device_number(_read(self.block_dir(number).parent / "dev"))

    def partitions(self, number: int) -> tuple[int, ...]:
        """Return the partitions of a whole disk that the kernel knows."""
        found = sorted(self.block_dir(number).glob("*/partition"))
        return tuple(_device_number(_read(path.parent / "dev")) for path in found)

    def holders(self, number: int) -> tuple[int, ...]:
        """Return the holders of the device (md, device-mapper, bcache), without its partitions' holders."""
        return self._numbers_in(number, "holders")

    def slaves(self, number: int) -> tuple[int, ...]:
        """Return the slaves of the device."""
        return self._numbers_in(number, "slaves")

    def leaves(self, number: int) -> frozenset[int]:
        """Return the whole disks below a device, or itself if it is one."""
        below = self.slaves(number)
        return frozenset().union(*map(self.leaves, below)) if below else frozenset({self.whole(number)})

    def is_disk(self, number: int) -> bool:
        """Return whether it is a whole hardware disk, not an md, device-mapper or loop device."""
        return self.partition(number) is None and (self.block_dir(number) / "device").exists()

    def number_in(self, path: Path) -> int:
        """Return the device number in one of sysfs's ``dev`` files, 0 if there is none."""
        return _device_number(_read(path))

    def _numbers_in(self, number: int, name: str) -> tuple[int, ...]:
        found = sorted((self.block_dir(number) / name).glob("*/dev"))
        return tuple(_device_number(_read(path)) for path in found)

    def disks(self) -> tuple[int, ...]:
        """Return every whole hardware disk."""
        found = sorted((self.root / "sys/block").glob("*/dev"))
        numbers = (_device_number(_read(path)) for path in found)
        return tuple(number for number in numbers if self.is_disk(number) and self.size_bytes(number))

    def arrays(self) -> tuple[int, ...]:
        """Return every md array, running or not."""
        found = sorted((self.root / "sys/block").glob("*/md"))
        return tuple(_device_number(_read(path.parent / "dev")) for path in found)

    def mapped(self) -> tuple[int, ...]:
        """Return every device-mapper device."""
        found = sorted((self.root / "sys/block").glob("*/dm"))
        return tuple(_device_number(_read(path.parent / "dev")) for path in found)

    def link(self, number: int) -> str:
        """Return the port, hub or adapter of the disk; disks with the same link share its speed."""
        path = str(self.block_dir(number))
        match = next((found for pattern in _LINKS if (found := pattern.search(path))), None)
        return "-".join(match.groups()) if match else ""

    def udev(self, number: int) -> UdevRecord:
        """Return udev's record, empty if there is none."""
        lines = _lines(_read(self.root / f"run/udev/data/b{os.major(number)}:{os.minor(number)}"))
        properties = (line[2:].split("=", 1) for line in lines if line.startswith("E:") and "=" in line)
        return UdevRecord(
            links=frozenset(line[2:] for line in lines if line.startswith("S:")),
            properties=dict(properties),
        )

    def udev_blocks(self) -> tuple[int, ...]:
        """Return every block device that udev has a record of."""
        found = sorted((self.root / "run/udev/data").glob("b*:*"))
        return tuple(_device_number(path.name.removeprefix("b")) for path in found)

    def mount_point(self, number: int) -> str | None:
        """Return the device's mount point in this process's mount namespace; None if it isn't mounted."""
        return next((mount.place for mount in self.mounts(number)), None)

    def mounts(self, number: int) -> Iterator[Mount]:
        """Yield the device's mounts in this process's mount namespace."""
        for line in _lines(_read(self.root / "proc/self/mountinfo")):
            left, _, right = line.partition(" - ")
            fields, (kind, source) = left.split(" "), [*right.split(" "), "", ""][:2]
            # btrfs shows an anonymous number, so the source's number counts as well
            if fields[2] == f"{os.major(number)}:{os.minor(number)}" or self.number_of(_plain(source)) == number:
                yield Mount(_plain(fields[4]), kind)

    def is_swap(self, number: int) -> bool:
        """Return whether it is active swap space."""
        lines = _lines(_read(self.root / "proc/swaps"))[1:]
        return any(self.number_of(_plain(line.split()[0])) == number for line in lines)

    def number_of(self, path: str) -> int | None:
        """Return the number of the block device at an absolute path; None if there is none."""
        if not path.startswith("/dev/"):
            return None
        try:
            status = os.stat(self.root / path.lstrip("/"))  # noqa: PTH116  (st_rdev needs no Path)
        except OSError:
            return None
        return status.st_rdev or None


def _read(path: Path) -> str:
    """Return a small kernel file, "" if it doesn't exist (or has gone with its device)."""
    try:
        return path.read_bytes().decode(errors="replace")  # text mode would translate more line ends
    except OSError:
        return ""


def _lines(text: str) -> list[str]:
    """Split lines as the kernel and udev end them: a user's name may contain other line separators of Python's."""
    return [line for line in text.split("\n") if line]


def _device_number(text: str) -> int:
    major, _, minor = text.strip().partition(":")
    return os.makedev(int(major), int(minor)) if minor else 0


def _plain(text: str) -> str:
    r"""Decode the kernel's ``\040``."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
