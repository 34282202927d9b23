"""What stands beside a figure: what was predicted, one disk alone."""

from __future__ import annotations

from typing import NamedTuple

from raidwright.runs.predicted import predicted, predicted_alone
from raidwright.runs.run import BegunRun
from raidwright.text import measurements as words
from raidwright.text.catalogue import tr
from raidwright.text.shootout import times


class Expected(NamedTuple):
    """In MB/s: what was predicted, the band that holds 90 of 100, and one disk alone; None where there is none such."""

    mb_s: float
    low_mb_s: float
    high_mb_s: float
    alone_mb_s: float | None


def expected_of(run: BegunRun) -> Expected | None:
    """None where nothing can be said beforehand."""
    said, alone = predicted(run), predicted_alone(run)
    return Expected(said.mb_s, said.low_mb_s, said.high_mb_s, alone.mb_s if alone else None) if said else None


def in_words(expected: Expected, mb_s: float | None) -> str:
    """“Predicted 812 (700 to 860) MB/s, one disk 210: this is 3.8×”; ``mb_s`` is what was measured."""
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
