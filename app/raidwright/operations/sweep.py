"""Sweep: one setting of an existing array measured at each value, then restored or kept.

The values alternate over the repeats, so that changes over time (a disk warming up, a cache filling) don't favour one
of them. However the sweep ends, the setting is restored; only if the program is killed the value at that time remains,
until the array is stopped: trial values are never made persistent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from statistics import fmean
from typing import TYPE_CHECKING

from raidwright.analysis.comparison.groups import Measured
from raidwright.analysis.comparison.verdict import Comparison, compare
from raidwright.core.ending import to_the_end
from raidwright.core.errors import Denied, DiskRefused, InputError, JobFailed
from raidwright.core.json_fields import Fields
from raidwright.core.protocol.results import ArraySettings
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.tuning import DISK_ATTRIBUTES, Lasting, Scheduler, Tuning, read_tuning
from raidwright.core.system.workload import Workload
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.machine.values import Named
from raidwright.runs.run import RunResult, Series, new_series, run_context
from raidwright.suites import warm_up_seconds

from .measuring import Measure, RunWorkload
from .operation import Operation
from .pace import Pace
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
    """The points in the order of their values; ``before`` is the previous value, ``kept`` the one made persistent.

    ``alone`` are results of one of its disks alone, () if it wasn't measured. ``had_rule``: something of the array was
    set at each boot already.
    """

    setting: str
    workload: Workload
    points: tuple[Point, ...]
    before: Value
    kept: Value | None = None
    alone: tuple[RunResult, ...] = ()
    had_rule: bool = False

    def keeping(self, array: Named) -> Tune:
        """Return the request that makes the best value persistent."""
        return Tune(array, tuning_of(self.setting, self.best.value), Lasting.ALWAYS)

    def putting_back(self, array: Named) -> Tune:
        """Return the request that sets the previous value again, with the rule for each boot as it was."""
        lasting = Lasting.ALWAYS if self.had_rule else Lasting.FORGET
        return Tune(array, tuning_of(self.setting, self.before), lasting)

    @property
    def best(self) -> Point:
        """The fastest on average."""
        return max((one for one in self.points if one.results), key=lambda one: one.mb_s)

    @property
    def times_alone(self) -> float | None:
        """The best as a multiple of one disk alone; None if that wasn't measured."""
        alone = fmean(one.mb_s for one in self.alone) if self.alone else 0.0
        return self.best.mb_s / alone if alone else None

    @property
    def against_before(self) -> Comparison | None:
        """Comparison of the best with the previous value; None if both are the same, or the latter has no results."""
        of_before = [Measured(run.mb_s) for one in self.points if one.value == self.before for run in one.results]
        if not of_before or self.best.value == self.before:
            return None
        return compare(of_before, [Measured(run.mb_s) for run in self.best.results])


@dataclass(frozen=True, slots=True)
class SweepProgress(JobProgress):
    """Progress of a sweep, the value being measured, and the points and the results of one disk so far."""

    value: Value
    points: tuple[Point, ...]
    alone: tuple[RunResult, ...] = ()
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class Sweep(Operation[Swept]):
    """Measure ``workload`` on ``array`` at each of ``values`` of ``setting`` (``SWEPT``), ``repeats`` times.

    The previous value is always included. With ``keep`` the best is made persistent. ``is_tried``: the array is a
    scratch array covered by a trial, so no authorisation is needed. What reads is measured on one of the array's disks
    as well, once a round.
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
        settings = await ExamineSettings(self.array).perform(machine)
        before, had_rule = setting_now(settings, self.setting), bool(settings.kept)
        course = _Course(self, machine, on_update, before)
        if not self.is_tried:
            await BeginSweep(self.array, (self.setting,), self.granted_minutes).perform(machine)
        try:
            points = await course.run()
        except BaseException:
            await to_the_end(course.put_back())
            raise
        swept = Swept(self.setting, self.workload, points, before, alone=tuple(course.alone), had_rule=had_rule)
        if not self.keep:
            await to_the_end(course.put_back())
            return swept
        await swept.keeping(self.array).perform(machine)
        return replace(swept, kept=swept.best.value)

    @property
    def granted_minutes(self) -> int:
        """The minutes to authorise, twice the estimate: a slow disk mustn't cause a prompt midway."""
        return min(_MAX_MINUTES, 5 + ceil(2 * self.estimated_s / 60))

    @property
    def estimated_s(self) -> float:
        """Estimate of the seconds of the whole."""
        each_s = self.seconds + warm_up_seconds(self.workload) + _AROUND_S
        count = len({*self.values}) + 1 + (not self.workload.writes)
        return each_s * count * self.repeats


@dataclass(slots=True)
class _Course:
    """State of one running sweep."""

    order: Sweep
    machine: Machine
    on_update: OnUpdate
    before: Value
    results: dict[Value, list[RunResult]] = field(default_factory=dict)
    refused: dict[Value, str] = field(default_factory=dict)
    alone: list[RunResult] = field(default_factory=list)
    series: Series = field(init=False)

    def __post_init__(self) -> None:
        values = [*map(str, self.order.values)]
        self.series = new_series("sweep", self.order.setting, {"values": values, "repeats": self.order.repeats})

    async def run(self) -> tuple[Point, ...]:
        values = _in_order((*self.order.values, self.before))
        rounds, pace = [value for _ in range(self.order.repeats) for value in values], Pace(self.order.estimated_s)
        for done, value in enumerate(rounds):
            if value in self.refused:
                continue
            step, points = str(JobStep.MEASURE), tuple(self._points(values))
            share = done / len(rounds)
            self.on_update(SweepProgress(step, share, value, points, tuple(self.alone), pace.left_s(share)))
            if await self._set(value):
                self.results.setdefault(value, []).append(await self._measured(value))
            if value == self.before and not self.order.workload.writes:
                await self._measure_alone()
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
        return await self._run(f"md:{self.order.array.uuid}", len(self.results.get(value, ())) + 1)

    async def _measure_alone(self) -> None:
        """Measure one of the array's disks; where it can't be read, there is no such line."""
        disks = run_context(self.machine.snapshot, f"md:{self.order.array.uuid}")["disks"]
        if disks and len(disks) > 1:
            with contextlib.suppress(JobFailed, DiskRefused, Denied):
                self.alone.append(await self._run(disks[0]["id"], len(self.alone) + 1))

    async def _run(self, target: str, repeat: int) -> RunResult:
        order = self.order
        warm_up = warm_up_seconds(order.workload) or None
        request = RunWorkload(target, order.workload, order.seconds, order.region_mib, warm_up)
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
