"""Large numbers by their first two digits, with the names that a language has for them."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.core.messages import say

from .catalogue import number, tr

# For translators: {man} is the number in units of 10,000, {oku} in units of 100,000,000.
IN_FULL = (say("{number} trillion"), say("{number} billion"), say("{number} million"))
BRIEFLY = (say("{number} trillion"), say("{number} bn"), say("{number} M"))


def two_digits(value: float, names: Sequence[str] = IN_FULL) -> str:
    """Return a whole number by its first two digits: “3,500”, “12 million”."""
    rounded = float(f"{value:.2g}")
    for size, name in zip((1e12, 1e9, 1e6), names, strict=True):
        if rounded >= size:
            shown = {"number": size, "man": 1e4, "oku": 1e8}
            return tr(name, **{key: number(rounded / unit, ",.10g") for key, unit in shown.items()})
    return number(rounded, ",.0f")
