"""A long curve keeps its shape with few points."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.ui.stations.measure.thinned import MAX_POINTS, Thinned

HOUR = 8 * 3600  # samples, at fio's rate


@given(st.lists(st.floats(0, 1e4), max_size=MAX_POINTS - 1))
def test_while_there_is_room_each_stands_for_itself(values: list[float]) -> None:
    curve = Thinned()
    for place, value in enumerate(values):
        curve.add(place, value)
    assert curve.ys == values


@given(st.integers(1, 5 * MAX_POINTS))
def test_it_is_never_longer_and_begins_and_ends_where_it_does(count: int) -> None:
    curve = Thinned()
    for place in range(count):
        curve.add(place, place)
        assert len(curve.xs) <= MAX_POINTS
    assert curve.xs == sorted(curve.xs)
    each = 2 * count / MAX_POINTS
    assert curve.xs[0] <= each
    assert curve.xs[-1] >= count - 1 - each


def test_an_hour_keeps_its_mean() -> None:
    curve, values = Thinned(), [700 + 100 * (place // 5000 % 2) for place in range(HOUR)]
    for place, value in enumerate(values):
        curve.add(place / 8, value)
    assert MAX_POINTS / 3 < len(curve.ys) < MAX_POINTS
    assert fmean(curve.ys) == pytest.approx(fmean(values), rel=0.01)
    assert (min(curve.ys), max(curve.ys)) == (700, 800)
