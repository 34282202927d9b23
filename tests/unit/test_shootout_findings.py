"""A shoot-out's findings: figures, multiples of one disk, the leader; as a table, as JSON, as a page."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.advice.matrix import matrix, read_shapes
from raidwright.analysis.comparison.verdict import Verdict
from raidwright.cli.shootout.output import as_json, print_findings
from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.core.model.plan import Baseline, Member
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.workload import Workload
from raidwright.export.html_report import as_html
from raidwright.operations.shootout.contest import contest_of
from raidwright.operations.shootout.predicted import Predicted, of_measured_disk
from raidwright.operations.shootout.results import Figure, Findings
from raidwright.runs.memory_speed import MEMORY_SPEED
from raidwright.runs.run import ArrayState, RunResult
from raidwright.suites import Suite
from raidwright.text.reports.of_shootout import report_of
from raidwright.text.run.shootout import alignment_verdicts, contestant_name, missed_predictions, predicted_ratio

GIB = 2**30
DISKS = tuple(Member(f"wwn-0x{n}", 320 * 10**9, baseline=Baseline(kind="hdd", rpm=7200)) for n in range(1, 4))
CONTEST = contest_of(
    matrix(DISKS, read_shapes("raid0,raid5,raid10:f2")), 4 * GIB, Suite.BUFFERED, tuple(ArrayState)[:2], 60
)
WRITE, READ = Workload.BUFFERED_WRITE, Workload.BUFFERED_READ
HEALTHY, DEGRADED = ArrayState.HEALTHY, ArrayState.DEGRADED


def result(workload: Workload, mb_s: float) -> RunResult:
    return RunResult(workload, 1.0, mb_s, mb_s, 1.0, 2.0, f"fio --name={workload}")


def found(*rows: tuple[int, ArrayState, Workload, float]) -> Findings:
    findings = Findings(CONTEST)
    for place, state, workload, mb_s in rows:
        predicted = Predicted(CONTEST.contestants[place]).of(workload, state)
        findings = findings.with_result(Figure(place, state, workload, (result(workload, mb_s),), predicted))
    return findings


WHOLE = found(
    *((0, HEALTHY, WRITE, 70.0), (0, HEALTHY, READ, 70.0)),
    *((1, HEALTHY, WRITE, 205.0), (1, HEALTHY, READ, 186.0)),
    *((2, HEALTHY, WRITE, 54.0), (2, HEALTHY, READ, 123.0), (2, DEGRADED, WRITE, 50.0), (2, DEGRADED, READ, 122.0)),
    *((3, HEALTHY, WRITE, 97.0), (3, HEALTHY, READ, 162.0), (3, DEGRADED, READ, 51.0)),
)


def test_what_outlives_no_disk_does_not_win() -> None:
    """Though raid0 is the fastest."""
    assert [place for place, _ in WHOLE.board] == [3, 2, 1]
    scores = dict(WHOLE.board)
    assert scores[3] == pytest.approx(((97 / 70) * (162 / 70)) ** 0.5)
    assert scores[1] > scores[3]
    assert found((0, HEALTHY, WRITE, 70.0), (1, HEALTHY, WRITE, 200.0)).winner == 1  # alone


def test_nobody_leads_before_one_disk_and_somebody_else_were_measured() -> None:
    assert Findings(CONTEST).winner is None
    assert found((0, HEALTHY, WRITE, 70.0)).winner is None
    assert found((2, HEALTHY, WRITE, 70.0)).winner is None


@given(st.lists(st.floats(1, 1e5), min_size=1, max_size=10))
def test_repeats_are_one_figure_with_a_spread(rates: list[float]) -> None:
    findings = Findings(CONTEST)
    for rate in rates:
        remark = say("the slice is small")
        findings = findings.with_result(Figure(1, HEALTHY, READ, (result(READ, rate),), None, (remark,)))
    [figure] = findings.figures
    assert figure.mb_s == pytest.approx(sum(rates) / len(rates))
    assert figure.spread == pytest.approx((max(rates) - min(rates)) / figure.mb_s)
    assert len(figure.remarks) == 1


def test_predictions_are_for_the_slice_and_the_state() -> None:
    far = Predicted(CONTEST.contestants[3])
    whole, degraded = (far.of(READ, state) for state in (HEALTHY, DEGRADED))
    assert whole
    assert degraded
    assert degraded.mb_s < 0.6 * whole.mb_s  # half of the data has its other copy further in
    assert Predicted(CONTEST.contestants[1]).of(READ, DEGRADED) is None
    near, over_all = Predicted(CONTEST.contestants[0]), DISKS[0].size_bytes / (4 * GIB)
    small = near.of(Workload.RANDOM_READ_4K, HEALTHY)
    assert over_all > 10
    assert small
    assert small.iops > 100  # over the whole disk it would be some 75: seeks within the slice are short


def test_the_tables_and_the_json_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings(WHOLE, 4 * GIB)
    said = capsys.readouterr().out
    for words in (
        "one disk alone",
        "RAID 0 · 3 disks · 512 KiB",
        "RAID 10, far · 3 disks",
        "123  1.76×",
        "162  2.31×",
        "With a disk lost",
    ):
        assert words in said
    assert "The fastest that survives a lost disk: RAID 10, far · 3 disks · 512 KiB, 1.79× on average." in said
    told = json.loads(json.dumps(as_json(WHOLE, 4 * GIB)))
    assert told["winner"] == 3
    far = told["contestants"][3]
    assert far["plan"]["layout"] == "f2"
    assert far["plan"]["component_size_kib"] is None  # of whole disks
    [figure] = [one for one in far["figures"] if (one["state"], one["workload"]) == ("healthy", "buffered_read")]
    assert (figure["mb_s"], figure["times_one_disk"], figure["runs_mb_s"]) == (
        162.0,
        pytest.approx(162 / 70, 1e-3),
        [162.0],
    )
    assert figure["predicted"]["low_mb_s"] < figure["predicted"]["mb_s"] < figure["predicted"]["high_mb_s"]


def test_the_page_needs_nothing_else_and_escapes_what_it_says() -> None:
    page = as_html(report_of(WHOLE, 4 * GIB))
    body = page[page.index("<body>") : page.index("</body>") + len("</body>")]
    tree = ElementTree.fromstring(body)  # noqa: S314 -- our own
    assert len(list(tree.iter("svg"))) == 4
    assert len(list(tree.iter("rect"))) == 4 * 2 + 3  # as far as it was measured
    assert "src=" not in page
    assert "http" not in page
    assert "<script" not in page


FILES = contest_of(
    matrix(DISKS, read_shapes("raid5,raid1")), 4 * GIB, Suite.FILESYSTEM, (ArrayState.HEALTHY,), 240, repeats=2
)


def files(*rates: tuple[int, FileAct, float]) -> Findings:
    findings = Findings(FILES)
    for place, act, rate in rates:
        one = RunResult(act, 1.0, 0.0 if act.counts_files else rate, rate)
        findings = findings.with_result(Figure(place, HEALTHY, act, (one,)))
    return findings


def test_file_systems_take_part_on_each_array_aligned_and_not() -> None:
    names = [contestant_name(one) for one in FILES.contestants]
    assert names == [
        *("one disk alone · ext4, not aligned", "one disk alone · XFS, not aligned"),
        *("RAID 5 · 3 disks · 512 KiB · ext4, not aligned", "RAID 5 · 3 disks · 512 KiB · ext4, aligned"),
        *("RAID 5 · 3 disks · 512 KiB · XFS, not aligned", "RAID 5 · 3 disks · 512 KiB · XFS, aligned"),
        *(
            "RAID 1, 3 copies · 3 disks · ext4, not aligned",
            "RAID 1, 3 copies · 3 disks · XFS, not aligned",
        ),  # which has no stripe to align to
    ]
    assert [FILES.alone_with(one) for one in FILES.contestants] == [0, 1, 0, 0, 1, 1, 0, 1]
    order = [(one.repeat, one.workload) for one in FILES.measurements(FILES.contestants[2])]
    assert order == [(repeat, act) for repeat in range(2) for act in FileAct]  # a round is one file system's
    with pytest.raises(InputError, match="2 GiB"):
        contest_of(matrix(DISKS, read_shapes("raid5")), GIB, Suite.FILESYSTEM, (ArrayState.HEALTHY,), 240)


def test_alignment_is_judged_against_the_same_without_and_one_disk_with_the_same_file_system() -> None:
    plain, aligned = (4, FileAct.WRITE), (5, FileAct.WRITE)
    found = files(
        *((0, FileAct.WRITE, 10.0), (1, FileAct.WRITE, 20.0), (*plain, 50.0), (*plain, 50.5), (*aligned, 99.0)),
        *((*aligned, 100.0), (4, FileAct.STAT, 9.0), (5, FileAct.STAT, 9.0)),
    )
    write, stat = found.aligned_against_not
    assert (write[0], write[1], write[2].verdict) == (5, FileAct.WRITE, Verdict.FASTER)
    assert stat[1] is FileAct.STAT
    figure = found.of(5, HEALTHY, FileAct.WRITE)
    assert figure is not None
    assert found.times_alone(figure) == pytest.approx(99.5 / 20)
    counted = found.of(5, HEALTHY, FileAct.STAT)
    assert counted is not None
    assert (counted.rates, counted.spread) == ((9.0,), 0.0)
    said = list(alignment_verdicts(found))
    assert said[0].startswith("RAID 5 · 3 disks · 512 KiB · XFS, aligned, file write, against not aligned: ")
    assert json.dumps(as_json(found, 4 * GIB))
    assert said[0] in as_html(report_of(found, 4 * GIB))


def test_a_figure_outside_its_prediction_is_named_but_not_at_memory_speed() -> None:
    slow = found((1, HEALTHY, WRITE, 1.0))
    [said] = missed_predictions(slow)
    assert "1.00 MB/s where " in said
    [figure] = slow.figures
    assert not list(missed_predictions(replace(slow, figures=(replace(figure, remarks=(MEMORY_SPEED,)),))))
    assert figure.predicted is not None
    assert not list(missed_predictions(found((1, HEALTHY, WRITE, figure.predicted.mb_s))))


def test_predictions_are_of_the_disk_that_was_just_measured() -> None:
    """Of disks whose kind alone was known, one is measured first: 69 MB/s where 155 is typical."""
    alone = Predicted(CONTEST.contestants[0]).of(Workload.SEQUENTIAL_READ, ArrayState.HEALTHY)
    said = Predicted(CONTEST.contestants[1]).of(Workload.SEQUENTIAL_READ, ArrayState.HEALTHY)
    assert alone is not None
    assert said is not None
    anchored = of_measured_disk(said, alone.mb_s * 0.45, alone)
    assert anchored is not None
    assert anchored.mb_s == pytest.approx(said.mb_s * 0.45)
    assert anchored.high_mb_s / anchored.low_mb_s == pytest.approx(said.high_mb_s / said.low_mb_s)
    assert "measured here" in anchored.assumes[-1]
    alone_figure = Figure(0, HEALTHY, READ, (result(READ, alone.mb_s * 0.45),), alone)
    figure = Figure(1, HEALTHY, READ, (result(READ, 1.0),), anchored)
    told = Findings(CONTEST, (alone_figure, figure))
    assert predicted_ratio(figure, told) == pytest.approx(said.mb_s / alone.mb_s)  # of the same disk on both sides
    assert predicted_ratio(replace(figure, predicted=said), told) == pytest.approx(said.mb_s / alone.mb_s)
    assert of_measured_disk(said, 0.0, alone) is said
    assert of_measured_disk(said, 69.0, None) is said
    assert CONTEST.contestants[0].is_alone
