"""Kept runs held against each other, workload by workload, or against what was predicted of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, log

from raidwright.analysis.comparison.conditions import Context, context_of
from raidwright.analysis.comparison.groups import Measured
from raidwright.analysis.comparison.verdict import Comparison, compare
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.errors import InputError

from .conditions import conditions_of
from .predicted import predicted
from .run import ArrayState, Run
from .store import Runs

_Key = tuple[str, ArrayState | None]


@dataclass(frozen=True, slots=True)
class Compared:
    """The runs of one workload (and one state of the array) on both sides."""

    workload: str
    first: tuple[Run, ...]
    second: tuple[Run, ...]
    comparison: Comparison
    context: Context


@dataclass(frozen=True, slots=True)
class AgainstPrediction:
    """``ratio`` of what was measured to what was predicted; ``is_inside`` the band that holds 90 of 100."""

    workload: str
    runs: tuple[Run, ...]
    prediction: Prediction
    ratio: float

    @property
    def is_inside(self) -> bool:
        """Whether the measured mean lies within the prediction's band."""
        return self.prediction.low_mb_s <= self.ratio * self.prediction.mb_s <= self.prediction.high_mb_s


def rate_of(run: Run) -> float:
    """What is compared: MB/s, or operations a second where no data are moved."""
    return run.result.mb_s or run.result.iops


def mean_rate(runs: Sequence[Run]) -> float:
    """The geometric mean, as ratios want it."""
    return exp(sum(log(rate_of(run)) for run in runs) / len(runs))


def matched(first: Sequence[Run], second: Sequence[Run]) -> tuple[Compared, ...]:
    """Each workload that both have, in the first's order, ``second`` against ``first``; runs with their samples.

    Where each side is of one workload they are compared whatever it is, with a warning if it isn't the same. Raises
    InputError where nothing is of one workload, a side is empty, or a run has a rate of 0.
    """
    for run in (*first, *second):
        if not 0 < rate_of(run) < inf:
            raise InputError("The run {id} has measured nothing; leave it out.", code="run-empty", id=run.id)
    if first and second and _one(first) and _one(second):
        return (_compared(tuple(first), tuple(second)),)
    for key_of in (_by_state, _by_workload):
        groups = [(key, _of(first, key, key_of), _of(second, key, key_of)) for key in dict.fromkeys(map(key_of, first))]
        if found := tuple(_compared(before, after) for _key, before, after in groups if before and after):
            return found
    raise InputError("The two sides have no workload in common; choose runs of the same workload.", code="runs-unlike")


def newest_pair(runs: Sequence[Run]) -> tuple[Compared, ...]:
    """Of each workload (and state) the newest runs against those before them; ``runs`` newest first, of one array.

    The runs of a suite stand together, others alone; those of a sweep, which differ on purpose, are left out, and what
    was measured once is.
    """
    sides: dict[_Key, dict[str, list[Run]]] = {}
    for run in runs:
        if rate_of(run) > 0 and (run.series is None or run.series.kind != "sweep"):
            side = run.series.id if run.series else run.id
            sides.setdefault(_by_state(run), {}).setdefault(side, []).append(run)
    pairs = (tuple(each.values()) for each in sides.values() if len(each) > 1)
    return tuple(_compared(tuple(before), tuple(now)) for now, before, *_older in pairs)


def against_prediction(runs: Sequence[Run]) -> tuple[AgainstPrediction, ...]:
    """Each workload's runs against what was predicted of the first; those without a prediction are left out."""
    found = []
    for key in dict.fromkeys(map(_by_state, runs)):
        group = _of(runs, key, _by_state)
        prediction = predicted(group[0])
        if prediction is not None:
            found.append(AgainstPrediction(key[0], group, prediction, mean_rate(group) / prediction.mb_s))
    return tuple(found)


def compared_by_id(first: Sequence[str], second: Sequence[str]) -> tuple[Compared, ...] | tuple[AgainstPrediction, ...]:
    """The user's kept runs by their ids; one side alone is held against what was predicted. Raises InputError."""
    store = Runs()
    sides = [[store.get(run_id) for run_id in ids] for ids in (first, second)]
    if first and second:
        return matched(*sides)
    return against_prediction([*sides[0], *sides[1]])


def _one(runs: Sequence[Run]) -> bool:
    return len({_by_state(run) for run in runs}) == 1


def _by_state(run: Run) -> _Key:
    return run.workload, run.state


def _by_workload(run: Run) -> _Key:
    return run.workload, None


def _of(runs: Sequence[Run], key: _Key, key_of: Callable[[Run], _Key]) -> tuple[Run, ...]:
    return tuple(run for run in runs if key_of(run) == key)


def _compared(first: tuple[Run, ...], second: tuple[Run, ...]) -> Compared:
    before, after = ([_measured(run) for run in group] for group in (first, second))
    context = context_of(*([conditions_of(run) for run in group] for group in (first, second)))
    return Compared(first[0].workload, first, second, compare(before, after), context)


def _measured(run: Run) -> Measured:
    return Measured(rate_of(run), tuple(one.read_mb_s + one.write_mb_s for one in run.samples))
