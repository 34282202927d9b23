"""Published questions as shoot-outs, shapes with layouts and numbers of disks, and two layouts side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.analysis.advice.matrix import LAYOUTS, Shape, matrix, possible, read_shapes
from raidwright.cli.shootout.output import print_findings
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Baseline, Member
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.filesystem import MEASURED_KINDS, FileSystemKind, alignment_argv
from raidwright.core.system.own_workload import workload_named
from raidwright.export.html_report import as_html
from raidwright.operations.shootout.contest import Others, contest_of
from raidwright.operations.shootout.studies import STUDIES, Study
from raidwright.runs.run import ArrayState
from raidwright.suites import Suite
from raidwright.text.plan.names import long_name
from raidwright.text.reports.of_shootout import report_of
from raidwright.text.run.measurements import short, workload
from raidwright.text.run.shootout import contestant_name
from raidwright.text.studies import study_hint, study_name
from raidwright.text.turned import turned
from raidwright.ui.stations.prove.chart_rows import view_of

from tests.kit import sample_shootout

GIB = 2**30
DISKS = tuple(Member(f"wwn-0x{n}", 320 * 10**9, baseline=Baseline(kind="hdd", rpm=7200)) for n in range(1, 7))


def names(levels: str, count: int) -> list[str]:
    return [
        f"{long_name(plan.top)} ×{sum(1 for _ in plan.disks())}" for plan in matrix(DISKS[:count], read_shapes(levels))
    ]


def test_every_layout_of_a_level_is_one_word() -> None:
    assert [one.layout for one in read_shapes("raid5:all")] == list(LAYOUTS[Level.RAID5])
    assert names("raid10:all", 2) == ["RAID 10, near ×2", "RAID 10, offset ×2", "RAID 10, far ×2"]  # no third copy
    assert len(names("raid10:all", 3)) == 6
    assert read_shapes("raid0:all") == (Shape(Level.RAID0, if_possible=True),)


def test_a_shape_may_have_its_own_number_of_disks() -> None:
    assert names("raid5@3,raid10:n2@4", 4) == ["RAID 5 ×3", "RAID 10, near ×4"]
    with pytest.raises(InputError, match="no array of 5"):
        matrix(DISKS[:4], read_shapes("raid5@5"))
    with pytest.raises(InputError, match="after its @"):
        read_shapes("raid5@x")


def test_raid0_over_arrays_is_a_shape_where_the_disks_divide() -> None:
    assert names("raid1+0", 4) == ["RAID 1+0, 2 × 2 disks ×4"]
    assert names("raid50", 6) == ["RAID 50, 2 × 3 disks ×6"]
    for levels, count in (("raid1+0", 3), ("raid50", 5), ("raid60", 6), ("raid1+0", 2)):
        with pytest.raises(PlanRefused):
            matrix(DISKS[:count], read_shapes(levels))
        assert not possible(DISKS[:count], read_shapes(levels), (None,), (count,))


@pytest.mark.parametrize("study", list(Study))
def test_each_study_is_a_contest_with_a_name(study: Study) -> None:
    question = STUDIES[study]
    plans = question.plans(DISKS)
    others = Others(DISKS[:2] if question.cross_paired else (), kinds=question.kinds)
    contest = contest_of(plans, 4 * GIB, question.suite, question.states, 24 * 60, 1, others)
    assert len(contest.contestants) > len(plans)
    assert study_name(study)
    assert study_hint(study)
    with pytest.raises(InputError, match="empty disks"):
        question.plans(DISKS[: question.min_disks - 1])


def test_the_author_of_2007_had_eight_arrays_of_three_disks() -> None:
    plans = STUDIES[Study.LAYOUTS].plans(DISKS[:3])
    assert [(str(plan.array.level), plan.array.layout) for plan in plans] == [
        *(("raid5", one) for one in LAYOUTS[Level.RAID5]),
        *(("raid10", "n2"), ("raid10", "o2"), ("raid10", "f2"), ("raid0", None)),
    ]
    assert {plan.array.chunk_kib for plan in plans} == {256}


def test_the_pair_of_2011_has_three_disks_and_four() -> None:
    assert [len(plan.array.members) for plan in STUDIES[Study.NEAR_OR_PARITY].plans(DISKS)] == [3, 4]


def test_64_kib_at_random_have_names_and_are_the_helpers() -> None:
    own = [str(one) for one in Suite.LAYOUTS.workloads[2:]]
    assert own == ["own_randwrite_64k_q1", "own_randread_64k_q1"]
    assert [workload(one) for one in own] == ["Random write, 64 KiB", "Random read, 64 KiB"]
    assert short(own[1]) == "random read 64 KiB"
    assert all(workload_named(one).pattern.block_kib == 64 for one in own)


def test_two_layouts_are_side_by_side_with_the_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    plans = STUDIES[Study.NEAR_OR_PARITY].plans(DISKS)
    found = sample_shootout.over_members(contest_of(plans, GIB, Suite.CLASSIC, (ArrayState.HEALTHY,), 60, 1))
    table = turned(found)
    assert table is not None
    assert (table.first, table.second) == ("RAID 5 · 3 disks · 256 KiB", "RAID 10, near · 4 disks · 256 KiB")
    assert [row.name for row in table.rows][:2] == [
        "sequential write, MB/s",
        "sequential read, MB/s",
    ]
    assert [row.ratio for row in table.rows] == ["200%"] * 8
    print_findings(found, GIB)
    assert "Second in % of the first" in capsys.readouterr().out
    assert "<td>200%</td>" in as_html(report_of(found, GIB))
    more = contest_of(matrix(DISKS[:4], read_shapes("raid0,raid5,raid6")), GIB, Suite.QUICK, (ArrayState.HEALTHY,), 60)
    assert turned(sample_shootout.found(more)) is None


def test_the_report_has_degraded_beside_healthy_and_two_tables() -> None:
    question = STUDIES[Study.LAYOUTS]
    contest = contest_of(question.plans(DISKS[:3]), GIB, question.suite, question.states, 60, 1)
    page = as_html(report_of(sample_shootout.found(contest), GIB))
    assert page.index("<h2>MB/s</h2>") < page.index("<h2>In multiples of one disk</h2>")
    head = page[page.index("<thead>") : page.index("</thead>")]
    for words in ("writing files", "random read 64 KiB", "reading files, with a disk lost"):
        assert f"<th>{words}</th>" in head


def test_a_controllers_volume_is_beside_md_and_never_wins() -> None:
    card = Member("wwn-0xcard", 2 * 10**12, model="PERC H740P")
    plans = matrix(DISKS[:4], read_shapes("raid5,raid10:n2"))
    states = (ArrayState.HEALTHY, ArrayState.DEGRADED)
    contest = contest_of(plans, GIB, Suite.BUFFERED, states, 60, 1, Others(volumes=(card,)))
    volume = contest.contestants[-1]
    assert contestant_name(volume) == "PERC H740P, as it is"
    assert (volume.is_alone, volume.is_layout, volume.survives_a_loss) == (False, False, False)
    assert {one.state for one in contest.measurements(volume)} == {ArrayState.HEALTHY}
    found = sample_shootout.found(contest)
    assert found.is_decided
    assert len(contest.contestants) - 1 not in dict(found.board)
    assert all(one.predicted is None for one in found.figures if one.contestant == len(contest.contestants) - 1)
    assert "PERC H740P, as it is" in as_html(report_of(found, GIB))
    view = view_of(found, "buffered_read", is_decided=True)
    assert view.groups[-1].name == "PERC H740P, as it is"
    assert not view.groups[-1].lost_in
    pair = contest_of(plans[:1], GIB, Suite.BUFFERED, states, 60, 1, Others(volumes=(card,)))
    table = turned(sample_shootout.found(pair))
    assert table is not None
    assert table.second == "PERC H740P, as it is"


def test_files_cost_what_they_take_and_not_what_a_measurement_does() -> None:
    """Of a round of six acts, 4,000 files take as long on a short measurement as on a long one."""
    plans = matrix(DISKS[:3], read_shapes("raid5"))
    contest = contest_of(plans, 4 * GIB, Suite.FILESYSTEM, (ArrayState.HEALTHY,), 24 * 60, 1)
    short, long = (replace(contest, seconds=seconds) for seconds in (2, 60))
    costs = [
        {one.workload: timed.measuring_s(one) for one in timed.measurements(timed.contestants[0])}
        for timed in (short, long)
    ]
    assert [cost[FileAct.DELETE] for cost in costs] == [costs[0][FileAct.DELETE]] * 2
    assert costs[1][FileAct.REWRITE] > costs[1][FileAct.WRITE] > 60


def test_btrfs_takes_part_where_it_is_wanted_without_alignment() -> None:
    plans = matrix(DISKS[:3], read_shapes("raid5"))
    contest = contest_of(
        plans, 4 * GIB, Suite.FILESYSTEM, (ArrayState.HEALTHY,), 24 * 60, 1, Others(kinds=MEASURED_KINDS)
    )
    names = [contestant_name(one) for one in contest.contestants]
    assert names[:3] == [f"one disk alone · {one}" for one in ("ext4, not aligned", "XFS, not aligned", "btrfs")]
    assert names[-1] == "RAID 5 · 3 disks · 512 KiB · btrfs"
    assert alignment_argv(FileSystemKind.BTRFS, "/dev/md0") == ()
