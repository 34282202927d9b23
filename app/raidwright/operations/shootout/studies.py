"""Questions of published studies as shoot-outs: which layouts, chunks and numbers of disks, measured by which suite.

Their sources are in ``docs/guide/studies.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from raidwright.analysis.advice.matrix import possible, read_shapes
from raidwright.core.errors import InputError
from raidwright.core.model.plan import Member, Plan
from raidwright.core.system.filesystem import ALIGNED_KINDS, MEASURED_KINDS, FileSystemKind
from raidwright.runs.run import ArrayState
from raidwright.suites import Suite

_BOTH = (ArrayState.HEALTHY, ArrayState.DEGRADED)
_WHOLE = (ArrayState.HEALTHY,)


class Study(StrEnum):
    """The studies; the values are what scripts use."""

    LAYOUTS = "layouts"  # every layout of raid5 and raid10 on the same disks
    FILE_SYSTEMS = "file-systems"  # levels and chunks under file systems, aligned and not
    MIRRORS = "mirrors"  # a stream from a mirror as fast as from two disks
    DISKS = "disks"  # from two disks to all
    NEAR_OR_PARITY = "near-or-parity"  # raid10 of four disks or raid5 of three


@dataclass(frozen=True, slots=True)
class Question:
    """The shoot-out of a study. ``is_of_each_count``: with every number of disks from 2 on."""

    shapes: str
    chunks_kib: tuple[int, ...]
    suite: Suite
    states: tuple[ArrayState, ...]
    min_disks: int
    is_of_each_count: bool = False
    cross_paired: bool = False
    max_disks: int | None = None
    kinds: tuple[FileSystemKind, ...] = ALIGNED_KINDS

    def disks(self, members: Sequence[Member]) -> tuple[Member, ...]:
        """Return the disks that it takes of ``members``; raises InputError for too few."""
        if len(members) < self.min_disks:
            raise InputError("This question takes {count} empty disks.", code="members", count=self.min_disks)
        return tuple(members[: self.max_disks])

    def plans(self, members: Sequence[Member]) -> tuple[Plan, ...]:
        """Return the plans on these disks; raises InputError as ``disks``."""
        taken = self.disks(members)
        counts = range(2, len(taken) + 1) if self.is_of_each_count else (len(taken),)
        return possible(taken, read_shapes(self.shapes), self.chunks_kib, counts)


STUDIES: Mapping[Study, Question] = {
    Study.LAYOUTS: Question("raid5:all,raid10:n2,raid10:o2,raid10:f2,raid0", (256,), Suite.LAYOUTS, _BOTH, 3),
    Study.FILE_SYSTEMS: Question(
        "raid5,raid6,raid10:n2", (64, 256, 1024), Suite.FILESYSTEM, _WHOLE, 4, kinds=MEASURED_KINDS
    ),
    Study.MIRRORS: Question("raid1,raid10:f2", (256,), Suite.BUFFERED, _WHOLE, 2, cross_paired=True, max_disks=2),
    Study.DISKS: Question("raid0,raid5,raid6", (64,), Suite.BUFFERED, _WHOLE, 3, is_of_each_count=True),
    Study.NEAR_OR_PARITY: Question("raid5@3,raid10:n2@4", (256,), Suite.CLASSIC, _WHOLE, 4, max_disks=4),
}
