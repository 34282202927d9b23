"""The speed that an array was last measured at, against the prediction for that very workload and state."""

from __future__ import annotations

from typing import Protocol

from raidwright.core.messages import Message
from raidwright.runs.predicted import is_of_measured_disks
from raidwright.runs.run import Run
from raidwright.runs.undisturbed import disturbance
from raidwright.text.catalogue import joined, tr, translated
from raidwright.text.run import measurements as words


class Band(Protocol):
    """A prediction in MB/s, with its 90% range, and the size of an access."""

    @property
    def low_mb_s(self) -> float: ...

    @property
    def high_mb_s(self) -> float: ...

    @property
    def block_bytes(self) -> int: ...


def measured_words(run: Run, band: Band | None) -> str:
    """Return “Measured today 14:20: sequential read, 812 MB/s. As it should be: 700 to 860.”"""
    told = tr(
        "Measured {when}: {workload}, {speed}.",
        when=words.when(run.started),
        workload=" · ".join(filter(None, (words.short(run.workload), words.state(run)))),
        speed=words.speed(run),
    )
    if band is None or not run.result.mb_s:
        return told
    if why := disturbance(run):
        return joined(told, incomparable_words(why))
    return joined(told, _against(run, band))


def _against(run: Run, band: Band) -> str:
    scale = 1e6 / band.block_bytes if words.is_counted(band.block_bytes) else 1.0
    low, high = words.figure(band.low_mb_s * scale), words.figure(band.high_mb_s * scale)
    if run.result.mb_s < band.low_mb_s and run.is_practice:
        return joined(tr("Predicted were {low} to {high}.", low=low, high=high), practice_words())
    if run.result.mb_s < band.low_mb_s and not is_of_measured_disks(run):
        return tr("Typical disks of these kinds would do {low} to {high}.", low=low, high=high)
    if run.result.mb_s < band.low_mb_s:
        return tr("It should be {low} to {high}, so something holds it back.", low=low, high=high)
    if run.result.mb_s > band.high_mb_s:
        return tr("Predicted were {low} to {high}: it is faster.", low=low, high=high)
    return tr("As it should be: {low} to {high}.", low=low, high=high)


def incomparable_words(why: Message) -> str:
    """Return why a figure isn't held against its prediction, and what to do."""
    return tr("Not comparable: {why}. Measure again when that is done.", why=translated(why))


def practice_words() -> str:
    """Return what a practice machine's speed hangs on beside its disks."""
    return tr("A practice machine is slower while this computer has other work.")
