"""Sweep: one setting of an existing array measured at each value, then restored or kept.

The values alternate over the repeats, so that changes over time (a disk warming up, a cache filling) don't favour one
of them. However the sweep ends, the setting is restored; only if the program is killed the value at that time remains,
until the array is stopped: trial values are never made persistent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import fmean
from typing import TYPE_CHECKING

from raidwright.analysis.comparison.groups import Measured
from raidwright.analysis.comparison.verdict import Comparison, compare
from raidwright.core.ending import to_the_end
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.json_fields import Fields
from raidwright.core.protocol.results import ArraySettings
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.tuning import DISK_ATTRIBUTES, Lasting, Scheduler, Tuning, read_tuning
from raidwright.core.system.workload import Workload
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.machine.values import Named
from raidwright.runs.run import RunResult, Series, new_series
from raidwright.suites import warm_up_seconds

from .measuring import Measure, RunWorkload
from .operation import Operation
from .suites import samples_to
from .system import BeginSweep, ExamineSettings, Tune

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_AROUND_S = 5.0  # setting a value, fio's start and end, and the flush of the page cache
_MAX_MINUTES = 24 * 60  # the helper's limit
Value = int | str
SWEPT: Mapping[str, tuple[Value, ...]] = {
    "read_ahead_kib": (128, 256, 512, 1024, 2048, 4096, 8192),
    "member_read_ahead_kib": (128, 256, 512, 1024, 2048, 4096),
    "stripe_cache_size": (256, 512, 1024, 2048, 4096, 8192),
    "group_thread_cnt": (0, 1, 2, 4),
    "scheduler": tuple(map(str, Scheduler)),
}


def tuning_of(setting: str, value: Value) -> Tuning:
    """Return ``setting`` at ``value``; raises InputError for an unknown setting, or a value out of range."""
    if setting not in SWEPT:
        raise InputError("“{name}” can't be swept; {known} can be.", code="sweep", name=setting, known=[*SWEPT])
    fields = Fields({setting: value}, "The settings")
    tuning = read_tuning(fields)
    fields.finish()
    return tuning


@dataclass(frozen=True, slots=True)
class Point:
    """Results at one value, one per repeat; () if the kernel rejected it, with the reason in ``refused``."""

    value: Value
    results: tuple[RunResult, ...] = ()
    refused: str = ""

    @property
    def is_measured(self) -> bool:
        """True once there is a result."""
        return bool(self.results)

    @property
    def mb_s(self) -> float:
        """Mean of the repeats."""
        return fmean(one.mb_s for one in self.results)

    @property
    def spread(self) -> float:
        """Range of the repeats, as a share of their mean."""
        rates = [one.mb_s for one in self.results]
        return (max(rates) - min(rates)) / self.mb_s


@dataclass(frozen=True, slots=True)
class Swept:
    """The points in the order of their values; ``before`` is the previous value, ``kept`` the one made persistent."""

    setting: str
    workload: Workload
    points: tuple[Point, ...]
    before: Value
    kept: Value | None = None

    @property
    def best(self) -> Point:
        """The fastest on average."""
        return max((one for one in self.points if one.results), key=lambda one: one.mb_s)

    @property
    def against_before(self) -> Comparison | None:
        """Comparison of the best with the previous value; None if both are the same, or the latter has no results."""
        of_before = [Measured(run.mb_s) for one in self.points if one.value == self.before for run in one.results]
        if not of_before or self.best.value == self.before:
            return None
        return compare(of_before, [Measured(run.mb_s) for run in self.best.results])


@dataclass(frozen=True, slots=True)
class SweepProgress(JobProgress):
    """Progress of a sweep, the value being measured, and the points so far."""

    value: Value
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Sweep(Operation[Swept]):
    """Measure ``workload`` on ``array`` at each of ``values`` of ``setting`` (``SWEPT``), ``repeats`` times.

    The previous value is always included. With ``keep`` the best is made persistent. ``is_tried``: the array is a
    scratch array covered by a trial, so no authorisation is needed.
    """

    array: Named
    setting: str
    values: tuple[Value, ...]
    workload: Workload
    seconds: int
    machine_title: str
    repeats: int = 3
    region_mib: int | None = None
    is_practice: bool = False
    keep: bool = False
    is_tried: bool = False

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Swept:
        """As ``Operation.perform``; InputError also for a setting that the array doesn't have."""
        for value in self.values:
            tuning_of(self.setting, value)
        before = setting_now(await ExamineSettings(self.array).perform(machine), self.setting)
        course = _Course(self, machine, on_update, before)
        if not self.is_tried:
            await BeginSweep(self.array, (self.setting,), self.granted_minutes).perform(machine)
        try:
            points = await course.run()
        except BaseException:
            await to_the_end(course.put_back())
            raise
        swept = Swept(self.setting, self.workload, points, before)
        if not self.keep:
            await to_the_end(course.put_back())
            return swept
        best = swept.best.value
        await Tune(self.array, tuning_of(self.setting, best), Lasting.ALWAYS).perform(machine)
        return Swept(self.setting, self.workload, points, before, best)

    @property
    def granted_minutes(self) -> int:
        """The minutes to authorise, twice the estimate: a slow disk mustn't cause a prompt midway."""
        each_s = self.seconds + warm_up_seconds(self.workload) + _AROUND_S
        return min(_MAX_MINUTES, 5 + ceil(2 * each_s * (len(self.values) + 1) * self.repeats / 60))


