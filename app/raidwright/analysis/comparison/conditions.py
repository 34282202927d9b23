"""Test conditions of runs, and the differences between two runs that make them incomparable.

The subject of a comparison differs by intent: two arrays, two kernels, two settings, an array clean and degraded.
Anything else that differs and can affect the figure is listed as a warning, since it could be the cause as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from statistics import fmean, variance
from typing import NamedTuple

_SAME_FILL = 0.1  # of the file system's size
_MIN_SECONDS = 1.0  # below, what is assumed of a single run doesn't hold: caches and timers decide
_SAME_SECONDS = 3.0  # as a factor: caches affect shorter runs more
_STEADY = 0.75  # the last third of a run against its first, or the other way round
_BY_CHANCE = 4.0  # standard errors; successive rates are correlated, so three would be exceeded now and then
_MIN_RATES = 12
_SAME_REGION = 1.05  # as a factor: arrays of one size differ by what their levels and chunks leave over
READ_AHEAD_DOUBLED = "read-ahead × 2"


class Aspect(StrEnum):
    """Conditions in which two runs may differ."""

    WORKLOAD = "workload"
    TARGET = "target"
    FILES = "files"
    FILE_SYSTEM = "file-system"
    REGION = "region"
    OFFSET = "offset"
    SECONDS = "seconds"
    SHORT = "short"
    PRACTICE = "practice"
    SOURCE = "source"
    FIO = "fio"
    ENGINE = "engine"
    SYNC = "sync"
    BUSY = "busy"
    STEADY = "steady"
    IN_USE = "in-use"
    FILL = "fill"
    ARRAY = "array"
    DISKS = "disks"
    STATE = "state"
    MACHINE = "machine"
    KERNEL = "kernel"
    SCHEDULER = "scheduler"
    WRITE_CACHE = "write-cache"
    READ_AHEAD = "read-ahead"
    STRIPE_CACHE = "stripe-cache"
    GROUP_THREADS = "group-threads"


class ComparisonSubject(StrEnum):
    """Subject of a comparison."""

    REPEATS = "repeats"  # the same test repeated: before and after
    ARRAYS = "arrays"
    ARRAY_DISK = "array-disk"
    CONTROLLER_MD = "controller-md"
    STATES = "states"
    KERNELS = "kernels"
    SETTINGS = "settings"
    TARGETS = "targets"


@dataclass(frozen=True, slots=True)
class Conditions:
    """Test conditions of one run; None means not recorded. Plain text is compared verbatim.

    ``array`` gives level, layout, chunk, members and bitmap, "" for a single disk; ``sync`` is md's sync_action during
    the run ("" for none), ``busy`` what else the computer did. ``file_system`` is "" where there is none. ``steady``:
    the run ended about as fast as it began. ``region_mib`` is None for all of the target, or for ``region_share`` of
    it; ``offset`` where it begins, "" for the start. ``is_fixed_work``: the seconds follow from the speed.
    """

    workload: str
    seconds: float
    writes: bool | None = None
    buffered: bool | None = None
    target: str | None = None
    is_files: bool | None = None
    file_system: str | None = ""
    region_mib: float | None = None
    is_region_known: bool = True
    region_share: str = ""
    offset: str = ""
    is_fixed_work: bool = False
    is_practice: bool | None = None
    source: str = ""
    fio: str | None = None
    engine: str | None = None
    sync: str | None = None
    busy: str = ""
    steady: bool | None = None
    mounted: bool | None = None
    used_fraction: float | None = None
    array: str | None = None
    disks: tuple[str, ...] | None = None
    is_controller: bool = False
    state: str | None = None
    machine: str = ""
    kernel: str | None = None
    scheduler: str | None = None
    write_cache: str | None = None
    read_ahead_kib: str | None = None
    stripe_cache_size: str | None = None
    group_thread_cnt: str | None = None


@dataclass(frozen=True, slots=True)
class ConditionDifference:
    """One differing condition; both values as text whose meaning depends on ``aspect``."""

    aspect: Aspect
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Context:
    """Subject of a comparison (``kind``, by ``subject``), and the other differences that disturb it (``warnings``).

    ``unknown``: aspects that at least one of the two runs doesn't record, so that they may differ. ``remarks`` differ
    as well, and hardly affect the figure.
    """

    kind: ComparisonSubject
    subject: tuple[ConditionDifference, ...] = ()
    warnings: tuple[ConditionDifference, ...] = ()
    unknown: tuple[Aspect, ...] = ()
    remarks: tuple[ConditionDifference, ...] = ()

    @property
    def compares(self) -> bool:
        """True if nothing but the subject is known to differ."""
        return not self.warnings


def is_steady(rates: Sequence[float]) -> bool | None:
    """True if the last third is about as fast as the first, or within chance of it; None for too few rates.

    A disk that throttles, or whose SLC cache is full, ends slower than it began.
    """
    third = len(rates) // 3
    if len(rates) < _MIN_RATES:
        return None
    first, last = rates[:third], rates[-third:]
    (slow, fast), chance = sorted((fmean(first), fmean(last))), sqrt((variance(first) + variance(last)) / third)
    return slow >= _STEADY * fast or fast - slow <= _BY_CHANCE * chance


def context_of(first: Sequence[Conditions], second: Sequence[Conditions]) -> Context:
    """Compare two non-empty groups of runs; runs that differ from their own group's first count as warnings."""
    before, after = first[0], second[0]
    differing = {one.aspect: one for one in differences(before, after)}
    kind, subject = _subject(before, after, differing)
    own = [one for group in (first, second) for other in group[1:] for one in differences(group[0], other)]
    found = dict.fromkeys((*(one for one in differing.values() if one.aspect not in subject), *own))
    warnings = [*(one for one in found if not _is_remark(one)), *_too_short(first, second), *_busy(first, second)]
    return Context(
        kind,
        tuple(one for one in differing.values() if one.aspect in subject),
        tuple(warnings),
        tuple(dict.fromkeys(one for each in (*first[1:], *second) for one in unknown(before, each))),
        tuple(one for one in found if _is_remark(one)),
    )


