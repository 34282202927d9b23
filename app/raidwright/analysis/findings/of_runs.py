"""Remarks on a run's figure: a slowdown during the run, and its most likely cause.

A lasting slowdown is detected as a least-squares step between two levels, which must be a quarter of the rate,
lasting, and significant. A cause must have been observed: md started work on the array, a disk reached its warning
temperature, or enough was written to fill a disk's fast region (the cliff of shingled disks and of flash with a
faster write cache, ``docs/figures.md``). Otherwise the cause is reported as unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import sqrt
from statistics import fmean, variance

from raidwright.core.md.sync import IDLE
from raidwright.core.messages import Message, say
from raidwright.core.protocol.measured import Sample

_MIN_SIDE, _MIN_SIDE_SECONDS = 6, 1.0  # samples, and their duration, on either side of a step
_STEP = 0.75  # remaining share of the rate, at most
_LASTING = 0.9  # share of the later samples that must be nearer to the lower level
_BY_CHANCE = 6.0  # standard errors; successive rates are correlated
_SLOWER = 0.9  # remaining share of the rate once a disk is at its warning temperature
_OWN_LIMIT_CELSIUS = 70.0  # of a disk that gives none: makers' maximum for both kinds


_BUSY = {  # by md's sync action
    "resync": say("The array's first sync was still running: expect more once it is done."),
    "recover": say("A rebuild was running: expect more once it is done."),
    "check": say("A check of the array was running: expect more once it is done."),
    "repair": say("A repair of the array was running: expect more once it is done."),
    "reshape": say("A reshape was running: expect more once it is done."),
}
_BUSY_NOW = {
    "resync": say("The array's first sync is running: expect more once it is done."),
    "recover": say("A rebuild is running: expect more once it is done."),
    "check": say("A check of the array is running: expect more once it is done."),
    "repair": say("A repair of the array is running: expect more once it is done."),
    "reshape": say("A reshape is running: expect more once it is done."),
}


@dataclass(frozen=True, slots=True)
class Course:
    """Course of a run. ``writes``, ``buffered``: through the page cache. ``limits_celsius``: warning temperatures by
    kernel name; ``sync``: md's action when the run began; ``while_rebuilt``: a measurement during a rebuild;
    ``is_over``: False for a run that is planned, or goes on.
    """

    samples: Sequence[Sample]
    writes: bool = False
    buffered: bool = False
    limits_celsius: Mapping[str, float] = field(default_factory=dict)
    sync: str = ""
    while_rebuilt: bool = False
    is_over: bool = True


@dataclass(frozen=True, slots=True)
class RateDrop:
    """A drop of the rate ``at_s`` from ``before`` to ``after`` (MB/s), once ``written_mb`` had been written."""

    at_s: float
    before: float
    after: float
    written_mb: float

    @property
    def left(self) -> float:
        """Remaining share of the rate."""
        return self.after / self.before


def remarks_on(course: Course) -> Iterator[Message]:
    """Yield the remarks to show with the figure: each once, causes before effects."""
    step, doing, warm = step_down(course.samples), _doing(course), tuple(_too_warm(course))
    if doing and not course.while_rebuilt:
        yield (_BUSY if course.is_over else _BUSY_NOW).get(doing) or say(
            "md was busy with the array ({doing}): expect more once it is done.", doing=doing
        )
    yield from (_of_warmth(course, *one) for one in warm)
    if step is None or _begins_then(course, step) or any(at_s <= step.at_s + _MIN_SIDE_SECONDS for *_, at_s in warm):
        return
    told = {"at_s": step.at_s, "left": step.left, "after": step.after}
    if course.writes and course.buffered:
        yield say(
            "After {at_s:.0f} s it went on at {left:.0%} of its rate, {after:.0f} MB/s: what was written before went "
            "to memory (the page cache).",
            **told,
        )
    elif course.writes:
        yield say(
            "After {at_s:.0f} s, with {written_bytes:size} written, it went on at {left:.0%} of its rate, {after:.0f} "
            "MB/s: so do disks whose fast part is full (shingled ones, and flash). The mean depends on when that is.",
            written_bytes=round(step.written_mb * 1e6),
            **told,
        )
    else:
        yield say(
            "After {at_s:.0f} s it went on at {left:.0%} of its rate, {after:.0f} MB/s; why isn't known. Something "
            "else may have used the disks: measure once more.",
            **told,
        )


def step_down(samples: Sequence[Sample]) -> RateDrop | None:
    """Return the step by which the rate fell and stayed low; None if there is none."""
    rates = [one.read_mb_s + one.write_mb_s for one in samples]
    ends = [one.seconds for one in samples]
    count = len(rates)
    if count < 2 * _MIN_SIDE:
        return None
    sums = [0.0, *accumulate(rates)]

    def apart(at: int) -> float:
        """Return the sum of squares that a step at this place explains."""
        before, after = sums[at] / at, (sums[-1] - sums[at]) / (count - at)
        return (before - after) ** 2 * at * (count - at) if before > after else 0.0

    at = max(range(_MIN_SIDE, count - _MIN_SIDE + 1), key=apart)
    if ends[at - 1] < _MIN_SIDE_SECONDS or ends[-1] - ends[at - 1] < _MIN_SIDE_SECONDS or not apart(at):
        return None
    first, last = rates[:at], rates[at:]
    before, after = fmean(first), fmean(last)
    chance = sqrt(variance(first) / len(first) + variance(last) / len(last))
    low = sum(rate < (before + after) / 2 for rate in last)
    if after > _STEP * before or before - after < _BY_CHANCE * chance or low < _LASTING * len(last):
        return None
    lasted = [end - begin for begin, end in zip([0.0, *ends], ends, strict=False)]
    written_mb = sum(rate * seconds for rate, seconds in zip(first, lasted, strict=False))
    return RateDrop(ends[at - 1], before, after, written_mb)


def _doing(course: Course) -> str:
    seen = (course.sync, *(one.sync_action for one in course.samples))
    return next((action for action in seen if action is not None and action not in IDLE), "")


def _begins_then(course: Course, step: RateDrop) -> bool:
    """Return True if md was idle before the step, and isn't after it."""
    told = [(one.seconds, one.sync_action not in IDLE) for one in course.samples if one.sync_action is not None]
    before = [busy for seconds, busy in told if seconds <= step.at_s - _MIN_SIDE_SECONDS]
    after = [busy for seconds, busy in told if seconds > step.at_s]
    return course.sync in IDLE and not any(before) and any(after)


