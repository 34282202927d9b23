"""References beside a measured figure: the prediction, and one disk alone."""

from __future__ import annotations

from typing import NamedTuple

from raidwright.runs.memory_speed import is_at_memory_speed
from raidwright.runs.predicted import is_of_measured_disks, predicted, predicted_alone
from raidwright.runs.run import BegunRun, Run
from raidwright.runs.undisturbed import disturbance
from raidwright.text.array.measured_speed import incomparable_words, practice_words
from raidwright.text.catalogue import joined, tr
from raidwright.text.run import measurements as words
from raidwright.text.run.shootout import times


class Expected(NamedTuple):
    """The prediction, its 90% range, and one disk alone, in MB/s; None if unknown.

    ``block_bytes`` is the size of one access: small ones are counted, in IOPS.
    """

    mb_s: float
    low_mb_s: float
    high_mb_s: float
    alone_mb_s: float | None
    block_bytes: int = 2**20


def expected_of(run: BegunRun) -> Expected | None:
    """Return the references of a run; None if there is no prediction, or the speed is the memory's."""
    if is_at_memory_speed(run):
        return None
    said, alone = predicted(run), predicted_alone(run)
    if said is None:
        return None
    return Expected(said.mb_s, said.low_mb_s, said.high_mb_s, alone.mb_s if alone else None, said.block_bytes)


def in_words(expected: Expected, mb_s: float | None) -> str:
    """Return “Predicted 812 (700 to 860) MB/s, one disk 210: this is 3.8×”; ``mb_s`` is the measured mean.

    Small accesses are counted: “Predicted 530 (380 to 730) IOPS”.
    """
    is_counted = words.is_counted(expected.block_bytes)
    scale = 1e6 / expected.block_bytes if is_counted else 1.0
    told = (expected.mb_s, expected.low_mb_s, expected.high_mb_s)
    likely, low, high = (words.figure(value * scale) for value in told)
    if is_counted:
        band = tr("Predicted {iops} ({low} to {high}) IOPS", iops=likely, low=low, high=high)
    else:
        band = tr("Predicted {mb_s} ({low} to {high}) MB/s", mb_s=likely, low=low, high=high)
    if expected.alone_mb_s is None:
        return band
    disk = words.figure(expected.alone_mb_s * scale)
    if not mb_s:
        return tr("{band}, one disk {disk}", band=band, disk=disk)
    return tr("{band}, one disk {disk}: this is {times}", band=band, disk=disk, times=times(mb_s / expected.alone_mb_s))


def verdict(expected: Expected, run: Run, *, is_explained: bool) -> str:
    """Return whether the measured mean is as it should be; ``is_explained``: remarks say what slowed it down.

    There is none while md worked on the array, and a practice machine isn't to blame for this computer's other work.
    """
    mb_s = run.result.mb_s
    if why := disturbance(run):
        return incomparable_words(why)
    if mb_s > expected.high_mb_s:
        return tr("It is faster than predicted.")
    if mb_s >= expected.low_mb_s:
        return tr("It is as fast as it should be.")
    return _slower(run, is_explained=is_explained)


def _slower(run: Run, *, is_explained: bool) -> str:
    if run.is_practice:
        return joined(tr("It is slower than predicted."), practice_words())
    if is_explained:
        return tr("It is slower than it should be.")
    if not is_of_measured_disks(run):
        return tr(
            "It is slower than predicted for typical disks of these kinds. “Measure how fast they are” at Disks tells "
            "whether these are slower, or one of them is."
        )
    return tr(
        "It is slower than it should be. “Measure how fast they are” at Disks finds a slow disk; whatever else uses "
        "the disks slows it down, too."
    )
