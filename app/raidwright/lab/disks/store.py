"""A folder with what outlives a power cut: the disks' bytes, and what the helper keeps in /var/lib/raidwright.

Everything else of a lab begins anew at each start, so starting twice with the same store is a machine that was switched
off at the wall and on again. A disk's files are SERIAL.0, SERIAL.1, …, one for each TiB that was written to, and sparse
(c/store.c).
"""

from __future__ import annotations

from pathlib import Path

from .disk import LabDisk

STATE_DEVICE = "/dev/ubdc"  # ubda is the root disk, ubdb the overlay
_STATE_BYTES = 2**30  # sparse


def first_tib(store: Path, disk: LabDisk) -> Path:
    """The file with the first TiB of ``disk``; it isn't there before that was written to."""
    return store / f"{disk.serial}.0"


def state_image(store: Path) -> Path:
    """The image of the disk of the helper's files, made, empty, if it isn't there."""
    path = store / "state.img"
    if not path.exists():
        with path.open("xb") as file:
            file.truncate(_STATE_BYTES)
    return path
