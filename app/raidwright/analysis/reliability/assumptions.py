"""Assumptions of the loss model: each with its likely value, its range, and its source.

A year has 8760 hours, as in the published rates. An annual failure rate A is A/8760 per hour: published figures are
rates, so that 1 is a mean life of one year, which 37% of the disks survive.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from raidwright.core.errors import InputError
from raidwright.core.messages import Message, say
from raidwright.core.model.assumed import ASSUMED
from raidwright.core.model.plan import Member, Plan

from .ageing import AGED_WEAR, ageing, weibull
from .published import rate_of_class, rates_of_model

HOURS_A_YEAR = 8760.0
AGED_WEAR_SOURCE = say(
    "for five years Weibull shape 1.12, fitted to disks in the field (Elerath and Pecht, DSN 2007). Likely: then it "
    "rises to three times the mean at ten years, as Backblaze saw in 2025 (4.25% a year; 1.36% over all). Safer: "
    "shape 1.12 throughout. Worse: to ten times at almost eight years, as that study saw in 2021 (14.24%)"
)
NO_AGE_SOURCE = say(
    "no age is given: disks older than five years count as no worse than the mean. Give an age (0: new) to count it"
)
_FLASH_LATENT = (0.0131, 0.056, 0.25)
_FLASH_LATENT_SOURCE = say(
    "flash that develops unreadable sectors: 20% of the best and 63% of the worst of ten models within four years, as "
    "a rate a year (Schroeder et al., FAST 2016, disks of 2010 to 2015); safer: as spinning disks"
)
_STUDIED_BYTES = 5 * 10**11  # the largest disks of the study that the default is from


DISTRIBUTIONS = say(
    "PERT: a beta distribution between the ends of the range, with its peak at the likely value and weight 4, or the "
    "same of the value's logarithm. What one cause moves is drawn together (all failure rates; latent errors and "
    "errors while reading), the rest independently."
)


class Driver(StrEnum):
    """The assumptions that are varied one at a time."""

    FAILURE_RATE = "failure_rate"
    NOTICE = "notice_hours"
    REPLACEMENT = "replacement_hours"
    REBUILD = "rebuild_mb_s"
    BATCH = "batch_factor"
    LATENT = "latent_errors"
    CHECKS = "check_days"


@dataclass(frozen=True, slots=True)
class AssumedRange:
    """A value with its range from the safer to the worse end, in the unit that its name gives, and its source.

    Between the ends it has the PERT distribution of an expert's three points, minimum, mode and maximum
    (Malcolm, Roseboom, Clark and Fazar, Operations Research 7, 1959: a beta distribution of mode ``likely`` and
    weight 4): on a logarithmic scale, unless an end is 0.
    """

    safer: float
    likely: float
    worse: float
    source: Message

    @classmethod
    def given(cls, value: float) -> AssumedRange:
        """Return the user's value, without a range."""
        return cls(value, value, value, say("given by you"))

    def times(self, factor: float) -> AssumedRange:
        """Return all three values times ``factor``."""
        return AssumedRange(self.safer * factor, self.likely * factor, self.worse * factor, self.source)

    @property
    def is_logarithmic(self) -> bool:
        """True if it is distributed on a logarithmic scale."""
        return min(self.safer, self.worse) > 0

    @property
    def distribution(self) -> Message:
        """The distribution's name, for a table."""
        if self.safer == self.worse:
            return say("one value")
        return say("log-PERT") if self.is_logarithmic else say("PERT")

    @property
    def mode(self) -> float | None:
        """Position of the likely value between the ends, 0 to 1 on the distribution's scale; None for one value."""
        if self.safer == self.worse:
            return None
        if not self.is_logarithmic:
            return round((self.likely - self.safer) / (self.worse - self.safer), 6)
        return round(math.log(self.likely / self.safer) / math.log(self.worse / self.safer), 6)

    @property
    def middle(self) -> float:
        """Median of its distribution."""
        return float(self.quantiles((0.5,))[0])

    def quantiles(self, shares: tuple[float, ...]) -> NDArray[np.float64]:
        """Return the quantiles of the distribution at these shares, counted from the safer end."""
        mode = self.mode
        if mode is None:
            return np.full(len(shares), self.likely)
        places = places_of(mode, shares)
        if not self.is_logarithmic:
            return self.safer + (self.worse - self.safer) * places
        return np.asarray(self.safer * np.exp(math.log(self.worse / self.safer) * places))


@lru_cache(maxsize=128)
def places_of(mode: float, shares: tuple[float, ...]) -> NDArray[np.float64]:
    """Return quantiles of the beta distribution on 0 to 1 with PERT's weight, by numerical integration."""
    edges = np.linspace(0, 1, 4097)
    middles = (edges[:-1] + edges[1:]) / 2
    mass = np.cumsum(middles ** (4 * mode) * (1 - middles) ** (4 * (1 - mode)))
    return np.interp(shares, np.append(0, mass / mass[-1]), edges)


_DEFAULTS = {
    name: AssumedRange(default.safer, default.likely, default.worse, default.source)
    for name, one in ASSUMED.items()
    if (default := one.default)
}


