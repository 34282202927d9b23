"""Assumptions turned into a chain's rates: in the likely case, and with one assumption moved to an end of its range."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf

from ..capacity import Capacity
from ..plan import Plan
from .assumptions import HOURS_A_YEAR, Assumed, Assumptions, Driver, End
from .groups import Group, groups_of
from .markov import Rates
from .rebuild import Rebuild, rebuild_of


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything likely, but for one assumption that is ``moved`` to ``end``."""

    moved: Driver | None = None
    end: End = End.LIKELY

    def of(self, driver: Driver, assumed: Assumed) -> float:
        """The value that an assumption has here."""
        return assumed.at(self.end if driver is self.moved else End.LIKELY)


LIKELY = Scenario()
ALL = (LIKELY, *(Scenario(driver, end) for driver in Driver for end in (End.SAFER, End.WORSE)))


@dataclass(frozen=True, slots=True)
class Part:
    """A group with what is assumed of its disks: their rates, in multiples of the mean where they differ."""

    group: Group
    rates: tuple[Assumed, ...]
    rebuild: Rebuild

    @property
    def weights(self) -> tuple[float, ...] | None:
        """Each disk's rate over the mean, None when all are alike."""
        likely = [rate.likely for rate in self.rates]
        mean = sum(likely) / len(likely)
        return None if len(set(likely)) == 1 else tuple(round(one / mean, 6) for one in likely)

    def mean_rate(self, scenario: Scenario) -> float:
        """The disks' mean failure rate a year."""
        return sum(scenario.of(Driver.FAILURE_RATE, rate) for rate in self.rates) / len(self.rates)

    def rebuild_hours(self, scenario: Scenario = LIKELY) -> float:
        """Hours from the start of a rebuild to its end."""
        return self.rebuild.hours(self.group.component_bytes, scenario.of(Driver.REBUILD, self.rebuild.mb_s))


def parts_of(plan: Plan, capacity: Capacity, assumptions: Assumptions, years: float = 0.0) -> tuple[Part, ...]:
    """The plan's groups, in slot order, with their disks' mean rates over ``years`` (0: as published, no disk aged)."""
    rates = {
        disk.failure_unit: assumptions.rate_of(disk).times(assumptions.ageing(assumptions.age_of(disk), years))
        for disk in plan.disks()
    }
    return tuple(
        Part(group, tuple(rates[unit] for unit in group.units), rebuild_of(plan, group, assumptions))
        for group in groups_of(plan, capacity)
    )


@dataclass(frozen=True, slots=True)
class Delays:
    """What passes between a failure and the whole array, in hours. ``disks`` share the group's spares."""

    assumptions: Assumptions
    part: Part
    scenario: Scenario
    disks: int

    @property
    def waiting(self) -> float:
        """Until a replacement is there, when no spare is."""
        assumed, scenario = self.assumptions, self.scenario
        return scenario.of(Driver.NOTICE, assumed.notice_hours) + scenario.of(
            Driver.REPLACEMENT, assumed.replacement_hours
        )

    @property
    def rebuilding(self) -> float:
        """From then on."""
        return self.part.rebuild_hours(self.scenario)

    def repair_rates(self, failure: float) -> tuple[float, ...]:
        """For each number of failed disks the rate at which each of them comes back (see ``Rates``).

        Spares serve the first failures at once, unless they have been used and their replacements aren't there yet.
        The chain takes each delay as exponential with its mean.
        """
        spares = self.part.group.spares
        plain = _rate(self.waiting + self.rebuilding)
        if not spares:
            return (plain,)
        covered = _rate(self.rebuilding + self.waiting * _spare_wait(spares, self.disks * failure * self.waiting))
        beyond = _rate(self.rebuilding + self.waiting / (spares + 1))
        most = len(self.part.group.units)
        return (covered, *((min(k, spares) * covered + max(0, k - spares) * beyond) / k for k in range(1, most + 1)))


def rates(assumptions: Assumptions, part: Part, scenario: Scenario, years: float, disks: int) -> Rates:
    """The chain's rates in a scenario. ``disks``: how many the plan has, which share its spares."""
    failure = part.mean_rate(scenario) / HOURS_A_YEAR
    return Rates(
        failure=failure,
        repair=Delays(assumptions, part, scenario, disks).repair_rates(failure),
        times=scenario.of(Driver.BATCH, assumptions.batch_factor),
        unreadable=_unreadable(assumptions, part, scenario, years),
        spoiling=scenario.of(Driver.LATENT, assumptions.latent_errors) / HOURS_A_YEAR * part.group.sole_share,
    )


def _unreadable(assumptions: Assumptions, part: Part, scenario: Scenario, years: float) -> float:
    """Unreadable places on the share of a disk that becomes the last copy: left since the last check, and new ones."""
    since_check_years = min(scenario.of(Driver.CHECKS, assumptions.check_days) / 365, years) / 2
    left = scenario.of(Driver.LATENT, assumptions.latent_errors) * since_check_years
    new = scenario.of(Driver.LATENT, assumptions.unreadable_per_bit) * 8 * part.group.component_bytes
    return (left + new) * part.group.sole_share


def _rate(hours: float) -> float:
    return 1 / hours if hours else inf


def _spare_wait(spares: int, on_order: float) -> float:
    """The mean wait for a spare, in multiples of a replacement's.

    Each failure orders a replacement, so that a Poisson number of mean ``on_order`` is on its way; where that is
    ``spares`` or more, as many have to arrive first, each after 1/(how many are on their way).
    """
    if on_order > 100:
        return 1.0
    wait, chance, ordered = 0.0, exp(-on_order), 0
    while ordered < spares or chance > 1e-12:
        if ordered >= spares:
            wait += chance * sum(1 / one for one in range(spares + 1, ordered + 2))
        ordered += 1
        chance *= on_order / ordered
    return min(1.0, wait)
