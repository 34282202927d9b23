"""Rate over the size of a file: each size on a new file system, written, read from the disks, and from memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.file_acts import MIN_FILES, FileAct
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.runs.run import RunResult, new_series

from .file_systems import MeasureFiles, MeasureFileSystem, Setup
from .operation import Operation
from .pace import Pace
from .shootout.scratch import scratch_array, trial
from .shootout.slices import Contestant
from .suites import samples_to

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

SIZES_MIB = (1, 4, 16, 64, 256, 1024)
ACTS = (FileAct.WRITE, FileAct.READ, FileAct.READ_CACHED)
_ROUND_S, _MB_S = 25.0, 60.0  # a file system's coming and going with its units, and a careful rate


@dataclass(frozen=True, slots=True)
class SizePoint:
    """The results of one size by act, one per repeat; {} while it isn't measured."""

    value: int
    results: tuple[dict[FileAct, RunResult], ...] = ()

    @property
    def is_measured(self) -> bool:
        """True once there is a result."""
        return bool(self.results)

    def rates(self, act: FileAct) -> tuple[float, ...]:
        """Return the repeats' MB/s."""
        return tuple(one[act].mb_s for one in self.results)


@dataclass(frozen=True, slots=True)
class FileSizesFound:
    """The points by rising size, on the file systems of ``setup``."""

    setup: Setup
    points: tuple[SizePoint, ...]


@dataclass(frozen=True, slots=True)
class FileSizesProgress(JobProgress):
    """Progress, the size in MiB that is measured, and the points so far."""

    value: int
    points: tuple[SizePoint, ...]
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class FileSizes(Operation[FileSizesFound]):
    """Measure files of each of ``sizes_mib`` on the empty array ``target``, ``repeats`` times, the sizes by turns."""

    target: str
    setup: Setup
    sizes_mib: tuple[int, ...]
    machine_title: str
    repeats: int = 1
    is_practice: bool = False
    keep: bool = True

    @property
    def estimated_s(self) -> float:
        """Estimate of the seconds of the whole."""
        return self.repeats * sum(_ROUND_S + 5 * size * 1.05 / _MB_S for size in self.sizes_mib)

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> FileSizesFound:
        """As ``Operation.perform``; DiskRefused unless the array is empty, InputError for a file that is too large."""
        sizes = sorted(set(self.sizes_mib))
        parameters = {"sizes_mib": sizes, "repeats": self.repeats}
        series, pace = new_series("sweep", "file_size", parameters), Pace(self.estimated_s)
        points = [SizePoint(size) for size in sizes]
        count = len(points) * self.repeats
        for done in range(count):
            place, repeat = done % len(points), done // len(points) + 1
            point, share = points[place], done / count
            on_update(FileSizesProgress(str(JobStep.MEASURE), share, point.value, tuple(points), pace.left_s(share)))
            request = MeasureFileSystem(self.target, self.setup, point.value, MIN_FILES)
            measure = MeasureFiles(request, self.machine_title, self.is_practice, self.keep, series, repeat=repeat)
            found = await measure.perform(machine, samples_to(on_update))
            points[place] = replace(point, results=(*point.results, dict(found.results)))
        return FileSizesFound(self.setup, tuple(points))


@dataclass(frozen=True, slots=True)
class FileSizesOnScratch(Operation[FileSizesFound]):
    """Perform ``sizes`` on a scratch array of ``contestant`` instead of the array it names."""

    contestant: Contestant
    sizes: FileSizes

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> FileSizesFound:
        """As ``Operation.perform``; the array is removed at the end in any case."""
        disks = tuple(replace(disk, baseline=None) for disk in self.contestant.disks)
        minutes = 10 + int(self.sizes.estimated_s / 20)
        async with (
            trial(machine, disks, minutes),
            scratch_array(machine, self.contestant.plan, self.contestant.halved) as array,
        ):
            return await replace(self.sizes, target=array.target).perform(machine, on_update)


def fitting(sizes_mib: Sequence[int], room_mib: int) -> tuple[int, ...]:
    """Return the sizes that fit ``room_mib`` with a file system's own data."""
    return tuple(size for size in sizes_mib if size <= room_mib * 0.75)
