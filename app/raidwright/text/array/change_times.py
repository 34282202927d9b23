"""Times of a change's steps in words; apart from ``changes``, since they bring numpy."""

from __future__ import annotations

from raidwright.analysis.performance.change_time import ChangeTime
from raidwright.text.catalogue import tr
from raidwright.text.plan.loss import duration

_MINUTE = 1 / 60


def brief_time(time: ChangeTime) -> str:
    """Return “2 days”, “a moment”."""
    return tr("a moment") if time.high_hours < _MINUTE else duration(time.likely_hours)


def time_words(time: ChangeTime) -> str:
    """Return “about 2 days (24 hours to 4 days)”."""
    if time.high_hours < _MINUTE:
        return tr("a moment")
    likely, low, high = map(duration, (time.likely_hours, time.low_hours, time.high_hours))
    if low == high:
        return tr("about {likely}, if nothing else goes on", likely=likely)
    return tr("about {likely} ({low} to {high}), if nothing else goes on", likely=likely, low=low, high=high)
