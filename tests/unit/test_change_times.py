"""Times of a change in words."""

from __future__ import annotations

import pytest
from raidwright.analysis.performance.change_time import ChangeTime
from raidwright.core.messages import say
from raidwright.text.array.change_times import brief_time, time_words


@pytest.mark.parametrize(
    ("hours", "words", "brief"),
    [
        ((0.001, 0.002, 0.01), "a moment", "a moment"),
        ((0.02, 0.05, 0.1), "about 3 minutes (1 minute to 6 minutes), if nothing else goes on", "3 minutes"),
        ((0.3, 0.3, 0.3), "about 18 minutes, if nothing else goes on", "18 minutes"),
        ((0.9, 1.2, 3.0), "about 1 hour (54 minutes to 3 hours), if nothing else goes on", "1 hour"),
    ],
)
def test_minutes_are_given_below_an_hour(hours: tuple[float, float, float], words: str, brief: str) -> None:
    low, likely, high = hours
    time = ChangeTime(low, likely, high, say("the disks"))
    assert (time_words(time), brief_time(time)) == (words, brief)
