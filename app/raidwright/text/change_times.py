"""Times of a change's steps in words; apart from ``changes``, since they bring numpy."""

from __future__ import annotations

from raidwright.analysis.performance.change_time import ChangeTime

from .catalogue import tr
from .loss import duration


def brief_time(time: ChangeTime) -> str:
    """Return “2 days”, “a moment”."""
    return tr("a moment") if time.high_hours < 1 / 60 else duration(time.likely_hours)


def time_words(time: ChangeTime) -> str:
    """Return “about 2 days (24 hours to 4 days)”."""
    if time.high_hours < 1 / 60:
        return tr("a moment")
    return tr(
        "about {likely} ({low} to {high}), if nothing else goes on",
        likely=duration(time.likely_hours),
        low=duration(time.low_hours),
        high=duration(time.high_hours),
    )