def _too_short(first: Sequence[Conditions], second: Sequence[Conditions]) -> list[ConditionDifference]:
    """Return the seconds of two sides of which one is a single run that was over at once; 0 is unknown."""
    single = [group[0].seconds for group in (first, second) if len(group) == 1]
    if not any(0 < seconds < _MIN_SECONDS for seconds in single):
        return []
    return [ConditionDifference(Aspect.SHORT, f"{first[0].seconds:.2g}", f"{second[0].seconds:.2g}")]


def _busy(first: Sequence[Conditions], second: Sequence[Conditions]) -> list[ConditionDifference]:
    """Return what went on beside the runs; two that were both disturbed weren't so alike. A rebuild can be a state."""
    sides = [next((one.busy for one in group if one.busy), "") for group in (first, second)]
    found = [ConditionDifference(Aspect.BUSY, *sides)] if any(sides) else []
    before, after = first[0], second[0]
    if before.sync and before.sync == after.sync and (before.state, before.sync) != ("rebuilding", "recover"):
        found.append(ConditionDifference(Aspect.SYNC, before.sync, after.sync))
    return found


def _is_remark(one: ConditionDifference) -> bool:
    """True for another engine, and another version of fio unless it read otherwise (a mark beside the version)."""
    if one.aspect is Aspect.ENGINE:
        return True
    return one.aspect is Aspect.FIO and (READ_AHEAD_DOUBLED in one.first) == (READ_AHEAD_DOUBLED in one.second)


_SYSTEM = frozenset({Aspect.KERNEL, Aspect.MACHINE})
_SETTINGS = frozenset(
    {Aspect.SCHEDULER, Aspect.WRITE_CACHE, Aspect.READ_AHEAD, Aspect.STRIPE_CACHE, Aspect.GROUP_THREADS}
)


class _Subject(NamedTuple):
    """A kind of comparison: it applies if one of ``led_by`` differs, and ``along`` may then differ as well."""

    kind: ComparisonSubject
    led_by: frozenset[Aspect]
    along: frozenset[Aspect] = frozenset()


# The first that matches counts. md sets read-ahead and stripe cache for each array; a rebuild shows as a
# sync_action.
_SUBJECTS = (
    _Subject(
        ComparisonSubject.ARRAYS,
        frozenset({Aspect.ARRAY, Aspect.DISKS}),
        frozenset({Aspect.READ_AHEAD, Aspect.STRIPE_CACHE}),
    ),
    _Subject(ComparisonSubject.STATES, frozenset({Aspect.STATE}), frozenset({Aspect.SYNC})),
    _Subject(ComparisonSubject.KERNELS, frozenset({Aspect.MACHINE}), _SYSTEM | {Aspect.TARGET}),
    _Subject(ComparisonSubject.TARGETS, frozenset({Aspect.TARGET})),
    _Subject(ComparisonSubject.KERNELS, _SYSTEM),
    _Subject(ComparisonSubject.SETTINGS, _SETTINGS),
)


def _subject(
    before: Conditions, after: Conditions, differing: Collection[Aspect]
) -> tuple[ComparisonSubject, frozenset[Aspect]]:
    for kind, led_by, along in _SUBJECTS:
        if not led_by.isdisjoint(differing):
            return _of_things(before, after) if kind is ComparisonSubject.ARRAYS else kind, led_by | along
    return ComparisonSubject.REPEATS, frozenset()


def _of_things(before: Conditions, after: Conditions) -> ComparisonSubject:
    if before.is_controller != after.is_controller:
        return ComparisonSubject.CONTROLLER_MD
    return ComparisonSubject.ARRAY_DISK if (before.array == "") != (after.array == "") else ComparisonSubject.ARRAYS


