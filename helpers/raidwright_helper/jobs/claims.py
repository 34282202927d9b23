"""Claims: one job at a time per disk, and one on the system's files."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator

from raidwright.core.protocol.errors import Busy

LOCATING = -3  # likewise: one disk is shown at a time, or nobody could tell which is which
OVERLAYS = -2  # likewise: one trial of a rescue at a time
SYSTEM_FILES = -1  # claimed like a disk, by a number that no disk has


class Claims:
    """The whole disks claimed by the helper's own jobs, by device number."""

    def __init__(self) -> None:
        self._taken: set[int] = set()

    def has_any(self, disks: Collection[int]) -> bool:
        """Return whether a job has one of ``disks``."""
        return not self._taken.isdisjoint(disks)

    @contextlib.contextmanager
    def hold(self, disks: Collection[int]) -> Iterator[None]:
        """Claim ``disks``; raises Busy if a job has one of them."""
        if self.has_any(disks):
            raise Busy("Another job is at work on the same disks or files; wait until it has ended.", code="busy")
        self._taken.update(disks)
        try:
            yield
        finally:
            self._taken.difference_update(disks)
