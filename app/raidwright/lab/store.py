"""Disks that outlive a power cut: image files on the host, each of which the guest's kernel has as a disk of its own.

With them goes what the helper keeps in /var/lib/raidwright. Everything else of a lab begins anew at each start, so
starting twice with the same store is a machine that was switched off at the wall and on again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase

from ..core.errors import InputError
from .disk import LabDisk

STATE_DEVICE = "/dev/ubdc"  # ubda is the root disk, ubdb the overlay
_STATE_BYTES = 2**30  # sparse
_FIRST_DISK = 3
_MOST_DEVICES = 16  # arch/um/drivers/ubd_kern.c, MAX_DEV


def on_images(disks: Sequence[LabDisk]) -> tuple[LabDisk, ...]:
    """The disks as the guest makes them of its kernel's own; raises InputError for more than these can be."""
    devices = [f"/dev/ubd{letter}" for letter in ascii_lowercase[_FIRST_DISK:_MOST_DEVICES]]
    if len(disks) > len(devices):
        raise InputError(f"A practice machine that is kept has {len(devices)} disks at most.", code="most-disks")
    return tuple(replace(disk, backing=device) for disk, device in zip(disks, devices, strict=False))


def image_of(store: Path, disk: LabDisk) -> Path:
    """The file with the bytes of ``disk``."""
    return store / f"{disk.serial}.img"


def images(store: Path, disks: Sequence[LabDisk]) -> tuple[Path, ...]:
    """The images in the order of the kernel's disks, from the third on; those that aren't there yet are made, empty."""
    wanted = [(store / "state.img", _STATE_BYTES), *((image_of(store, disk), disk.size_bytes) for disk in disks)]
    for path, size_bytes in wanted:
        if not path.exists():
            with path.open("xb") as file:
                file.truncate(size_bytes)
    return tuple(path for path, _ in wanted)
