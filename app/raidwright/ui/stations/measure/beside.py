"""References beside a measured figure: the prediction, and one disk alone."""

from __future__ import annotations

from typing import NamedTuple

from raidwright.runs.predicted import predicted, predicted_alone
from raidwright.runs.run import BegunRun
from raidwright.text import measurements as words
from raidwright.text.catalogue import tr
from raidwright.text.shootout import times


class Expected(NamedTuple):
    """The prediction, its 90% range, and one disk alone, in MB/s; None if unknown."""

    mb_s: float
    low_mb_s: float
    high_mb_s: float
    alone_mb_s: float | None


def expected_of(run: BegunRun) -> Expected | None:
    """Return the references of a run; None if there is no prediction."""
    said, alone = predicted(run), predicted_alone(run)
    return Expected(said.mb_s, said.low_mb_s, said.high_mb_s, alone.mb_s if alone else None) if said else None


def in_words(expected: Expected, mb_s: float | None) -> str:
    """Return “Predicted 812 (700 to 860) MB/s, one disk 210: this is 3.8×”; ``mb_s`` is the measured mean."""
    band = tr(
        "Predicted {mb_s} ({low} to {high}) MB/s",
        mb_s=words.figure(expected.mb_s),
        low=words.figure(expected.low_mb_s),
        high=words.figure(expected.high_mb_s),
    )
    if expected.alone_mb_s is None:
        return band
    disk = words.figure(expected.alone_mb_s)
    if not mb_s:
        return tr("{band}, one disk {disk}", band=band, disk=disk)
    return tr("{band}, one disk {disk}: this is {times}", band=band, disk=disk, times=times(mb_s / expected.alone_mb_s))
