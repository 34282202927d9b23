"""Persistent storage of a lab: the disks' contents, and the helper's files in /var/lib/raidwright.

Everything else of a lab is new at each start, so starting twice with the same store is like a power cut and a reboot. A
disk's files are SERIAL.0, SERIAL.1, …, one for each TiB that was written to, and sparse (c/store.c).
"""

from __future__ import annotations

from pathlib import Path

from .disk import LabDisk

STATE_DEVICE = "/dev/ubdc"  # ubda is the root disk, ubdb the overlay
_STATE_BYTES = 2**30  # sparse


def first_tib(store: Path, disk: LabDisk) -> Path:
    """Return the file with the first TiB of ``disk``; it doesn't exist before the first write there."""
    return store / f"{disk.serial}.0"


def state_image(store: Path) -> Path:
    """Return the disk image for the helper's files, creating an empty one if there is none."""
    path = store / "state.img"
    if not path.exists():
        with path.open("xb") as file:
            file.truncate(_STATE_BYTES)
    return path
