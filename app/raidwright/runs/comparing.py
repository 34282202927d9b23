"""Comparison of stored runs, workload by workload, with each other or with their predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log
from typing import TYPE_CHECKING

from raidwright.analysis.comparison.conditions import Context, context_of, same_region
from raidwright.analysis.comparison.groups import Measured
from raidwright.analysis.comparison.verdict import Comparison, compare
from raidwright.core.errors import InputError

from .conditions import conditions_of
from .predicted import predicted
from .run import ArrayState, Run
from .store import Runs
from .undisturbed import disturbance

if TYPE_CHECKING:
    from raidwright.analysis.performance.prediction import Prediction

_Key = tuple[str, ArrayState | None]


@dataclass(frozen=True, slots=True)
class Compared:
    """The runs of one workload (and one state of the array) on both sides, and their comparison."""

    workload: str
    first: tuple[Run, ...]
    second: tuple[Run, ...]
    comparison: Comparison
    context: Context
    is_of_region: bool = False  # one of several regions that the workload was measured on


@dataclass(frozen=True, slots=True)
class AgainstPrediction:
    """``ratio`` of the measured to the predicted rate; ``is_inside`` the prediction's 90% band."""

    workload: str
    runs: tuple[Run, ...]
    prediction: Prediction
    ratio: float

    @property
    def is_inside(self) -> bool:
        """True if the measured mean is within the prediction's band."""
        return self.prediction.low_mb_s <= self.ratio * self.prediction.mb_s <= self.prediction.high_mb_s

    @property
    def is_disturbed(self) -> bool:
        """True if something beside one of the runs forbids a verdict."""
        return any(disturbance(run) for run in self.runs)


def rate_of(run: Run) -> float:
    """Return the rate to compare: MB/s, or operations per second if no data are transferred."""
    return run.result.mb_s or run.result.iops


def mean_rate(runs: Sequence[Run]) -> float:
    """Return the geometric mean of the rates, since they are compared as ratios."""
    return exp(sum(log(rate_of(run)) for run in runs) / len(runs))


def matched(first: Sequence[Run], second: Sequence[Run]) -> tuple[Compared, ...]:
    """Compare ``second`` with ``first`` for each common workload, in the first's order; runs with their samples.

    If each side has a single workload they are compared in any case, with a warning if they differ. Raises InputError
    if no workload is common, a side is empty, or a run has a rate of 0.
    """
    for run in (*first, *second):
        if not 0 < rate_of(run) < inf:
            raise InputError("The run {id} has measured nothing; leave it out.", code="run-empty", id=run.id)
    if first and second and _one(first) and _one(second):
        return tuple(_by_region(first, second))
    for key_of in (_by_state, _by_workload):
        groups = [(key, _of(first, key, key_of), _of(second, key, key_of)) for key in dict.fromkeys(map(key_of, first))]
        pairs = ((before, after) for _key, before, after in groups if before and after)
        if found := tuple(one for before, after in pairs for one in _by_region(before, after)):
            return found
    raise InputError("The two sides have no workload in common; choose runs of the same workload.", code="runs-unlike")


def _by_region(first: Sequence[Run], second: Sequence[Run]) -> Iterator[Compared]:
    """Yield a comparison for each region that both sides have measured; one of all, if they have none in common.

    The size of a benchmark's file is the first axis of its result: runs of several sizes aren't repeats.
    """
    known = {run.id: conditions_of(run) for run in (*first, *second)}
    sizes: list[Run] = []
    for run in first:
        if not any(same_region(known[run.id], known[size.id]) for size in sizes):
            sizes.append(run)
    alike = [
        [tuple(run for run in side if same_region(known[run.id], known[size.id])) for side in (first, second)]
        for size in sizes
    ]
    pairs = [(before, after) for before, after in alike if before and after]
    if len(sizes) == 1 and (not pairs or len(pairs[0][1]) == len(second)):
        pairs = []
    if not pairs:
        yield _compared(tuple(first), tuple(second))
    for before, after in pairs:
        yield replace(_compared(before, after), is_of_region=True)


def newest_pair(runs: Sequence[Run]) -> tuple[Compared, ...]:
    """Compare, for each workload (and state), the newest runs with those before; ``runs`` newest first, of one array.

    A suite's runs form one side together, others one each; sweeps, whose runs differ on purpose, and workloads measured
    only once are left out.
    """
    sides: dict[_Key, dict[str, list[Run]]] = {}
    for run in runs:
        if rate_of(run) > 0 and (run.series is None or run.series.kind != "sweep"):
            side = run.series.id if run.series else run.id
            sides.setdefault(_by_state(run), {}).setdefault(side, []).append(run)
    pairs = (tuple(each.values()) for each in sides.values() if len(each) > 1)
    return tuple(_compared(tuple(before), tuple(now)) for now, before, *_older in pairs)


def against_prediction(runs: Sequence[Run]) -> tuple[AgainstPrediction, ...]:
    """Compare each workload's runs with the prediction for the first; workloads without a prediction are left out."""
    found = []
    for key in dict.fromkeys(map(_by_state, runs)):
        group = _of(runs, key, _by_state)
        prediction = predicted(group[0])
        if prediction is not None:
            found.append(AgainstPrediction(key[0], group, prediction, mean_rate(group) / prediction.mb_s))
    return tuple(found)


def compared_by_id(first: Sequence[str], second: Sequence[str]) -> tuple[Compared, ...] | tuple[AgainstPrediction, ...]:
    """Compare the user's stored runs by ids; a single side is compared with its predictions. Raises InputError."""
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
