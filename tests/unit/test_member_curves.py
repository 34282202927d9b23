"""Speed over the number of disks: curves, what they say, the plateau that is shared, another kernel, the drawing."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.advice.matrix import matrix, read_shapes
from raidwright.colours import DARK, LIGHT
from raidwright.core.model.plan import Baseline, Bitmap, Member
from raidwright.core.system.workload import Workload
from raidwright.export.html_report import as_html
from raidwright.operations.shootout.contest import Contest, contest_of
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState
from raidwright.runs.run_sets import run_sets
from raidwright.suites import Suite
from raidwright.text.curves.chart import Line, LineChart, LinePoint, Look
from raidwright.text.curves.drawing import page_style, svg_of_chart
from raidwright.text.curves.geometry import plot_of, round_ticks, spread, text_width
from raidwright.text.curves.member_curves import curves_of, curves_of_runs, has_curves
from raidwright.text.curves.members import Overlay, curve_words, member_chart, member_rows, member_words
from raidwright.text.reports.of_shootout import report_of

from tests.kit import sample_shootout

GIB = 2**30
DISKS = tuple(Member(f"wwn-0x{n}", 73 * 10**9, baseline=Baseline(kind="hdd", rpm=15000)) for n in range(1, 15))
READ = Workload.BUFFERED_READ


def contest(levels: str, *counts: int, states: tuple[ArrayState, ...] = (ArrayState.HEALTHY,)) -> Contest:
    plans = matrix(DISKS, read_shapes(levels), (64,), counts, Bitmap.NONE)
    return contest_of(plans, GIB, Suite.BUFFERED, states, 600, 1)


STUDY = contest("raid0,raid5", 3, 4, 5, 6, 8, 14)
FOUND = sample_shootout.over_members(STUDY)


def test_a_line_is_a_layout_and_one_disk_alone_is_the_ideal() -> None:
    chart = member_chart(FOUND, READ)
    assert [(line.name, len(line.points)) for line in chart.lines] == [("RAID 0", 6), ("RAID 5", 6)]
    assert [words for _, words in chart.ticks] == ["3", "4", "5", "6", "8", "14"]
    assert chart.slope is not None
    assert chart.slope.rate == pytest.approx(70 * 0.97)  # once, the first of the spread
    assert "one disk × n (67.9 MB/s each)" in chart.said_aloud() + chart.slope.words


def test_layouts_of_one_number_of_disks_have_no_curve() -> None:
    assert has_curves(FOUND)
    assert not has_curves(Findings(contest("raid0,raid5,raid10:n2", 4)))


def test_what_several_levels_level_off_at_is_drawn_and_said_once() -> None:
    chart = member_chart(FOUND, READ)
    assert chart.span is not None
    assert [chart.span.low, chart.span.high] == pytest.approx([308, 308], abs=1)
    assert "RAID 0 and RAID 5: no more from 6 on" in [mark.words for mark in chart.marks]
    said = list(member_words(FOUND, READ))
    assert (
        said[0]
        == "RAID 0: no regular gain with the disks (MB/s by disks: 3: 198, 4: 263, 5: 242, 6: 308, 8: 308, 14: 308)."
    )
    assert said[1].startswith(
        "RAID 5: up to 6 disks each more brings 45.0 to 65.9 MB/s; beyond, another brings no more"
    )
    assert said[2].startswith("They level off together, at 308 MB/s")


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (
            {2: 65, 4: 62, 8: 56, 14: 101},
            "no regular gain with the disks (MB/s by disks: 2: 65.0, 4: 62.0, 8: 56.0, 14: 101)",
        ),
        ({2: 100, 4: 180, 8: 300}, "each disk more brings 30.0 to 40.0 MB/s, as far as was measured"),
        ({2: 100, 4: 180, 8: 183, 14: 120}, "no regular gain with the disks"),
        ({2: 100, 4: 180, 8: 183}, "up to 4 disks each more brings 40.0 MB/s; beyond, another brings no more than 5%"),
        ({2: 100, 4: 101, 8: 99}, "from 2 disks on another brings no more than 5%"),
    ],
)
def test_the_sentence_is_true_of_a_curve_with_a_hole_in_it_too(points: dict[int, float], said: str) -> None:
    assert said in curve_words("RAID 5", list(points.items()), "MB/s")


def test_degraded_arrays_are_dashed_lines_of_the_same_colour() -> None:
    both = contest("raid0,raid5", 3, 4, 6, states=(ArrayState.HEALTHY, ArrayState.DEGRADED))
    chart = member_chart(sample_shootout.over_members(both), READ)
    assert [(line.name, line.look) for line in chart.lines] == [
        *(("RAID 0", Look.NOW), ("RAID 5", Look.NOW)),
        ("RAID 5, disk lost", Look.DEGRADED),
    ]
    assert chart.lines[1].colour == chart.lines[2].colour


def test_chunks_and_bitmaps_are_named_where_they_tell_lines_apart() -> None:
    plans = matrix(DISKS, read_shapes("raid5"), (64, 256), (3, 4, 6), Bitmap.NONE)
    found = sample_shootout.over_members(contest_of(plans, GIB, Suite.BUFFERED, (ArrayState.HEALTHY,), 600, 1))
    assert [line.name for line in member_chart(found, READ).lines] == ["RAID 5 · 64 KiB", "RAID 5 · 256 KiB"]


def test_another_kernel_is_laid_over_it_and_compared() -> None:
    runs = sample_shootout.kept_runs(STUDY, "6.1.176", 0.9)
    [before] = run_sets(runs)
    assert (before.kernel, before.has_several_counts) == ("6.1.176", True)
    overlay = Overlay(before)
    chart = member_chart(FOUND, READ, overlay)
    pale = [line for line in chart.lines if line.look is Look.BEFORE]
    assert [line.name for line in pale] == ["RAID 0 · Linux 6.1.176", "RAID 5 · Linux 6.1.176"]
    assert [line.colour for line in pale] == [line.colour for line in chart.lines[:2]]
    said = list(member_words(FOUND, READ, overlay))
    assert said[-1] == "RAID 5 against Linux 6.1.176: 1.08 times as fast, 1.08 in the middle."
    assert len(member_rows(FOUND, READ, overlay)) == 4 * 6
    same = Overlay(run_sets(sample_shootout.kept_runs(STUDY, "6.1.176", 0.98))[0])
    assert list(member_words(FOUND, READ, same))[-1] == "RAID 5: as fast as with Linux 6.1.176, within 5%."


def test_what_is_laid_over_is_named_by_what_differs() -> None:
    [one] = run_sets(sample_shootout.kept_runs(STUDY, "6.1.176", 0.9))
    now = replace(one, id="now")
    assert Overlay(replace(one, kernel="7.2.7"), now).title == "Linux 7.2.7"
    assert Overlay(replace(one, machine="server"), now).title == "server"
    assert Overlay(replace(one, scheduler="none"), now).title == "scheduler none"
    assert Overlay(replace(one, read_ahead_kib="512"), now).title == "read-ahead 512 KiB"
    assert Overlay(one, now).title.startswith("2026-11-20")


def test_stored_runs_give_the_curves_that_were_found() -> None:
    stored = curves_of_runs(sample_shootout.kept_runs(STUDY, "6.1", 0.97), READ)
    for one, other in zip(stored, curves_of(FOUND, READ), strict=True):
        assert dict(one.means) == pytest.approx(dict(other.means))


def test_the_layout_that_md_tells_of_raid0_is_the_plans() -> None:
    """Seen on Linux 7.2 over 6.1: raid0's lines weren't compared."""
    runs = tuple(
        replace(run, context={**run.context, "plan": {**run.context["plan"], "layout": "original"}})
        for run in sample_shootout.kept_runs(contest("raid0", 3, 4), "6.1", 0.5)
        if len(run.context["plan"]["members"]) > 1
    )
    [before] = run_sets(runs)
    [said] = [one for one in member_words(FOUND, READ, Overlay(before)) if "against" in one]
    assert said.startswith("RAID 0 against Linux 6.1: 1.94 times as fast")
    assert member_chart(FOUND, READ, Overlay(before)).lines[-1].name == "RAID 0 · Linux 6.1"


def test_the_table_says_what_each_disk_brought() -> None:
    rows = [(one.count, round(one.rate), one.brings and round(one.brings)) for one in member_rows(FOUND, READ)]
    assert rows[:4] == [(3, 198, None), (4, 263, 66), (5, 242, -21), (6, 308, 66)]


def test_the_report_has_the_chart_and_its_table() -> None:
    page = as_html(report_of(FOUND, GIB))
    body = ElementTree.fromstring(page[page.index("<body>") : page.index("</body>") + len("</body>")])  # noqa: S314
    heads = [one.text for one in body.iter("h2")]
    assert heads[:2] == [
        "Over the number of disks: Writing files, buffered, 1 MiB",
        "Over the number of disks: Reading files, buffered, 1 MiB",
    ]
    assert "http" not in page
    assert page_style() in page


def _chart(values: list[float]) -> LineChart:
    points = tuple(LinePoint(x, y, y * 0.9, y * 1.1) for x, y in enumerate(values))
    names = ("a", "a long name of a layout", "b")
    lines = tuple(Line(name, points, place) for place, name in enumerate(names))
    return LineChart("t <&>", "MB/s", "disks", tuple((float(x), str(x)) for x in range(len(values))), lines)


@given(
    st.lists(st.just(0.0) | st.floats(0.01, 1e6), min_size=1, max_size=14),
    st.integers(320, 1200),
    st.integers(190, 700),
)
def test_all_that_is_drawn_is_within_the_picture(values: list[float], width: int, height: int) -> None:
    chart = _chart(values)
    plot = plot_of(chart, width, height)
    for line in chart.lines:
        for point in line.points:
            assert 0 <= plot.x(point.x) <= width
            assert 0 <= plot.y(point.high) <= plot.y(point.low) <= height
    for scheme in (LIGHT, DARK):
        ElementTree.fromstring(svg_of_chart(chart, width, height, scheme))  # noqa: S314 -- our own


@given(st.floats(1e-3, 1e7))
def test_the_axis_has_a_few_round_numbers(most: float) -> None:
    ticks = round_ticks(most)
    assert ticks[0] == 0
    assert 3 <= len(ticks) <= 7
    assert ticks[-1] <= most * 1.001


@given(st.lists(st.floats(20, 200), max_size=8))
def test_names_do_not_overlap(wanted: list[float]) -> None:
    places = spread(sorted(wanted), 15, 10, 250)
    assert all(after - before >= 15 - 1e-6 for before, after in pairwise(places))
    assert all(10 - 1e-6 <= one <= 250 + 1e-6 for one in places)


def test_a_wide_letter_is_wider() -> None:
    assert text_width("iii") < text_width("aaa") < text_width("字字字")