@dataclass(frozen=True, slots=True)
class Assumptions:
    """All inputs of a loss besides the plan.

    ``failure_rate`` (per year) is None if each member's model, or its class, determines it; ``rebuild_mb_s`` is None
    if the prediction of the array's rebuild determines it. ``latent_errors`` are a rate per year and disk,
    ``unreadable_per_bit`` a probability per bit read. ``batch_factor`` multiplies the failure rate of a group's other
    disks while one of it is missing. ``age_years`` and ``wear`` (a Weibull shape, 1: no wear) scale the rate to the
    disks' age, the published rate being the mean over the first five years; ``AGED_WEAR`` stands for the courses of
    ``ageing``. A member's own ``afr`` and ``age_years`` take precedence.
    """

    failure_rate: AssumedRange | None = None
    notice_hours: AssumedRange = _DEFAULTS["notice_hours"]
    replacement_hours: AssumedRange = _DEFAULTS["replacement_hours"]
    rebuild_mb_s: AssumedRange | None = None
    batch_factor: AssumedRange = _DEFAULTS["batch_factor"]
    latent_errors: AssumedRange = _DEFAULTS["latent_errors"]
    unreadable_per_bit: AssumedRange = _DEFAULTS["unreadable_per_bit"]
    check_days: AssumedRange = _DEFAULTS["check_days"]
    age_years: float = 0.0
    wear: float = 1.0

    @classmethod
    def of(cls, plan: Plan, given: Iterable[tuple[str, float]] = ()) -> Assumptions:
        """Return ``plan``'s assumptions, overridden by those ``given`` by name, with published values for the rest.

        If ages are given, of all disks or of one, they wear by ``AGED_WEAR`` unless a wear is given too.
        """
        said = dict(plan.assumptions) | dict(given)
        aged = "age_years" in said or any(disk.age_years is not None for disk in plan.disks())
        return cls(wear=AGED_WEAR if aged else 1.0, latent_errors=_latent_of(plan)).with_given(said.items())

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            numbers = (value.safer, value.likely, value.worse) if isinstance(value, AssumedRange) else (value,)
            for number in numbers:
                if number is not None and (wrong := ASSUMED[item.name].refusal(number)):
                    raise InputError("“{name}” {wrong}.", code="assumption", name=item.name, wrong=wrong)

    def with_given(self, given: Iterable[tuple[str, float]]) -> Assumptions:
        """Return these assumptions with the user's values by name (``assumed.ASSUMED``)."""
        values = {name: value if name in ("age_years", "wear") else AssumedRange.given(value) for name, value in given}
        return replace(self, **values)  # type: ignore[arg-type]  # the names are those of the fields

    def rate_of(self, disk: Member) -> AssumedRange:
        """Return a disk's annual failure rate: the one given for it or for all, of its model, or of its class."""
        if disk.afr is not None:
            return AssumedRange.given(disk.afr)
        return self.failure_rate or _published(disk)

    def age_of(self, disk: Member) -> float:
        """Return a disk's age in years: its own, or that of all."""
        return self.age_years if disk.age_years is None else disk.age_years

    def rates_by_name(self, plan: Plan) -> dict[str, AssumedRange]:
        """Return the failure rates of a plan's disks: by model, and by name for disks with a rate of their own."""
        return {disk.model if disk.afr is None else disk.failure_unit: self.rate_of(disk) for disk in plan.disks()}

    def rate_over(self, disk: Member, years: float) -> AssumedRange:
        """Return a disk's mean annual failure rate over ``years`` from its age on; 0: as published, no ageing.

        A given rate has no range, and doesn't get one from its age.
        """
        rate, age_years = self.rate_of(disk), self.age_of(disk)
        if self.wear == 1 or years == 0:
            return rate
        if self.wear != AGED_WEAR:
            return rate.times(weibull(age_years, years, self.wear))
        factor = ageing(age_years, years)
        if rate.safer == rate.worse:
            return rate.times(factor.likely)
        ends = (rate.safer * factor.safer, rate.likely * factor.likely, rate.worse * factor.worse)
        return AssumedRange(*ends, rate.source)


def _latent_of(plan: Plan) -> AssumedRange:
    """Return the range of the plan's disks: flash has its own, and the worse end grows with spinning disks' size."""
    default, disks = _DEFAULTS["latent_errors"], tuple(plan.disks())
    largest_bytes = max((disk.disk_size_bytes or disk.size_bytes for disk in disks if not disk.is_flash), default=0)
    factor = math.sqrt(max(1.0, largest_bytes / _STUDIED_BYTES))
    spinning = replace(default, worse=min(1.0, default.worse * factor))
    if not any(disk.is_flash for disk in disks):
        return spinning
    flash = AssumedRange(*_FLASH_LATENT, _FLASH_LATENT_SOURCE)
    return replace(flash, worse=max(flash.worse, spinning.worse)) if largest_bytes else flash


def _published(disk: Member) -> AssumedRange:
    rows = rates_of_model(disk.model)
    if not rows:
        return _of_class(disk.is_flash)
    likely = rows[0]
    return AssumedRange(
        min(row.lower for row in rows),
        likely.rate,
        max(row.upper for row in rows),
        say(
            "{model}: {failures:,} failures in {drive_days:,} drive-days until {until} "
            "({source}); the range spans the 95% limits of all {count} published periods",
            model=likely.model,
            failures=likely.failures,
            drive_days=likely.drive_days,
            until=likely.until,
            source=likely.source,
            count=len(rows),
        ),
    )


@cache
def _of_class(flash: bool) -> AssumedRange:
    of = rate_of_class(flash=flash)
    source = say(
        "nothing is published on this model, so {name} at large until {until}; {source}",
        name=of.name,
        until=of.until,
        source=of.source,
    )
    return AssumedRange(of.safer, of.likely, of.worse, source)
