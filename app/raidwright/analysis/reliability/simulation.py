"""Monte Carlo simulation of the loss model, vectorised over arrays: with ages and wear, delays that aren't exponential
and scheduled checks, which a chain can't express; also verifies the chain, including exhausted spares.

All arrays of a batch process their next event together; lost arrays, and those whose next event is after the end,
are removed. Fatal sets are determined by ``Survival``, not by the chain's shapes. Memory is bounded by
the batch, whatever the number of arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gamma, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from raidwright.analysis.layers.survival import survival_of
from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.survival import Survival
from raidwright.core.model.plan import Plan

from .ageing import PUBLISHED_YEARS
from .assumptions import HOURS_A_YEAR, Assumptions
from .groups import groups_of
from .scenarios import MIDDLE, parts_of, waiting_hours

Floats = NDArray[np.float64]
MAX_DISKS = 64
_BATCH_TIMES = 2**20  # event times per batch, 8 MiB


@dataclass(frozen=True, slots=True)
class Spread:
    """A Weibull distribution of hours with the minimum ``at_least``; shape 1 is exponential, scale 0 a fixed time."""

    scale: float
    shape: float = 1.0
    at_least: float = 0.0

    @classmethod
    def of_mean(cls, hours: float, shape: float = 1.0) -> Spread:
        """Make one with this mean."""
        return cls(hours / gamma(1 + 1 / shape), shape)

    def draw(self, random: np.random.Generator, size: int | tuple[int, ...], age: Floats | float = 0.0) -> Floats:
        """Draw the hours left at ``age``."""
        if self.scale == 0:
            return np.full(size, self.at_least)
        hazard = random.standard_exponential(size)
        if self.shape == 1 and self.at_least == 0:
            return self.scale * hazard
        used = np.maximum(0.0, np.asarray(age) - self.at_least) / self.scale
        lived: Floats = self.at_least + self.scale * (used**self.shape + hazard) ** (1 / self.shape) - age
        return lived


@dataclass(frozen=True, slots=True)
class Story:
    """Scenario of the simulation, in hours.

    ``lives`` and ``ages`` are one per unit of the plan's Survival. A failed disk's rebuild starts after ``waiting``, or
    at once with a spare, which is replaced after ``waiting``. ``times``, ``unreadable`` as in ``markov.Rates``;
    ``latent`` is the rate of new unreadable sectors on a disk, which a check every ``check_hours`` repairs.
    """

    lives: tuple[Spread, ...]
    ages: tuple[float, ...]
    waiting: Spread
    rebuilding: Spread
    times: float = 1.0
    latent: float = 0.0
    unreadable: float = 0.0
    check_hours: float = inf


@dataclass(frozen=True, slots=True)
class Simulated:
    """``arrays`` simulated, how many were ``lost``, and how many lost at least a sector (lost ones included)."""

    arrays: int
    lost: int
    sectors: int

    @property
    def probability(self) -> float:
        """Probability of losing the array."""
        return self.lost / self.arrays

    @property
    def standard_error(self) -> float:
        """Standard error of ``probability``."""
        return sqrt(self.probability * (1 - self.probability) / self.arrays)

    def interval(self, losses: int) -> tuple[float, float]:
        """Return Wilson's 95% interval of the probability of an event seen ``losses`` times."""
        z, seen = 1.959964, losses / self.arrays
        middle = (seen + z * z / (2 * self.arrays)) / (1 + z * z / self.arrays)
        half = z * sqrt(seen * (1 - seen) / self.arrays + (z / (2 * self.arrays)) ** 2) / (1 + z * z / self.arrays)
        return max(0.0, middle - half), min(1.0, middle + half)


def story_of(plan: Plan, assumptions: Assumptions, *, regular: bool = False) -> Story:
    """Return the scenario with every assumption at its median; a wear is a Weibull life for all years.

    ``regular`` delays are constant at their mean, others are exponential.
    """
    parts = parts_of(plan, capacity_of(plan.top), assumptions)
    slowest = max(parts, key=lambda part: float(part.rebuild_hours()[0]))
    rate = {unit: one.middle for part in parts for unit, one in zip(part.group.units, part.rates, strict=True)}
    age = {disk.failure_unit: assumptions.age_of(disk) for disk in plan.disks()}
    units = survival_of(plan.top).units
    return Story(
        lives=tuple(_life(rate[unit], assumptions.wear) for unit in units),
        ages=tuple(age[unit] * HOURS_A_YEAR for unit in units),
        waiting=_delay(float(waiting_hours(assumptions, MIDDLE)[0]), regular),
        rebuilding=_delay(float(slowest.rebuild_hours()[0]), regular),
        times=assumptions.batch_factor.middle,
        latent=assumptions.latent_errors.middle / HOURS_A_YEAR,
        unreadable=assumptions.unreadable_per_bit.middle * 8 * slowest.group.component_bytes,
        check_hours=assumptions.check_days.middle * 24,
    )


def _delay(hours: float, regular: bool) -> Spread:
    return Spread(0.0, at_least=hours) if regular else Spread(hours)


