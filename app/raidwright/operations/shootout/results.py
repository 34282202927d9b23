"""Results of a shoot-out, intermediate or final: figures, their predictions, and the ranking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, log
from statistics import fmean
from typing import TYPE_CHECKING

from raidwright.analysis.comparison.groups import Measured
from raidwright.analysis.comparison.verdict import Comparison, compare
from raidwright.core.messages import Message
from raidwright.core.system.file_acts import FileAct
from raidwright.runs.memory_speed import MEMORY_SPEED
from raidwright.runs.remarks import BUSY
from raidwright.runs.run import ArrayState, RunResult
from raidwright.suites import SuiteWorkload

from .contest import Contest
from .slices import Contestant

if TYPE_CHECKING:
    from raidwright.analysis.performance.prediction import Prediction


@dataclass(frozen=True, slots=True)
class Figure:
    """One contestant's result in one state under one workload: each repeat, and the prediction.

    ``remarks`` are notes to show beside the figure, each once.
    """

    contestant: int
    state: ArrayState
    workload: SuiteWorkload
    results: tuple[RunResult, ...]
    predicted: Prediction | None = None
    remarks: tuple[Message, ...] = ()

    @property
    def mb_s(self) -> float:
        """Mean of the repeats."""
        return fmean(one.mb_s for one in self.results)

    @property
    def iops(self) -> float:
        """Mean of the repeats."""
        return fmean(one.iops for one in self.results)

    @property
    def counts_files(self) -> bool:
        """True if the rate is files per second instead of MB/s."""
        return isinstance(self.workload, FileAct) and self.workload.counts_files

    @property
    def rates(self) -> tuple[float, ...]:
        """MB/s of each repeat, or files per second."""
        return tuple(one.iops if self.counts_files else one.mb_s for one in self.results)

    @property
    def spread(self) -> float:
        """Range of the repeats, as a share of their mean; 0 for a single one."""
        return (max(self.rates) - min(self.rates)) / fmean(self.rates)


@dataclass(frozen=True, slots=True)
class Findings:
    """The figures of ``contest`` so far, in order of measurement; ``series`` is the id of its runs, if it is held."""

    contest: Contest
    figures: tuple[Figure, ...] = ()
    series: str = ""

    def of(self, contestant: int, state: ArrayState, workload: SuiteWorkload) -> Figure | None:
        """Return one figure; None if it isn't measured yet."""
        key = (contestant, state, workload)
        return next((one for one in self.figures if (one.contestant, one.state, one.workload) == key), None)

    def with_result(self, figure: Figure) -> Findings:
        """Add a result, as a new figure or as another repeat of an existing one."""
        known = self.of(figure.contestant, figure.state, figure.workload)
        if known is None:
            return replace(self, figures=(*self.figures, figure))
        remarks = tuple(dict.fromkeys((*known.remarks, *figure.remarks)))
        more = replace(known, results=(*known.results, *figure.results), remarks=remarks)
        return replace(self, figures=tuple(more if one is known else one for one in self.figures))

    def times_alone(self, figure: Figure) -> float | None:
        """Return the figure as a multiple of one disk alone under the same workload."""
        disk = self.alone(figure)
        return fmean(figure.rates) / fmean(disk.rates) if disk else None

    def alone(self, figure: Figure) -> Figure | None:
        """Return one disk's figure under the same workload, on the same file system; None if not measured."""
        place = self.contest.alone_with(self._contestant(figure.contestant))
        return self.of(place, ArrayState.HEALTHY, figure.workload)

    def score(self, contestant: int, state: ArrayState = ArrayState.HEALTHY) -> float | None:
        """Return the geometric mean of the deciding figures in ``state``, in multiples of one disk.

        None until there is one such figure.
        """
        found = self.deciding(contestant, state)
        times = [times for one in found if (times := self.times_alone(one)) is not None]
        return exp(fmean(map(log, times))) if times else None

    def deciding(self, contestant: int, state: ArrayState) -> tuple[Figure, ...]:
        """Return the figures in ``state`` that the ranking uses, as far as they are measured."""
        found = (self.of(contestant, state, workload) for workload in self.contest.suite.decisive)
        return tuple(one for one in found if one is not None)

    def scores(self, contestant: int, state: ArrayState = ArrayState.HEALTHY) -> tuple[float, ...]:
        """Return the score of each repeat alone; () until there is one."""
        found = [one for one in self.deciding(contestant, state) if self.alone(one) is not None]
        repeats = min((len(one.rates) for one in found), default=0)
        return tuple(
            exp(fmean(log(one.rates[repeat] / fmean(disk.rates)) for one in found if (disk := self.alone(one))))
            for repeat in range(repeats)
        )

    @property
    def is_decided(self) -> bool:
        """True once every contestant is measured under each deciding workload: a part of them decides nothing."""
        count = len(self.contest.suite.decisive)
        places = range(len(self.contest.contestants))
        return bool(self.board) and all(len(self.deciding(place, ArrayState.HEALTHY)) == count for place in places)

    @property
    def lead(self) -> Comparison | None:
        """The winner's scores compared with those of the next that is as safe; None without one."""
        peers = self.peers
        if len(peers) < 2:
            return None
        following, first = (tuple(map(Measured, self.scores(place))) for place in (peers[1], peers[0]))
        return compare(following, first)

    @property
    def peers(self) -> tuple[int, ...]:
        """The contestants on the board that survive a lost disk as the winner does, or don't as it doesn't."""
        board = [place for place, _score in self.board]
        return tuple(
            place
            for place in board
            if self._contestant(place).survives_a_loss == self._contestant(board[0]).survives_a_loss
        )

    @property
    def is_at_memory_speed(self) -> bool:
        """True if the disks were as fast as memory, so that neither predictions nor one disk are references."""
        return any(MEMORY_SPEED in one.remarks for one in self.figures)

    @property
    def was_busy(self) -> bool:
        """True if the computer or its disks did something else beside some of the runs."""
        return any(BUSY in one.remarks for one in self.figures)

    @property
    def board(self) -> tuple[tuple[int, float], ...]:
        """Contestants with their scores, the best first; those without redundancy come last.

        Otherwise they would win whenever they take part, but they are no choice for those who need redundancy.
        """
        scored = [(place, score) for place in self._competing if (score := self.score(place)) is not None]
        return tuple(sorted(scored, key=lambda one: (not self._contestant(one[0]).survives_a_loss, -one[1])))

    @property
    def winner(self) -> int | None:
        """The first on the board; None while it is empty."""
        return self.board[0][0] if self.board else None

    @property
    def aligned_against_not(self) -> Iterator[tuple[int, SuiteWorkload, Comparison]]:
        """Comparison of each aligned file system with the unaligned one: contestant's index, act, comparison."""
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
        return (place for place, one in enumerate(self.contest.contestants) if one.is_layout)

    def _contestant(self, place: int) -> Contestant:
        return self.contest.contestants[place]
