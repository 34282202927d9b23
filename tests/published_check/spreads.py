"""The model's own spread by kind of prediction, fitted to published rows, and held against each source left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import hypot, log

import numpy as np
from raidwright.analysis.performance.constants import NINETY
from raidwright.analysis.performance.own_error import OWN_SPREADS, ErrorKind

from .study import Row

_HELD = 0.9  # share of the rows, each source counting by the root of its rows
_MIN_SOURCES = 2
_MIN_SPREAD = 0.12  # no kind is known better than this: fewer than twenty authors in all


def needed(row: Row) -> float:
    """Return the own spread that a row needs for its band just to hold, beside those of its inputs."""
    whole = abs(log(row.error + 1)) / NINETY
    return float(np.sqrt(max(0.0, whole**2 - row.inputs_spread**2)))


def fitted(rows: Iterable[Row]) -> Mapping[ErrorKind, float]:
    """Return the spread by kind with which bands hold 90 of 100 rows, each source counting by the root of its rows."""
    by_kind: defaultdict[ErrorKind, list[Row]] = defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row)
    known = {kind: _quantile(own) for kind, own in by_kind.items() if len({row.source for row in own}) >= _MIN_SOURCES}
    return {kind: max(_MIN_SPREAD, known.get(kind, max(known.values()))) for kind in ErrorKind}


def _quantile(rows: Sequence[Row]) -> float:
    counts = Counter(row.source for row in rows)
    weights = {source: count**-0.5 for source, count in counts.items()}
    whole, held = sum(weights[row.source] for row in rows), 0.0
    for spread, weight in sorted((needed(row), weights[row.source]) for row in rows):
        held += weight
        if held >= _HELD * whole:
            return spread
    return 0.0


def held_without_own_source(rows: Sequence[Row]) -> dict[Row, bool]:
    """Return whether each row's band would hold with the spreads fitted to all other sources."""
    found = {}
    for source in {row.source for row in rows}:
        spreads = fitted(row for row in rows if row.source != source)
        for row in (row for row in rows if row.source == source):
            found[row] = abs(log(row.error + 1)) <= NINETY * hypot(spreads[row.kind], row.inputs_spread)
    return found


def differing(rows: Sequence[Row]) -> Mapping[ErrorKind, tuple[float, float]]:
    """Return (in the model, fitted) for each kind whose spread in the model isn't the fitted one."""
    return {
        kind: (OWN_SPREADS[kind], spread)
        for kind, spread in fitted(rows).items()
        if abs(OWN_SPREADS[kind] - spread) > 0.006
    }
