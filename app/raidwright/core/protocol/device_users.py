"""Users of a disk: what the kernel and /proc name, for the disk itself, its partitions and what is stacked on them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

UInt32 = Annotated[int, "u"]


class UserKind(StrEnum):
    """Kind of a device's user."""

    MOUNT = "mount"  # a mounted file system
    LOG = "log"  # an external log or realtime device of a mounted file system
    SWAP = "swap"
    LOOP = "loop"  # a loop device whose backing file is the device
    HOLDER = "holder"  # md, device-mapper, bcache
    PROCESS = "process"  # has it open, without a claim
    EXPORT = "export"  # this machine exports it to others


@dataclass(frozen=True, slots=True)
class DeviceUser:
    """One user of a disk (``partition`` 0) or of a partition of it.

    ``name`` is a mount point, a kernel name, an export, or the name of a process. ``through`` is the kernel's name of
    the device stacked on the disk that is really used, "" for the disk or partition itself. ``pid`` is the process, and
    for a mount a process whose mount namespace has it, 0 where that is the system's own. ``writes``: it is open for
    writing.
    """

    kind: str
    name: str
    partition: UInt32 = 0
    through: str = ""
    pid: UInt32 = 0
    writes: bool = True
