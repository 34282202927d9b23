"""One job at a time a disk, and one at the system's files."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator

from raidwright.core.protocol.errors import Busy

SYSTEM_FILES = -1  # claimed like a disk, by a number that none has


class Claims:
    """Which whole disks the helper's own jobs are at, by device number."""

    def __init__(self) -> None:
        self._taken: set[int] = set()

    @contextlib.contextmanager
    def hold(self, disks: Collection[int]) -> Iterator[None]:
        """Have ``disks`` to oneself; raises Busy when a job has one of them."""
        if self._taken & set(disks):
            raise Busy("Another job is at work on the same disks or files; wait until it has ended.", code="busy")
        self._taken.update(disks)
        try:
            yield
        finally:
            self._taken.difference_update(disks)
