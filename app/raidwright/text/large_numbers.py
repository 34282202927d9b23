"""Large numbers by their first two digits, with the names that a language has for them."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.core.messages import say

from .catalogue import number, tr

# Two units of other languages for the same number; that which a language doesn't take is left out.
# For translators: {man} is the number in units of 10,000, {oku} in units of 100,000,000.
_MILLIONS = say("{number} million")
# For translators: {man} is the number in units of 10,000, {oku} in units of 100,000,000.
_BILLIONS = say("{number} billion")
# For translators: {man} is the number in units of 10,000, {oku} in units of 100,000,000.
_MILLIONS_BRIEFLY = say("{number} M")
# For translators: {man} is the number in units of 10,000, {oku} in units of 100,000,000.
_BILLIONS_BRIEFLY = say("{number} bn")
_TRILLIONS = say("{number} trillion")
IN_FULL = (_TRILLIONS, _BILLIONS, _MILLIONS)
_MAX_TIMES = 1000  # beyond, other dangers are larger than those compared
BRIEFLY = (_TRILLIONS, _BILLIONS_BRIEFLY, _MILLIONS_BRIEFLY)


def two_digits(value: float, names: Sequence[str] = IN_FULL) -> str:
    """Return a whole number by its first two digits: “3,500”, “12 million”."""
    rounded = float(f"{value:.2g}")
    for size, name in zip((1e12, 1e9, 1e6), names, strict=True):
        if rounded >= size:
            shown = {"number": size, "man": 1e4, "oku": 1e8}
            return tr(name, **{key: number(rounded / unit, ",.10g") for key, unit in shown.items()})
    return number(rounded, ",.0f")


def times_words(factor: float) -> str:
    """Return a ratio of two chances: “2.4”, “630”, “over 1,000”."""
    if factor > _MAX_TIMES:
        return tr("over {times:,}", times=_MAX_TIMES)
    return two_digits(factor) if factor >= 10 else number(factor, ".2g")
