"""One job at a time a disk."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator

from .wire import Busy


class Claims:
    """Which whole disks the helper's own jobs are at, by device number."""

    def __init__(self) -> None:
        self._taken: set[int] = set()

    @contextlib.contextmanager
    def hold(self, disks: Collection[int]) -> Iterator[None]:
        """Have ``disks`` to oneself; raises Busy when a job has one of them."""
        if self._taken & set(disks):
            raise Busy("Another job is using one of these disks; wait until it ends, or cancel it.", code="busy")
        self._taken.update(disks)
        try:
            yield
        finally:
            self._taken.difference_update(disks)
