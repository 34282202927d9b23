"""Reading the host: sysfs, udev's database, mounts, swap. No device is opened here, so none wakes.

Sources: kernel ``Documentation/ABI`` (sysfs-block, sysfs-block-device), ``scsi_sysfs.c``, proc(5) mountinfo and swaps,
systemd ``sd-device`` (the udev database is /run/udev/data/b<major>:<minor>; S: links, E: properties).
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_ESCAPE = re.compile(r"\\([0-7]{3})")
_SLOWEST_RPM, _FASTEST_RPM = 0x0401, 0xFFFE
_LINKS = (
    re.compile(r"/(usb\d+)/(\d+-\d+)/"),  # what shares a port shares its speed, hub or not
    re.compile(r"/(ata\d+)/"),
    re.compile(r"/(nvme\d+)/"),
    re.compile(r"/(virtio\d+)/"),
    re.compile(r"/(mmc\d+)/"),
    re.compile(r"/(host\d+)/"),
)


@dataclass(frozen=True, slots=True)
class UdevRecord:
    """What udev knows of a device: its links below /dev and its properties."""

    links: frozenset[str]
    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Host:
    """The machine below ``root`` ("/", but for tests). Devices are meant by their number (``st_rdev``)."""

    root: Path = Path("/")

    @property
    def boot_id(self) -> str:
        """Another one at each start of the machine; "" where the kernel doesn't say."""
        return _read(self.root / "proc/sys/kernel/random/boot_id").strip()

    def block_dir(self, number: int) -> Path:
        """The device's own folder in sysfs."""
        return (self.root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()

    def attribute(self, number: int, name: str) -> str:
        """A sysfs attribute, "" where there is none."""
        return _read(self.block_dir(number) / name).strip()

    def kernel_name(self, number: int) -> str:
        """``sda``; below /dev the node is where ``node`` says."""
        return self.block_dir(number).name

    def node(self, number: int) -> str:
        """The kernel's own node, ``/dev/sda``: not a link, and of this device for as long as it is held open."""
        fields = dict(line.split("=", 1) for line in _lines(self.attribute(number, "uevent")) if "=" in line)
        return f"/dev/{fields.get('DEVNAME', self.kernel_name(number))}"

    def size_bytes(self, number: int) -> int:
        """sysfs counts in sectors of 512 bytes, whatever the device's own are."""
        return int(self.attribute(number, "size") or 0) * 512

    def rotation_rpm(self, number: int) -> int | None:
        """What a disk that turns says of how fast (SBC-3, 6.5.3: 0401h to FFFEh), as the kernel has read it."""
        try:
            page = (self.block_dir(number) / "device/vpd_pgb1").read_bytes()
        except OSError:
            return None
        rpm = int.from_bytes(page[4:6])
        return rpm if _SLOWEST_RPM <= rpm <= _FASTEST_RPM else None

    def start_bytes(self, number: int) -> int:
        """Where a partition begins on its disk."""
        return int(self.attribute(number, "start") or 0) * 512

    def written_sectors(self, number: int) -> int:
        """How much was written to the device since it appeared (kernel ``Documentation/block/stat.rst``)."""
        fields = self.attribute(number, "stat").split()
        return int(fields[6]) if len(fields) > 6 else 0

    def announce(self, number: int) -> None:
        """Have the kernel say that the device changed, so that udev and whoever listens to it look anew.

        Not by udevadm, which wants a netlink socket that the service's unit doesn't allow.
        """
        with contextlib.suppress(OSError):  # it went away just now, which is said by itself
            (self.block_dir(number) / "uevent").write_text("change", encoding="ascii")

    def partition(self, number: int) -> int | None:
        """The partition's number; None for a whole disk."""
        return int(text) if (text := self.attribute(number, "partition")) else None

    def whole(self, number: int) -> int:
        """The disk that a partition lies on; a whole disk's own number."""
        if self.partition(number) is None:
            return number
        return _device_number(_read(self.block_dir(number).parent / "dev"))

    def partitions(self, number: int) -> tuple[int, ...]:
        """The partitions of a whole disk that the kernel knows."""
        found = sorted(self.block_dir(number).glob("*/partition"))
        return tuple(_device_number(_read(path.parent / "dev")) for path in found)

    def holders(self, number: int) -> tuple[int, ...]:
        """What is stacked on the device (md, device-mapper, bcache), not on its partitions."""
        return self._numbers_in(number, "holders")

    def slaves(self, number: int) -> tuple[int, ...]:
        """What the device is stacked on."""
        return self._numbers_in(number, "slaves")

    def leaves(self, number: int) -> frozenset[int]:
        """The whole disks below a device, itself when it is one."""
        below = self.slaves(number)
        return frozenset().union(*map(self.leaves, below)) if below else frozenset({self.whole(number)})

    def is_disk(self, number: int) -> bool:
        """Whether it is a whole disk of hardware, no md, device-mapper or loop device."""
        return self.partition(number) is None and (self.block_dir(number) / "device").exists()

    def _numbers_in(self, number: int, name: str) -> tuple[int, ...]:
        found = sorted((self.block_dir(number) / name).glob("*/dev"))
        return tuple(_device_number(_read(path)) for path in found)

    def disks(self) -> tuple[int, ...]:
        """Every whole disk of hardware."""
        found = sorted((self.root / "sys/block").glob("*/dev"))
        numbers = (_device_number(_read(path)) for path in found)
        return tuple(number for number in numbers if self.is_disk(number) and self.size_bytes(number))

    def arrays(self) -> tuple[int, ...]:
        """Every md array, running or not."""
        found = sorted((self.root / "sys/block").glob("*/md"))
        return tuple(_device_number(_read(path.parent / "dev")) for path in found)

    def link(self, number: int) -> str:
        """The port, hub or adapter that the disk hangs on; disks with the same share its speed."""
        path = str(self.block_dir(number))
        match = next((found for pattern in _LINKS if (found := pattern.search(path))), None)
        return "-".join(match.groups()) if match else ""

    def udev(self, number: int) -> UdevRecord:
        """udev's record, empty where it has none."""
        lines = _lines(_read(self.root / f"run/udev/data/b{os.major(number)}:{os.minor(number)}"))
        properties = (line[2:].split("=", 1) for line in lines if line.startswith("E:") and "=" in line)
        return UdevRecord(
            links=frozenset(line[2:] for line in lines if line.startswith("S:")),
            properties=dict(properties),
        )

    def udev_blocks(self) -> tuple[int, ...]:
        """Every block device that udev has a record of."""
        found = sorted((self.root / "run/udev/data").glob("b*:*"))
        return tuple(_device_number(path.name.removeprefix("b")) for path in found)

    def mount_point(self, number: int) -> str | None:
        """Where the device is mounted, if it is (as this process's mount namespace has it)."""
        for line in _lines(_read(self.root / "proc/self/mountinfo")):
            left, _, right = line.partition(" - ")
            fields, source = left.split(" "), [*right.split(" "), "", ""][1]
            # btrfs shows an anonymous number, so the source's own counts as well.
            if fields[2] == f"{os.major(number)}:{os.minor(number)}" or self.number_of(_plain(source)) == number:
                return _plain(fields[4])
        return None

    def is_swap(self, number: int) -> bool:
        """Whether the kernel swaps to it."""
        lines = _lines(_read(self.root / "proc/swaps"))[1:]
        return any(self.number_of(_plain(line.split()[0])) == number for line in lines)

    def number_of(self, path: str) -> int | None:
        """The number of the block device that an absolute path leads to; None if it leads to none."""
        if not path.startswith("/dev/"):
            return None
        try:
            status = os.stat(self.root / path.lstrip("/"))  # noqa: PTH116  (st_rdev needs no Path)
        except OSError:
            return None
        return status.st_rdev or None


def _read(path: Path) -> str:
    """A small file of the kernel's, "" when it isn't there (or went away with its device)."""
    try:
        return path.read_bytes().decode(errors="replace")  # as text, it would have more ends of lines
    except OSError:
        return ""


def _lines(text: str) -> list[str]:
    """Lines as the kernel and udev end them: a name that somebody chose may have in it what Python takes for an end."""
    return [line for line in text.split("\n") if line]


def _device_number(text: str) -> int:
    major, _, minor = text.strip().partition(":")
    return os.makedev(int(major), int(minor)) if minor else 0


def _plain(text: str) -> str:
    r"""Undo the kernel's ``\040``."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
