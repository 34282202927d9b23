"""What stands beside a figure: what was predicted, one disk alone, and what has to be known of how it came about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def remarks(run: BegunRun) -> Iterator[str]:
    """What has to be known where the figure stands."""
    array, around = run.context.get("array"), run.context.get("surroundings")
    before = array.get("sync_action") if isinstance(array, Mapping) else None
    meanwhile = around.get("sync_action") if isinstance(around, Mapping) else None
    doing = next((one for one in (before, meanwhile) if one not in (None, "", "idle")), None)
    if doing is not None:
        yield tr("Meanwhile md was at it ({doing}), too: by itself the array is faster.", doing=str(doing))
    if run.is_practice:
        yield tr("In a practice machine: disks without a kind are as fast as this computer's memory.")
