"""What a shoot-out found, so far or in the end: figures with their predictions beside them, and who leads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, log
from statistics import fmean

from raidwright.analysis.comparison.groups import Measured
from raidwright.analysis.comparison.verdict import Comparison, compare
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.messages import Message
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.suites import SuiteWorkload
from raidwright.runs.run import ArrayState, RunResult

from .contest import Contest
from .slices import Contestant


@dataclass(frozen=True, slots=True)
class Figure:
    """What one contestant did in one state under one workload: each repeat, and what was predicted.

    ``remarks`` are what has to be known where the figure stands, each once.
    """

    contestant: int
    state: ArrayState
    workload: SuiteWorkload
    results: tuple[RunResult, ...]
    predicted: Prediction | None = None
    remarks: tuple[Message, ...] = ()

    @property
    def mb_s(self) -> float:
        """The repeats' mean."""
        return fmean(one.mb_s for one in self.results)

    @property
    def iops(self) -> float:
        """The repeats' mean."""
        return fmean(one.iops for one in self.results)

    @property
    def counts_files(self) -> bool:
        """Whether files a second count, and no MB are moved."""
        return isinstance(self.workload, FileAct) and self.workload.counts_files

    @property
    def rates(self) -> tuple[float, ...]:
        """Each repeat's MB/s, or files a second."""
        return tuple(one.iops if self.counts_files else one.mb_s for one in self.results)

    @property
    def spread(self) -> float:
        """How far the repeats lie apart, as a share of their mean; 0 for one alone."""
        return (max(self.rates) - min(self.rates)) / fmean(self.rates)


@dataclass(frozen=True, slots=True)
class Findings:
    """The figures of ``contest`` so far, in the order in which they were measured."""

    contest: Contest
    figures: tuple[Figure, ...] = ()

    def of(self, contestant: int, state: ArrayState, workload: SuiteWorkload) -> Figure | None:
        """One figure; None while it isn't there."""
        key = (contestant, state, workload)
        return next((one for one in self.figures if (one.contestant, one.state, one.workload) == key), None)

    def with_result(self, figure: Figure) -> Findings:
        """With one more result, as a figure of its own or as another repeat of one that is there."""
        known = self.of(figure.contestant, figure.state, figure.workload)
        if known is None:
            return replace(self, figures=(*self.figures, figure))
        remarks = tuple(dict.fromkeys((*known.remarks, *figure.remarks)))
        more = replace(known, results=(*known.results, *figure.results), remarks=remarks)
        return replace(self, figures=tuple(more if one is known else one for one in self.figures))

    def times_alone(self, figure: Figure) -> float | None:
        """The figure in multiples of one disk, whole and alone, under the same workload."""
        place = self.contest.alone_with(self._contestant(figure.contestant))
        disk = self.of(place, ArrayState.HEALTHY, figure.workload)
        return fmean(figure.rates) / fmean(disk.rates) if disk else None

    def score(self, contestant: int) -> float | None:
        """The geometric mean, in multiples of one disk, of what a whole array does where it counts.

        None until one such figure is there.
        """
        found = [self.of(contestant, ArrayState.HEALTHY, workload) for workload in self.contest.suite.decisive]
        times = [times for one in found if one is not None and (times := self.times_alone(one)) is not None]
        return exp(fmean(map(log, times))) if times else None

    @property
    def board(self) -> tuple[tuple[int, float], ...]:
        """Contestants with their scores, the best first; those that don't outlive a disk come last.

        They would win otherwise whenever they take part, and aren't what anybody means who wants redundancy.
        """
        scored = [(place, score) for place in self._competing if (score := self.score(place)) is not None]
        return tuple(sorted(scored, key=lambda one: (not self._contestant(one[0]).survives_a_loss, -one[1])))

    @property
    def winner(self) -> int | None:
        """The first on the board; None while nobody is on it."""
        return self.board[0][0] if self.board else None

    @property
    def aligned_against_not(self) -> Iterator[tuple[int, SuiteWorkload, Comparison]]:
        """What telling a file system of the array's stripe is worth: of whom (its place), doing what."""
        places = {(one.plan, one.setup): place for place, one in enumerate(self.contest.contestants)}
        for aligned in self.figures:
            one = self._contestant(aligned.contestant)
            if aligned.state is ArrayState.HEALTHY and one.setup is not None and one.setup.aligned:
                place = places[one.plan, replace(one.setup, aligned=False)]
                if (plain := self.of(place, aligned.state, aligned.workload)) is not None:
                    before, after = ([Measured(rate) for rate in figure.rates] for figure in (plain, aligned))
                    yield aligned.contestant, aligned.workload, compare(before, after)

    @property
    def _competing(self) -> Iterator[int]:
        return (place for place, one in enumerate(self.contest.contestants) if not one.is_alone)

    def _contestant(self, place: int) -> Contestant:
        return self.contest.contestants[place]