@dataclass(slots=True)
class _Course:
    """State of one running sweep."""

    order: Sweep
    machine: Machine
    on_update: OnUpdate
    before: Value
    results: dict[Value, list[RunResult]] = field(default_factory=dict)
    refused: dict[Value, str] = field(default_factory=dict)
    series: Series = field(init=False)

    def __post_init__(self) -> None:
        values = [*map(str, self.order.values)]
        self.series = new_series("sweep", self.order.setting, {"values": values, "repeats": self.order.repeats})

    async def run(self) -> tuple[Point, ...]:
        values = _in_order((*self.order.values, self.before))
        rounds = [value for _ in range(self.order.repeats) for value in values]
        for done, value in enumerate(rounds):
            if value in self.refused:
                continue
            step = str(JobStep.MEASURE)
            self.on_update(SweepProgress(step, done / len(rounds), value, tuple(self._points(values))))
            if await self._set(value):
                self.results.setdefault(value, []).append(await self._measured(value))
        return tuple(self._points(values))

    async def put_back(self) -> None:
        await Tune(self.order.array, tuning_of(self.order.setting, self.before)).perform(self.machine)

    async def _set(self, value: Value) -> bool:
        try:
            await Tune(self.order.array, tuning_of(self.order.setting, value)).perform(self.machine)
        except JobFailed as error:
            self.refused[value] = error.sentence
        return value not in self.refused

    async def _measured(self, value: Value) -> RunResult:
        order, target = self.order, f"md:{self.order.array.uuid}"
        warm_up = warm_up_seconds(order.workload) or None
        request = RunWorkload(target, order.workload, order.seconds, order.region_mib, warm_up)
        repeat = len(self.results.get(value, ())) + 1
        measure = Measure(request, order.machine_title, order.is_practice, series=self.series, repeat=repeat)
        return (await measure.perform(self.machine, samples_to(self.on_update))).result

    def _points(self, values: Sequence[Value]) -> Iterator[Point]:
        return (Point(one, tuple(self.results.get(one, ())), self.refused.get(one, "")) for one in values)


def setting_now(settings: ArraySettings, setting: str) -> Value:
    """Return the current value of ``setting``; raises InputError if the array has none, or its disks differ in it."""
    if setting not in DISK_ATTRIBUTES:
        if setting not in settings.settings:
            raise InputError("An array of this level has no {name}.", code="tuning", name=setting)
        return int(settings.settings[setting])
    words = {word for line in settings.disks for word in line.split() if word.startswith(f"{setting}=")}
    if len(words) != 1:
        raise InputError("The array's disks differ in {name}; set one first.", code="tuning", name=setting)
    value = words.pop().removeprefix(f"{setting}=")
    return value if setting == "scheduler" else int(value)


def _in_order(values: Sequence[Value]) -> list[Value]:
    """Return each value once; numbers ascending."""
    once = list(dict.fromkeys(values))
    return sorted(once, key=lambda one: one if isinstance(one, int) else 0)
