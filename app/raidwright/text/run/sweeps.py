"""Sweeps in words, for the window and the command line: the settings, and a sweep's result."""

from __future__ import annotations

from raidwright.core.messages import say
from raidwright.operations.sweep import Swept
from raidwright.text.catalogue import joined, tr, translated

from .comparisons import verdict
from .shootout import times

SETTINGS = {
    "read_ahead_kib": say("Read-ahead of the array, KiB"),
    "member_read_ahead_kib": say("Read-ahead of its disks, KiB"),
    "stripe_cache_size": say("Stripe cache, pages a disk"),
    "group_thread_cnt": say("Threads for parity"),
    "scheduler": say("I/O scheduler of its disks"),
}
OF_PARITY = frozenset({"stripe_cache_size", "group_thread_cnt"})  # arrays of other levels don't have them


def setting_words(setting: str) -> str:
    """Return the setting's name for people."""
    return translated(SETTINGS[setting])


def swept_words(swept: Swept) -> str:
    """Return the fastest value, how sure that is, and which value the array has now."""
    best, against = swept.best.value, swept.against_before
    if against is None:
        said = tr("Nothing was faster on average than {value}, as it was before.", value=best)
    else:
        said = tr("The fastest on average: {value}. Against {before} before: {verdict}.", value=best,
                  before=swept.before, verdict=verdict(against))  # fmt: skip
    if swept.times_alone is not None:
        said = joined(said, tr("That is {times} one disk alone.", times=times(swept.times_alone)))
    if swept.kept is None:
        return tr("{said} It is set back to {before}.", said=said, before=swept.before)
    return tr("{said} Kept for each boot: {kept}.", said=said, kept=swept.kept)


def standing_words(value: object, seconds_left: float | None) -> str:
    """Return the progress of a series: “Measuring at 512, about 4 min left”."""
    if seconds_left is None:
        return tr("Measuring at {value}", value=value)
    return tr("Measuring at {value}, about {minutes:.0f} min left", value=value, minutes=max(1.0, seconds_left / 60))