def _life(rate: float, wear: float) -> Spread:
    """Return a life whose mean hazard over the first five years is ``rate`` per year."""
    if rate == 0:
        return Spread(inf)
    years = (PUBLISHED_YEARS ** (wear - 1) / rate) ** (1 / wear)
    return Spread(years * HOURS_A_YEAR, wear)


def simulate(plan: Plan, story: Story, years: float, arrays: int, seed: int) -> Simulated:
    """Simulate ``arrays`` arrays for ``years``; the same seed gives the same result.

    Raises InputError for a plan of more than ``MAX_DISKS`` disks.
    """
    field = _Field.of(plan, story)
    random = np.random.default_rng(seed)
    batch = max(1, _BATCH_TIMES // len(story.lives))
    lost = sectors = 0
    for start in range(0, arrays, batch):
        played = _Arrays.new(field, random, min(batch, arrays - start))
        while played.count:
            of_arrays, of_sectors = played.step(years * HOURS_A_YEAR)
            lost, sectors = lost + of_arrays, sectors + of_sectors
    return Simulated(arrays, lost, sectors)


class _Fates:
    """Cached properties of sets of failed disks: fatal, and the shares of other disks that are then the only copy."""

    def __init__(self, survival: Survival, shares: tuple[float, ...]) -> None:
        self._survival, self._shares = survival, shares
        self._fatal: dict[int, bool] = {}
        self._exposed: dict[int, float] = {}

    def fatal(self, failed: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return True for fatal sets, given bit masks of failed units."""
        sets, places = np.unique(failed, return_inverse=True)
        return np.array([self._is_fatal(one) for one in sets.tolist()], dtype=bool)[places]

    def exposed(self, failed: NDArray[np.uint64]) -> Floats:
        """Return the exposed shares of disks, given bit masks of failed units."""
        sets, places = np.unique(failed, return_inverse=True)
        return np.array([self._exposure(one) for one in sets.tolist()], dtype=np.float64)[places]

    def _is_fatal(self, failed: int) -> bool:
        if failed not in self._fatal:
            self._fatal[failed] = not self._survival.survives(
                [unit for unit in range(len(self._shares)) if failed >> unit & 1]
            )
        return self._fatal[failed]

    def _exposure(self, failed: int) -> float:
        if failed not in self._exposed:
            self._exposed[failed] = sum(
                share
                for unit, share in enumerate(self._shares)
                if not failed >> unit & 1 and self._is_fatal(failed | 1 << unit)
            )
        return self._exposed[failed]


@dataclass(frozen=True, slots=True)
class _Field:
    """Data common to all simulated arrays. ``together[u]``: the bit mask of u's group; ``peers`` the same as rows.

    ``serve[u]`` marks the spares that may replace u.
    """

    story: Story
    fates: _Fates
    together: NDArray[np.uint64]
    peers: NDArray[np.bool_]
    serve: NDArray[np.bool_]

    @classmethod
    def of(cls, plan: Plan, story: Story) -> _Field:
        survival = survival_of(plan.top)
        place = {unit: number for number, unit in enumerate(survival.units)}
        if len(place) > MAX_DISKS:
            raise InputError("At most {most} disks can be simulated.", code="simulation", most=MAX_DISKS)
        peers = np.zeros((len(place), len(place)), dtype=bool)
        shares = [1.0] * len(place)
        for group in groups_of(plan, capacity_of(plan.top)):
            members = [place[unit] for unit in group.units]
            peers[np.ix_(members, members)] = True
            for member in members:
                shares[member] = group.sole_share
        together = (peers * (np.uint64(1) << np.arange(len(place), dtype=np.uint64))).sum(axis=1, dtype=np.uint64)
        return cls(story, _Fates(survival, tuple(shares)), together, peers, _serving(plan, place))


def _serving(plan: Plan, place: dict[str, int]) -> NDArray[np.bool_]:
    """Return which spare (column) may replace which unit (row): each array has its own."""
    columns = []
    for array in tuple(plan.top.md_arrays()):
        own = {disk.failure_unit for disk in array.disks()}
        columns += [[unit in own for unit in place]] * len(array.spares)
    return np.array(columns, dtype=bool).reshape(len(columns), len(place)).T


@dataclass(slots=True)
class _Arrays:
    """Arrays in progress: the time of each disk's next event (its failure, or its return), and the failed disks."""

    field: _Field
    random: np.random.Generator
    now: Floats
    events: Floats
    failed: NDArray[np.uint64]
    exposed: Floats
    spoilt: NDArray[np.bool_]
    spares_back: Floats

    @classmethod
    def new(cls, field: _Field, random: np.random.Generator, count: int) -> _Arrays:
        story = field.story
        columns = [life.draw(random, count, age) for life, age in zip(story.lives, story.ages, strict=True)]
        failed = np.zeros(count, dtype=np.uint64)
        return cls(
            field=field,
            random=random,
            now=np.zeros(count),
            events=np.stack(columns, axis=1),
            failed=failed,
            exposed=field.fates.exposed(failed) if story.latent or story.unreadable else np.zeros(count),
            spoilt=np.zeros(count, dtype=bool),
            spares_back=np.zeros((count, field.serve.shape[1])),
        )

    @property
    def count(self) -> int:
        """Number of arrays still in progress."""
        return len(self.now)

    def step(self, end: float) -> tuple[int, int]:
        """Process every array's next event; return how many were lost by it, and how many ended with sectors lost."""
        disk = self.events.argmin(axis=1)
        time = self.events[np.arange(self.count), disk]
        if self.field.story.latent:
            self._spoil(self.exposed * self.field.story.latent * (np.minimum(time, end) - self.now))
        over = time > end
        sectors = int(self.spoilt[over].sum())
        disk, self.now = disk[~over], time[~over]
        self._keep(~over)
        returns = self.failed >> disk.astype(np.uint64) & np.uint64(1) == 1
        self._return(np.flatnonzero(returns), disk[returns])
        lost = self._fail(np.flatnonzero(~returns), disk[~returns])
        gone = np.zeros(self.count, dtype=bool)
        gone[lost] = True
        self.now = self.now[~gone]
        self._keep(~gone)
        return len(lost), len(lost) + sectors

    def _keep(self, stay: NDArray[np.bool_]) -> None:
        self.events, self.failed, self.exposed = self.events[stay], self.failed[stay], self.exposed[stay]
        self.spoilt, self.spares_back = self.spoilt[stay], self.spares_back[stay]

    def _spoil(self, expected: Floats) -> None:
        self.spoilt |= self.random.random(self.count) < -np.expm1(-expected)

    def _return(self, rows: NDArray[np.intp], disks: NDArray[np.intp]) -> None:
        """Return rebuilt disks to service, as new disks."""
        self.failed[rows] ^= np.uint64(1) << disks.astype(np.uint64)
        hurried = self.failed[rows] & self.field.together[disks] != 0
        life = self._new_lives(disks)
        self.events[rows, disks] = self.now[rows] + np.where(hurried, life / self.field.story.times, life)
        self._hurry(rows[~hurried], disks[~hurried], 1 / self.field.story.times)
        self._expose(rows)

    def _new_lives(self, disks: NDArray[np.intp]) -> Floats:
        lives = self.field.story.lives
        if len(set(lives)) == 1:
            return lives[0].draw(self.random, len(disks))
        drawn = np.empty(len(disks))
        for unit, life in enumerate(lives):
            own = disks == unit
            drawn[own] = life.draw(self.random, int(own.sum()))
        return drawn

    def _fail(self, rows: NDArray[np.intp], disks: NDArray[np.intp]) -> NDArray[np.intp]:
        """Fail disks; return the rows of arrays that are lost."""
        before = self.failed[rows]
        after = before | np.uint64(1) << disks.astype(np.uint64)
        fatal = self.field.fates.fatal(after)
        first = (before & self.field.together[disks] == 0) & ~fatal
        self.failed[rows] = after
        self.events[rows, disks] = self._back(rows, disks)
        self._hurry(rows[first], disks[first], self.field.story.times)
        self._expose(rows[~fatal])
        return rows[fatal]

    def _hurry(self, rows: NDArray[np.intp], disks: NDArray[np.intp], times: float) -> None:
        """Accelerate the lives of a group's other disks by ``times`` while one is missing."""
        if times == 1 or not len(rows):
            return
        units = np.arange(self.events.shape[1], dtype=np.uint64)
        works = self.failed[rows, None] >> units & np.uint64(1) == 0
        works &= self.field.peers[disks]
        works[np.arange(len(rows)), disks] = False
        now, events = self.now[rows, None], self.events[rows]
        self.events[rows] = np.where(works, now + (events - now) / times, events)

    def _back(self, rows: NDArray[np.intp], disks: NDArray[np.intp]) -> Floats:
        """Return the times at which failed disks are rebuilt."""
        story, now = self.field.story, self.now[rows]
        replaced = now + story.waiting.draw(self.random, len(rows))
        rebuilding = story.rebuilding.draw(self.random, len(rows))
        if not self.spares_back.shape[1]:
            return replaced + rebuilding
        back = np.where(self.field.serve[disks], self.spares_back[rows], inf)
        spare = back.argmin(axis=1)
        soonest = np.maximum(now, back[np.arange(len(rows)), spare])
        uses = soonest < replaced
        self.spares_back[rows[uses], spare[uses]] = replaced[uses]
        return np.where(uses, soonest, replaced) + rebuilding

    def _expose(self, rows: NDArray[np.intp]) -> None:
        """Add latent errors of disks that became the only copy: since the last check, and on reading."""
        story = self.field.story
        if not (story.latent or story.unreadable) or not len(rows):
            return
        exposed = self.field.fates.exposed(self.failed[rows])
        newly = np.maximum(0.0, exposed - self.exposed[rows])
        since_check = self.now[rows] % story.check_hours if story.check_hours else 0.0
        expected = np.zeros(self.count)
        expected[rows] = newly * (story.latent * since_check + story.unreadable)
        self._spoil(expected)
        self.exposed[rows] = exposed
