"""The failures that a degraded array survives now: compared with every set of failures."""

from __future__ import annotations

from itertools import combinations

import pytest
from raidwright.analysis.margin import margin_of
from raidwright.core.md.array_survival import array_survives
from raidwright.core.md.layouts import Level, layout_name, layout_number
from raidwright.core.model.plan import MdArray, Plan

SHAPES = [
    *[("raid0", "", 2), ("raid1", "", 3), ("raid5", "left-symmetric", 4), ("raid6", "", 5), ("linear", "", 2)],
    *[("raid10", "n2", 4), ("raid10", "f2", 5), ("raid10", "o2", 4), ("raid10", "n3", 5)],
]


@pytest.mark.parametrize(("level", "layout", "slots"), SHAPES)
def test_it_is_what_every_set_of_failures_says(level: str, layout: str, slots: int) -> None:
    plan = Plan(MdArray(Level(level), (None,) * slots, layout=layout or None))
    for count in range(slots):
        for gone in combinations(range(slots), count):
            working = set(range(slots)) - set(gone)
            margin = margin_of(level, layout, slots, working)
            assert margin is not None
            assert (margin.more < 0) == (not array_survives(plan.array, gone))
            needed = {slot for slot in working if not array_survives(plan.array, {*gone, slot})}
            assert (set(margin.needed), set(margin.spared)) == (needed, working - needed)
            if margin.more >= 0:
                sizes = range(len(working) + 1)
                all_survive = [
                    all(array_survives(plan.array, {*gone, *more}) for more in combinations(working, size))
                    for size in sizes
                ]
                assert margin.more == all_survive.index(False) - 1


@pytest.mark.parametrize(("level", "layout", "slots"), [("raid10", "", 4), ("multipath", "", 2), ("raid1", "", 0)])
def test_what_nobody_can_tell_is_not_told(level: str, layout: str, slots: int) -> None:
    assert margin_of(level, layout, slots, set(range(slots))) is None


@pytest.mark.parametrize(
    ("level", "layout"),
    [
        *[("raid5", "left-symmetric"), ("raid6", "ddf-N-continue"), ("raid0", "alternate")],
        *[("raid10", "f2"), ("raid10", "n2f2"), ("raid10", "o3")],
    ],
)
def test_a_layouts_number_and_name_are_inverse(level: str, layout: str) -> None:
    assert layout_name(level, layout_number(Level(level), layout)) == layout


def test_a_number_that_is_not_known_has_no_name() -> None:
    assert layout_name("raid5", 77) == layout_name("raid1", 0) == layout_name("multipath", 3) == ""
