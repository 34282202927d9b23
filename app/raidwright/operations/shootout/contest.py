"""Schedule of a shoot-out: contestants, workloads, states and durations, all fixed before anything is built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

from raidwright.core.errors import InputError
from raidwright.core.model.plan import Member, Plan
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.filesystem import ALIGNED_KINDS, MEASURED_MIN_BYTES, FileSystemKind
from raidwright.core.system.workload import Workload
from raidwright.operations.file_systems import setups_for
from raidwright.runs.run import ArrayState
from raidwright.suites import REPEATS, AnySuite, Suite, SuiteWorkload, warm_up_seconds

from .predicted import Predicted
from .slices import Contestant, alone, contestant_of, crossed, volume, without_bitmap

MIN_SECONDS = 2  # per measurement: below, the first requests have too much weight
MAX_SECONDS = 60
MAX_FILL_SECONDS = 600  # the helper's limit for a workload
_FILL_MARGIN = 1.2  # factor on the predicted duration
_MIN_MB_S = 50.0
# Measured in practice machines: building and removing, failing and removing a member, re-adding, fio's start and end.
BUILD_S, LOSE_S, RETURN_S, START_S = 8.0, 3.0, 3.0, 1.5
FILES = 1000  # a round's, fewer than a suite's on an array that stays
# Of each act on files, as seen on practice disks: its time in shares of a measurement's, and what it takes besides.
# Each is a systemd unit with a mount of its own, and many files take their time however long a measurement is; the
# first act has mkfs and wipefs.
_FILE_ACTS: Mapping[FileAct, tuple[float, float]] = {
    FileAct.WRITE: (1.0, 5.0),
    FileAct.REWRITE: (1.7, 1.0),
    FileAct.READ: (1.0, 1.0),
    FileAct.READ_CACHED: (1.0, 1.5),
    FileAct.CREATE: (0.0, 1.7),
    FileAct.STAT: (0.0, 1.7),
    FileAct.DELETE: (0.0, 1.7),
}


@dataclass(frozen=True, slots=True)
class ContestMeasurement:
    """One measurement of a contestant, the ``repeat``-th (from 0) of its kind."""

    state: ArrayState
    workload: SuiteWorkload
    repeat: int


@dataclass(frozen=True, slots=True)
class ContestArray:
    """An array built of ``plan``, and the measurements made before it is removed."""

    plan: Plan
    measurements: tuple[ContestMeasurement, ...]

    @property
    def cost_s(self) -> float:
        """Seconds for building it and bringing it into its states."""
        states = {one.state for one in self.measurements}
        return BUILD_S + LOSE_S * (states != {ArrayState.HEALTHY}) + RETURN_S * (ArrayState.REBUILDING in states)


@dataclass(frozen=True)
class Contest:
    """``contestants`` in their order, the first ones single disks; each measurement takes ``seconds``.

    The deciding workloads (``Suite.decisive``) are measured ``repeats`` times, all others once.
    """

    contestants: tuple[Contestant, ...]
    suite: AnySuite
    states: tuple[ArrayState, ...]
    seconds: int
    repeats: int = REPEATS

    def measurements(self, contestant: Contestant) -> Iterator[ContestMeasurement]:
        """Yield all measurements of a contestant, in order; without redundancy only those of a clean array."""
        for state in self.states:
            if state is ArrayState.HEALTHY or contestant.survives_a_loss:
                if self.suite is Suite.FILESYSTEM:  # each round of acts has its own file system
                    yield from (
                        ContestMeasurement(state, act, repeat) for repeat in range(self.repeats) for act in FileAct
                    )
                    continue
                for workload in self.suite.workloads:
                    for repeat in range(self.repeats if workload in self.suite.decisive else 1):
                        yield ContestMeasurement(state, workload, repeat)

    @cached_property
    def fills(self) -> tuple[int, ...]:
        """Seconds of the uncounted fill of each contestant: one pass over its region, on flash only.

        Flash answers reads of unwritten (unmapped) blocks without accessing them; a spinning disk seeks there anyway.
        """
        return tuple(_fill_seconds(one) if one.is_flash else 0 for one in self.contestants)

    def alone_with(self, contestant: Contestant) -> int:
        """Return the index of the single disk to compare ``contestant`` with: with the same file system, if any."""
        kind = contestant.setup and contestant.setup.kind
        is_like = ((one.is_alone, one.setup and one.setup.kind) == (True, kind) for one in self.contestants)
        return list(is_like).index(True)

    def stages(self, contestant: Contestant) -> tuple[ContestArray, ...]:
        """Return one stage; with a bitmap, another one without it for the measurements during a rebuild.

        With the bitmap md only resyncs the regions that the disk missed, which ends before it can be measured.
        """
        measured, plain = (
            tuple(self.measurements(contestant)),
            contestant.plan.on(without_bitmap(contestant.plan.array)),
        )
        rebuilding = tuple(one for one in measured if one.state is ArrayState.REBUILDING)
        if plain == contestant.plan or not rebuilding:
            return (ContestArray(contestant.plan, measured),) if measured else ()
        others = tuple(one for one in measured if one not in rebuilding)
        return (*((ContestArray(contestant.plan, others),) if others else ()), ContestArray(plain, rebuilding))

    def cost_s(self, contestant: Contestant) -> float:
        """Estimate the seconds for one contestant."""
        fill_s = self.fills[self.contestants.index(contestant)]
        measuring_s = sum(self.measuring_s(one) for one in self.measurements(contestant))
        return measuring_s + sum(fill_s + stage.cost_s for stage in self.stages(contestant))

    def measuring_s(self, measurement: ContestMeasurement) -> float:
        """Return the seconds of one measurement, including its overhead."""
        if isinstance(measurement.workload, FileAct):
            shares, around_s = _FILE_ACTS[measurement.workload]
            return shares * self.seconds + around_s
        return START_S + warm_up_seconds(measurement.workload) + self.seconds

    @property
    def total_s(self) -> float:
        """Estimate of the total seconds."""
        return sum(map(self.cost_s, self.contestants))


def _fill_seconds(contestant: Contestant) -> int:
    said = Predicted(contestant).of(Workload.SEQUENTIAL_WRITE, ArrayState.HEALTHY)
    mb_s = said.mb_s if said else _MIN_MB_S
    return min(MAX_FILL_SECONDS, ceil(_FILL_MARGIN * contestant.region_mib * 2**20 / 1e6 / mb_s))


@dataclass(frozen=True, slots=True)
class Others:
    """Contestants besides plans, and the file systems of their suite.

    ``cross_paired``: two disks whose halves make two mirrors. ``volumes``: disks measured as they are, such as a
    controller's.
    """

    cross_paired: tuple[Member, ...] = ()
    volumes: tuple[Member, ...] = ()
    kinds: tuple[FileSystemKind, ...] = ALIGNED_KINDS


def contest_of(
    wanted: Sequence[Plan],
    slice_bytes: int,
    suite: AnySuite,
    states: Sequence[ArrayState],
    minutes: float,
    repeats: int = REPEATS,
    others: Others | None = None,
) -> Contest:
    """Schedule the plans ``wanted`` and the first plan's first disk alone, measured as long as ``minutes`` allow.

    ``others`` take part as well. Raises InputError if there are
    less than ``MIN_SECONDS`` for each measurement, with the minimum in minutes.
    """
    others = others or Others()
    cross_paired = others.cross_paired
    if not wanted and not cross_paired:
        raise InputError("There is no plan to measure; name a level, like raid5.", code="no-plans")
    first: Member = next(wanted[0].disks()) if wanted else cross_paired[0]
    contestants = (alone(first, slice_bytes), *(contestant_of(plan, slice_bytes) for plan in wanted))
    if cross_paired:
        one, other = cross_paired[:2]
        contestants = (*contestants, crossed(one, other, slice_bytes))
    contestants = (*contestants, *(volume(disk, slice_bytes) for disk in others.volumes))
    if suite is Suite.FILESYSTEM:
        if min(one.region_mib for one in contestants) * 2**20 < MEASURED_MIN_BYTES:
            raise InputError("Files are measured on slices of 2 GiB or more of each disk.", code="slice")
        contestants = tuple(
            replace(one, setup=setup) for one in contestants for setup in setups_for(one.plan, others.kinds)
        )
    least = Contest(contestants, suite, tuple(states), MIN_SECONDS, repeats)
    count = sum(1 for one in contestants for _ in least.measurements(one))
    spare_s = minutes * 60 - least.total_s
    if spare_s < 0:
        raise InputError(
            "{count} measurements of {least_seconds} s each, and building what is measured, take {least:.0f} minutes; "
            "grant them, or take fewer candidates, states or repeats.",
            code="time",
            count=count,
            least_seconds=MIN_SECONDS,
            least=-(-least.total_s // 60),
        )
    return replace(least, seconds=min(MAX_SECONDS, MIN_SECONDS + int(spare_s / count)))
