"""Student's t distribution: cumulative distribution and quantiles.

Source: Press et al., Numerical Recipes, 6.4 (the incomplete beta function by Lentz's continued fraction).
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, floor, lgamma, log

_TINY = 1e-300
_STEPS = 500
_PRECISION = 1e-14


def t_cdf(t: float, freedom: float) -> float:
    """Return the share of the distribution with ``freedom`` degrees (above 0) that lies below ``t``."""
    tail = _beta_share(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    return 1 - tail if t > 0 else tail


def t_quantile(share: float, freedom: float) -> float:
    """Return the quantile for ``share`` (0.5 to 1); ``freedom`` is rounded down to a tenth, at least 1."""
    # Above 1e6 the t distribution is practically normal.
    return _quantile(share, max(1.0, floor(min(freedom, 1e6) * 10) / 10))


@lru_cache(4096)
def _quantile(share: float, freedom: float) -> float:
    low, high = 0.0, 1.0
    while t_cdf(high, freedom) < share:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def _beta_share(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for step in (even, odd):
            d = 1 / _off_zero(1 + step * d)
            c = _off_zero(1 + step / c)
            change = d * c
            value *= change
        if abs(change - 1) < _PRECISION:
            break
    return value


def _off_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