_Read = Callable[[Conditions], object]
_READ: dict[Aspect, _Read] = {
    Aspect.WORKLOAD: lambda one: one.workload,
    Aspect.TARGET: lambda one: one.target,
    Aspect.FILES: lambda one: one.is_files,
    Aspect.FILE_SYSTEM: lambda one: one.file_system,
    Aspect.OFFSET: lambda one: one.offset,
    Aspect.PRACTICE: lambda one: one.is_practice,
    Aspect.SOURCE: lambda one: one.source,
    Aspect.FIO: lambda one: one.fio,
    Aspect.ENGINE: lambda one: one.engine,
    Aspect.SYNC: lambda one: one.sync,
    Aspect.STEADY: lambda one: one.steady,
    Aspect.IN_USE: lambda one: one.mounted,
    Aspect.FILL: lambda one: one.used_fraction,
    Aspect.ARRAY: lambda one: one.array,
    Aspect.DISKS: lambda one: one.disks,
    Aspect.STATE: lambda one: one.state,
    Aspect.MACHINE: lambda one: one.machine or None,
    Aspect.KERNEL: lambda one: one.kernel,
    Aspect.SCHEDULER: lambda one: one.scheduler,
    Aspect.WRITE_CACHE: lambda one: one.write_cache,
    Aspect.READ_AHEAD: lambda one: one.read_ahead_kib,
    Aspect.STRIPE_CACHE: lambda one: one.stripe_cache_size,
    Aspect.GROUP_THREADS: lambda one: one.group_thread_cnt,
}
# Aspects that affect some workloads only: a write cache affects writes, read-ahead affects buffered reads.
_ONLY_WHERE: dict[Aspect, Callable[[Conditions], bool]] = {
    Aspect.WRITE_CACHE: lambda one: one.writes is not False,
    Aspect.STRIPE_CACHE: lambda one: one.writes is not False,
    Aspect.GROUP_THREADS: lambda one: one.writes is not False,
    Aspect.READ_AHEAD: lambda one: one.buffered is not False and not one.writes,
}
# Aspects that many runs don't record; missing values of these aren't reported as unknown.
_NEVER_MISSED = frozenset(
    {Aspect.ENGINE, Aspect.STEADY, Aspect.IN_USE, Aspect.FILL, Aspect.STRIPE_CACHE, Aspect.GROUP_THREADS}
)


def differences(first: Conditions, second: Conditions) -> tuple[ConditionDifference, ...]:
    """Return the conditions that are known to differ and can affect the figure."""
    found = [
        ConditionDifference(aspect, _text(read(first)), _text(read(second)))
        for aspect, read in _READ.items()
        if _felt(aspect, first) and not _same(aspect, read(first), read(second))
    ]
    if not same_region(first, second):
        found.append(ConditionDifference(Aspect.REGION, _region_text(first), _region_text(second)))
    shorter, longer = sorted((first.seconds, second.seconds))
    if longer > _SAME_SECONDS * shorter and not (first.is_fixed_work and second.is_fixed_work):
        found.append(ConditionDifference(Aspect.SECONDS, f"{first.seconds:.0f}", f"{second.seconds:.0f}"))
    return tuple(found)


def same_region(first: Conditions, second: Conditions) -> bool:
    """True if both cover as much of their targets, or one doesn't say it, which ``unknown`` reports."""
    if not (first.is_region_known and second.is_region_known):
        return True
    if first.region_mib is None or second.region_mib is None:
        return (first.region_mib, first.region_share) == (second.region_mib, second.region_share)
    smaller, larger = sorted((first.region_mib, second.region_mib))
    return larger <= _SAME_REGION * smaller


def _region_text(one: Conditions) -> str:
    return one.region_share if one.region_mib is None else f"{one.region_mib:g}"


def unknown(first: Conditions, second: Conditions) -> tuple[Aspect, ...]:
    """Return the aspects that at least one of the two runs doesn't record."""
    both = (first, second)
    are_disks_known = all(one.disks is not None for one in both)  # which are the target
    found = [
        aspect
        for aspect, read in _READ.items()
        if aspect not in _NEVER_MISSED
        and not (aspect in (Aspect.TARGET, Aspect.FILES) and are_disks_known)
        and _felt(aspect, first)
        and None in (read(first), read(second))
    ]
    return tuple(found if all(one.is_region_known for one in both) else [*found, Aspect.REGION])


def _felt(aspect: Aspect, by: Conditions) -> bool:
    only_where = _ONLY_WHERE.get(aspect)
    return only_where is None or only_where(by)


def _same(aspect: Aspect, first: object, second: object) -> bool:
    if first is None or second is None:
        return True  # not recorded: reported by ``unknown``
    if aspect is Aspect.FILL and isinstance(first, float) and isinstance(second, float):
        return abs(first - second) <= _SAME_FILL
    return first == second


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.2f}"
        case tuple():
            return ", ".join(map(str, value))
    return str(value)