def _too_warm(course: Course) -> Iterator[tuple[str, float, float]]:
    """Yield disks that reached their warning temperature: name, maximum, and time in seconds."""
    told: dict[str, list[tuple[float, float]]] = {}
    for one in course.samples:
        for name, celsius in (one.celsius or {}).items():
            told.setdefault(name, []).append((one.seconds, celsius))
    for name, moments in sorted(told.items()):
        limit = course.limits_celsius.get(name, _OWN_LIMIT_CELSIUS)
        since = next((seconds for seconds, celsius in moments if celsius >= limit), None)
        if since is not None:
            yield name, max(celsius for _, celsius in moments), since


def _of_warmth(course: Course, name: str, celsius: float, since_s: float) -> Message:
    rates = [(one.seconds, one.read_mb_s + one.write_mb_s) for one in course.samples]
    before, after = ([rate for at, rate in rates if (at >= since_s) is later] for later in (False, True))
    if len(before) >= _MIN_SIDE and len(after) >= _MIN_SIDE and fmean(after) < _SLOWER * fmean(before):
        return say(
            "{disk} became {celsius:.0f} °C warm, from which on disks slow down by themselves, and the rate fell to "
            "{left:.0%}: cool it, and measure once more.",
            disk=name,
            celsius=celsius,
            left=fmean(after) / fmean(before),
        )
    return say(
        "{disk} was {celsius:.0f} °C warm, at which disks slow down by themselves: cooler, it may be faster.",
        disk=name,
        celsius=celsius,
    )
