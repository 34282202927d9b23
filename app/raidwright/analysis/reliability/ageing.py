"""Failure rate of a wearing disk over some years, relative to its mean in the first five.

Three courses of the hazard h(t), with t in years and a mean of 1 from 0 to 5:

- safer: a Weibull life of shape 1.12 (Elerath and Pecht, DSN 2007);
- likely: the same for five years, then a power of t that meets Backblaze's 4.25% a year at ten years and three months,
  where all disks had 1.36% ("Are hard drives getting better?", October 2025);
- worse: the same for five years, then one that meets that study's figure of 2021, 14.24% at seven years and nine months
  where all had 1.40%; and stays there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

PUBLISHED_YEARS = 5.0  # a published rate is the mean over so many years of a wearing disk
AGED_WEAR = 1.12
_LIKELY_AT_YEARS, _LIKELY_TIMES = 10.25, 4.25 / 1.36
_WORSE_AT_YEARS, _WORSE_TIMES = 7.75, 14.24 / 1.40


class Ageing(NamedTuple):
    """Factors on a published failure rate, from the safer to the worse end of its range."""

    safer: float
    likely: float
    worse: float


def weibull(age_years: float, years: float, shape: float) -> float:
    """Return the mean hazard over ``years`` from an age on, of a Weibull life of that shape."""
    worn = math.pow(age_years + years, shape) - math.pow(age_years, shape)
    return worn / years / math.pow(PUBLISHED_YEARS, shape - 1)


def ageing(age_years: float, years: float) -> Ageing:
    """Return the mean factors over ``years``, more than 0, from an age on."""
    end = age_years + years
    young_until, old_from = min(end, PUBLISHED_YEARS), max(age_years, PUBLISHED_YEARS)
    young = weibull(age_years, young_until - age_years, AGED_WEAR) if young_until > age_years else 0.0
    young_sum = young * max(0.0, young_until - age_years)

    def mean(at_years: float, times: float, *, is_capped: bool) -> float:
        old_sum = _risen(old_from, end, at_years, times, is_capped=is_capped) if end > old_from else 0.0
        return (young_sum + old_sum) / years

    safer = weibull(age_years, years, AGED_WEAR)
    likely = max(safer, mean(_LIKELY_AT_YEARS, _LIKELY_TIMES, is_capped=False))
    return Ageing(safer, likely, max(likely, mean(_WORSE_AT_YEARS, _WORSE_TIMES, is_capped=True)))


def _risen(begin: float, end: float, at_years: float, times: float, *, is_capped: bool) -> float:
    """Return the integral, from ``begin`` to ``end``, of a hazard that rises from five years on to ``times``.

    It is ``AGED_WEAR`` at five years, as that Weibull life's, and ``times`` ``at_years``, where a capped one stays.
    """
    power = math.log(times / AGED_WEAR) / math.log(at_years / PUBLISHED_YEARS)
    top = at_years if is_capped else math.inf
    rising_from, rising_to = min(begin, top), min(end, top)
    raised = math.pow(rising_to / PUBLISHED_YEARS, power + 1) - math.pow(rising_from / PUBLISHED_YEARS, power + 1)
    flat = max(0.0, end - max(begin, top)) * times if is_capped else 0.0
    return AGED_WEAR * PUBLISHED_YEARS / (power + 1) * raised + flat
