"""What the window knows of a machine: frozen values, made at the door of the bus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.disk import Disk

if TYPE_CHECKING:
    from ..core.plan import Member


@dataclass(frozen=True, slots=True)
class Array:
    """An md array as UDisks2 tells it. ``sync_fraction`` is 0 … 1, ``sync_bytes_per_s`` 0 where unknown.

    ``mounted_at`` is where its file system is mounted, "" while it isn't.

    ``members``: those of ``member_devices`` that are disks or slices of them, as a plan would name them.
    """

    uuid: str
    name: str
    level: str
    device: str
    size_bytes: int
    chunk_kib: int
    running: bool
    degraded: int
    member_devices: tuple[str, ...] = ()
    sync_action: str = "idle"
    sync_fraction: float = 0.0
    sync_bytes_per_s: int = 0
    sync_seconds_left: int = 0
    members: tuple[Member, ...] = ()
    mounted_at: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A machine at one moment. ``problem`` is a sentence while it can't be seen ("" when all is well)."""

    disks: tuple[Disk, ...] = ()
    arrays: tuple[Array, ...] = ()
    problem: str = ""
