"""Suites: named lists of workloads measured one after the other, so that two runs of one can be compared.

Pure. Of each pair the write comes first: reads then hit written blocks, which matters on flash (reads of unmapped
blocks don't access the flash).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.errors import InputError
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.own_workload import OwnWorkload
from raidwright.core.system.workload import AnyWorkload, Pattern, Workload

WARM_UP_SECONDS = 2  # a disk's write cache fills, md's stripe cache grows (since Linux 4.1), processors clock up
REPEATS = 3  # of the deciding workloads: the minimum that shows a spread


_Ours = Workload | FileAct
SuiteWorkload = _Ours | OwnWorkload


class Suite(StrEnum):
    """The closed list of suites; the values are what scripts use."""

    QUICK = "quick"  # a minute
    CLASSIC = "classic"  # CrystalDiskMark's usual tests, found in many published tables
    BUFFERED = "buffered"  # one program reading and writing a file, as with dd and conv=fdatasync
    MIXED = "mixed"  # many programs, seven of ten requests are reads
    LAYOUTS = "layouts"  # the same file, and random requests of 64 KiB: what tells layouts of parity and copies apart
    FILESYSTEM = "filesystem"  # files on ext4 and XFS, aligned to the array's stripes and not

    @property
    def workloads(self) -> tuple[SuiteWorkload, ...]:
        """The workloads, in order."""
        return _WORKLOADS[self]

    @property
    def decisive(self) -> tuple[SuiteWorkload, ...]:
        """The workloads that rank a shoot-out: streams, and random access at a high queue depth."""
        return _DECISIVE[self]


MAX_OWN = 8  # length of the longest suite


@dataclass(frozen=True, slots=True)
class OwnSuite:
    """User-defined ``workloads``, each once, all deciding; raises InputError for more than ``MAX_OWN``."""

    workloads: tuple[OwnWorkload, ...]

    def __post_init__(self) -> None:
        if len(self.workloads) > MAX_OWN:
            raise InputError("A shoot-out measures {most} jobs of one's own at most.", code="job", most=MAX_OWN)

    @property
    def decisive(self) -> tuple[OwnWorkload, ...]:
        """As ``Suite.decisive``."""
        return self.workloads

    def __str__(self) -> str:
        return "own"


AnySuite = Suite | OwnSuite
_STREAMS = (Workload.SEQUENTIAL_WRITE, Workload.SEQUENTIAL_READ)
_SMALL = (Workload.RANDOM_WRITE_4K_Q32, Workload.RANDOM_READ_4K_Q32)
_BUFFERED = (Workload.BUFFERED_WRITE, Workload.BUFFERED_READ)
RANDOM_WRITE_64K, RANDOM_READ_64K = (OwnWorkload(Pattern(one, 64, 1)) for one in ("randwrite", "randread"))
_DECISIVE: Mapping[Suite, tuple[SuiteWorkload, ...]] = {
    Suite.QUICK: (*_STREAMS, *_SMALL),
    Suite.CLASSIC: (*_STREAMS, *_SMALL),
    Suite.BUFFERED: _BUFFERED,
    Suite.MIXED: (Workload.RANDOM_MIXED_4K_Q32,),
    Suite.LAYOUTS: (*_BUFFERED, RANDOM_WRITE_64K, RANDOM_READ_64K),
    Suite.FILESYSTEM: (FileAct.WRITE, FileAct.READ),
}
_WORKLOADS: Mapping[Suite, tuple[SuiteWorkload, ...]] = {
    Suite.QUICK: (*_STREAMS, *_SMALL),
    Suite.CLASSIC: (
        *_STREAMS,
        *(Workload.RANDOM_WRITE_512K, Workload.RANDOM_READ_512K),
        *(Workload.RANDOM_WRITE_4K, Workload.RANDOM_READ_4K),
        *_SMALL,
    ),
    Suite.BUFFERED: _BUFFERED,
    Suite.MIXED: (Workload.SEQUENTIAL_WRITE, Workload.RANDOM_MIXED_4K_Q32),
    Suite.LAYOUTS: (*_BUFFERED, RANDOM_WRITE_64K, RANDOM_READ_64K),
    Suite.FILESYSTEM: tuple(FileAct),
}


def warm_up_seconds(workload: AnyWorkload) -> int:
    """Return the seconds that ``workload`` runs before it is counted.

    0 for buffered workloads: they are measured as a whole, from an empty page cache to the final flush.
    """
    return 0 if workload.pattern.buffered else WARM_UP_SECONDS


def read_suite(text: str) -> Suite:
    """Return the suite called ``text``; raises InputError."""
    try:
        return Suite(text)
    except ValueError:
        raise InputError(
            "“{name}” is no suite; there are {known}.", code="suite", name=text, known=list(Suite)
        ) from None
