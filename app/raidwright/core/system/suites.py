"""Suites: named lists of workloads that are measured one after the other, so that two runs of one can be compared.

Pure. Of each pair the write comes first: what is read then has been written, which matters on flash (a block that was
never written is answered without looking for it).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.errors import InputError

from .file_acts import FileAct
from .own_workload import OwnWorkload
from .workload import AnyWorkload, Workload

WARM_UP_SECONDS = 2  # a disk's write cache fills, md's stripe cache grows (since Linux 4.1), processors clock up
REPEATS = 3  # of what decides: the least that shows a spread


_Ours = Workload | FileAct
SuiteWorkload = _Ours | OwnWorkload


class Suite(StrEnum):
    """The closed list of suites; the values are what scripts use."""

    QUICK = "quick"  # a minute
    CLASSIC = "classic"  # what CrystalDiskMark made usual, and many published tables have
    BUFFERED = "buffered"  # one program reading and writing a file, as with dd and conv=fdatasync
    MIXED = "mixed"  # many programs, of whose requests seven of ten read
    FILESYSTEM = "filesystem"  # files on ext4 and XFS, aligned to the array's stripes and not

    @property
    def workloads(self) -> tuple[_Ours, ...]:
        """What is measured, in this order."""
        return _WORKLOADS[self]

    @property
    def decisive(self) -> tuple[_Ours, ...]:
        """Those that a shoot-out's winner goes by: streams, and many small accesses at once."""
        return _DECISIVE[self]


MOST_OWN = 8  # as many as the longest suite has


@dataclass(frozen=True, slots=True)
class OwnSuite:
    """Somebody's own ``workloads``, each once, all of which decide; raises InputError for more than ``MOST_OWN``."""

    workloads: tuple[OwnWorkload, ...]

    def __post_init__(self) -> None:
        if len(self.workloads) > MOST_OWN:
            raise InputError("A shoot-out measures {most} jobs of one's own at most.", code="job", most=MOST_OWN)

    @property
    def decisive(self) -> tuple[OwnWorkload, ...]:
        """As of a ``Suite``."""
        return self.workloads

    def __str__(self) -> str:
        return "own"


AnySuite = Suite | OwnSuite
_STREAMS = (Workload.SEQUENTIAL_WRITE, Workload.SEQUENTIAL_READ)
_SMALL = (Workload.RANDOM_WRITE_4K_Q32, Workload.RANDOM_READ_4K_Q32)
_BUFFERED = (Workload.BUFFERED_WRITE, Workload.BUFFERED_READ)
_DECISIVE: Mapping[Suite, tuple[_Ours, ...]] = {
    Suite.QUICK: (*_STREAMS, *_SMALL),
    Suite.CLASSIC: (*_STREAMS, *_SMALL),
    Suite.BUFFERED: _BUFFERED,
    Suite.MIXED: (Workload.RANDOM_MIXED_4K_Q32,),
    Suite.FILESYSTEM: (FileAct.WRITE, FileAct.READ),
}
_WORKLOADS: Mapping[Suite, tuple[_Ours, ...]] = {
    Suite.QUICK: (*_STREAMS, *_SMALL),
    Suite.CLASSIC: (
        *_STREAMS,
        *(Workload.RANDOM_WRITE_512K, Workload.RANDOM_READ_512K),
        *(Workload.RANDOM_WRITE_4K, Workload.RANDOM_READ_4K),
        *_SMALL,
    ),
    Suite.BUFFERED: _BUFFERED,
    Suite.MIXED: (Workload.SEQUENTIAL_WRITE, Workload.RANDOM_MIXED_4K_Q32),
    Suite.FILESYSTEM: tuple(FileAct),
}


def warm_up_seconds(workload: AnyWorkload) -> int:
    """How long ``workload`` goes on before it is counted.

    None of what goes through the page cache: there the whole is measured, from an empty cache to the flush at the end.
    """
    return 0 if workload.pattern.buffered else WARM_UP_SECONDS


def read_suite(text: str) -> Suite:
    """The suite called ``text``; raises InputError."""
    try:
        return Suite(text)
    except ValueError:
        raise InputError(
            "“{name}” is no suite; there are {known}.", code="suite", name=text, known=list(Suite)
        ) from None
