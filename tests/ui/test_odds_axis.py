"""The plot of layouts: its axis of odds has ticks, as many as its height has room for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from raidwright.text.plan.loss import odds_tick
from raidwright.ui.station import Station
from raidwright.ui.stations.plan.map import CandidateMap
from raidwright.ui.window import MainWindow

from .places import settle


@pytest.mark.parametrize(("height", "most"), [(140, 4), (400, 14)])
def test_the_axis_of_odds_has_ticks(window: MainWindow, height: int, most: int) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    settle()
    plot = window.findChild(CandidateMap)
    assert plot is not None
    plot.setFixedHeight(height)
    ticks = plot.ticks
    assert 2 <= len(ticks) <= most
    assert min(plot._keeping) <= ticks[0] < ticks[-1] <= max(plot._keeping)
    assert len({second - first for first, second in pairwise(ticks)}) == 1
    heights = [plot._height(tick) for tick in ticks]
    assert heights == sorted(heights, reverse=True)  # safer is higher


def test_a_tick_is_said_as_odds() -> None:
    assert [odds_tick(exponent) for exponent in (2, 4, 6, 9)] == ["1 in 100", "1 in 10,000", "1 in 1 M", "1 in 1 bn"]
