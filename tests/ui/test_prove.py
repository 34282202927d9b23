"""The Prove station: contestants, required permission, progress, and the way to the winner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.analysis.advice.matrix import read_shapes
from raidwright.analysis.likeness import shape
from raidwright.core.errors import JobFailed
from raidwright.core.model.disk import Use, UseKind
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.filesystem import ALIGNED_KINDS, MEASURED_KINDS
from raidwright.machine.values import Snapshot
from raidwright.operations.shootout.contest import Contest
from raidwright.operations.shootout.results import Figure, Findings
from raidwright.operations.shootout.shootout import Shootout, Standing
from raidwright.operations.shootout.studies import Study
from raidwright.runs.run import ArrayState, RunResult
from raidwright.suites import Suite
from raidwright.text.run.shootout import contestant_name
from raidwright.ui.frame.leaving import LeavingWay, at_stake
from raidwright.ui.station import Station
from raidwright.ui.stations.building.page import BuildStation
from raidwright.ui.stations.prove.chart import ShootoutChart
from raidwright.ui.stations.prove.matrix import MatrixDialog
from raidwright.ui.widgets.save_button import SaveButton
from raidwright.ui.widgets.segmented import Segmented
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_shootout

from .fake_session import Asked, FakeSession
from .places import press, settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture
def proving(window: MainWindow) -> MainWindow:
    window.disks.choose_all()
    window.show_station(Station.PROVE)
    return window


def _text(window: MainWindow, name: str) -> str:
    found = window.findChild(QLabel, name)
    assert found is not None
    return found.text() if found.isVisible() else ""


def _button(window: MainWindow, name: str) -> QPushButton:
    found = window.findChild(QPushButton, name)
    assert found is not None
    return found


def _allow(window: MainWindow) -> None:
    box = window.findChild(QCheckBox, "prove-allow")
    assert box is not None
    box.click()


def _begun(window: MainWindow, session: FakeSession) -> tuple[Asked, Contest]:
    _allow(window)
    press(window, "prove-begin")
    asked = session.record.jobs[-1]
    operation = asked.arguments[0]
    assert isinstance(operation, Shootout)
    assert operation.is_practice == session.connection.is_practice
    return asked, operation.contest


def _found(contest: Contest, best: int) -> Findings:
    """Return findings in which ``best`` is three times as fast as one disk, and the others twice."""
    findings = Findings(contest)
    for place, one in enumerate(contest.contestants):
        for workload in contest.suite.workloads:
            for state in (ArrayState.HEALTHY, ArrayState.DEGRADED):
                if state is ArrayState.HEALTHY or one.survives_a_loss:
                    times = 1 if one.is_alone else 3 if place == best else 2
                    result = RunResult(str(workload), 10.0, 100.0 * times, 100.0 * times)
                    findings = findings.with_result(Figure(place, state, workload, (result,)))
    return findings


def test_without_disks_there_is_a_way_to_them(window: MainWindow, qtbot: QtBot) -> None:
    window.show_station(Station.PROVE)
    press(window, "prove-notice-button")
    assert window.findChild(Table, "disks-table") is not None


def test_nothing_begins_before_the_disks_may_be_written_to(proving: MainWindow, session: FakeSession) -> None:
    assert not _button(proving, "prove-begin").isEnabled()
    said = _text(proving, "prove-disks")
    assert all(disk.serial in said for disk in proving.disks.chosen)
    _asked, contest = _begun(proving, session)
    assert contest.contestants[0].is_alone
    assert len(contest.contestants) == 1 + len(proving.stations.prove.model.chosen)
    assert not proving.stations.prove.model.is_allowed  # for this one alone


def test_the_plan_on_the_stage_takes_part_first(proving: MainWindow) -> None:
    own = proving.plan.draft.plan
    assert own is not None
    assert shape(proving.stations.prove.model.offered[0].top) == shape(own.top)


def test_a_click_leaves_one_out(proving: MainWindow) -> None:
    before = proving.stations.prove.model.chosen
    table = proving.findChild(Table, "prove-candidates")
    assert table is not None
    table.row_activated.emit(0)
    assert proving.stations.prove.model.chosen == before - {0}


def test_what_was_chosen_stays_when_the_same_disks_are_looked_at_again(proving: MainWindow) -> None:
    model = proving.stations.prove.model
    for place in (0, 1, 4):
        model.toggle(place)
    chosen = [model.offered[place] for place in sorted(model.chosen)]
    model.offer()
    assert [model.offered[place] for place in sorted(model.chosen)] == chosen


def test_leave_to_write_is_for_the_disks_that_were_named(proving: MainWindow) -> None:
    model = proving.stations.prove.model
    few = next(place for place, plan in enumerate(model.offered) if len(tuple(plan.disks())) == 4)
    for place in model.chosen - {few}:
        model.toggle(place)
    model.offered = tuple(
        plan.on(replace(plan.array, members=plan.array.members[:3], spares=())) if place == few else plan
        for place, plan in enumerate(model.offered)
    )
    _allow(proving)
    assert model.is_allowed
    model.toggle(next(place for place in range(len(model.offered)) if place != few))
    assert not model.is_allowed
    assert not _button(proving, "prove-begin").isEnabled()


def test_a_known_question_is_one_choice(proving: MainWindow, session: FakeSession) -> None:
    model = proving.stations.prove.model
    for study, suite, names in (
        (Study.LAYOUTS, Suite.LAYOUTS, 8),
        (Study.MIRRORS, Suite.BUFFERED, 2),
        (Study.NEAR_OR_PARITY, Suite.CLASSIC, 2),
    ):
        entry = proving.findChild(QAction, f"prove-study-{study}")
        assert entry is not None
        entry.trigger()
        settle()
        assert (model.suite, len(model.chosen)) == (suite, names)
        assert model.contest is not None, model.why_not
        assert model.cross_paired == (study is Study.MIRRORS)
    boxes = {name: proving.findChild(QCheckBox, f"prove-{name}") for name in ("degraded", "cross-paired")}
    assert [box.isChecked() for box in boxes.values() if box is not None] == [False, False]
    asked, contest = _begun(proving, session)
    assert asked.done is not None
    asked.done(_found(contest, 1))
    table = proving.findChild(Table, "prove-turned")
    assert table is not None
    assert table.isVisible()
    cells = table.model()
    assert cells.rowCount() == 8
    assert cells.index(0, 3).data() == "67%"


def test_every_layout_of_a_level_is_pressed_at_once(proving: MainWindow) -> None:
    press(proving, "prove-more")
    press(proving, "matrix-every")
    [dialog] = [one for one in proving.findChildren(MatrixDialog) if one.isVisible()]
    chips = {one.objectName() for one in dialog.findChildren(QPushButton) if one.isChecked()}
    for layout in ("raid5", "raid5-la", "raid5-rs", "raid5-ra", "raid10-n2", "raid10-o3"):
        assert f"matrix-level-{layout}" in chips
    assert "matrix-level-raid6-la" not in chips
    dialog.reject()


def test_cross_paired_mirrors_take_part_and_are_not_built(proving: MainWindow, session: FakeSession) -> None:
    box = proving.findChild(QCheckBox, "prove-cross-paired")
    assert box is not None
    box.click()
    for place in proving.stations.prove.model.chosen:
        proving.stations.prove.model.toggle(place)
    assert {disk.id for disk in proving.stations.prove.model.members} == {disk.id for disk in proving.disks.chosen[:2]}
    asked, contest = _begun(proving, session)
    [crossed] = [one for one in contest.contestants if one.halved]
    assert contestant_name(crossed).startswith("cross-paired mirrors")
    assert asked.done is not None
    asked.done(_found(contest, 1))
    assert proving.stations.prove.model.looked_at == 1
    assert "use RAID 10 with the far layout" in _text(proving, "decision-why-not")
    assert not _button(proving, "prove-build").isEnabled()


def test_too_little_time_is_said_with_what_it_would_take(proving: MainWindow) -> None:
    proving.stations.prove.model.choose_minutes(1)
    assert "grant them, or take fewer candidates" in _text(proving, "prove-why-not")
    assert not _button(proving, "prove-begin").isEnabled()


def test_disks_that_hold_something_are_refused(proving: MainWindow) -> None:
    first, *others = proving.disks.chosen
    held = replace(first, uses=(Use(UseKind.FILESYSTEM, "ext4"),))
    proving.stations.prove.model.take_disks((held, *others))
    assert "Only empty disks are used here" in _text(proving, "prove-why-not")


def test_a_matrix_of_candidates_is_made_by_clicks(proving: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    before = len(proving.stations.prove.model.offered)
    press(proving, "prove-more")
    dialog = proving.findChild(MatrixDialog, "matrix-dialog")
    assert dialog is not None
    make = dialog.findChild(QPushButton, "matrix-make")
    assert make is not None
    assert make.text() == "Add 2 candidates"  # raid5 and raid10 f2, of 512 KiB, on all four
    press(proving, "matrix-chunk-64")
    press(proving, "matrix-level-raid6")
    press(proving, "matrix-members-3")
    assert make.text() == "Add 10 candidates"  # mdadm refuses raid6 of three
    press(proving, "matrix-chunk-64")
    press(proving, "matrix-chunk-512")
    press(proving, "matrix-level-raid10-f2")
    press(proving, "matrix-level-raid6")
    press(proving, "matrix-level-raid5")
    assert not make.isEnabled()
    press(proving, "matrix-level-raid5")
    press(proving, "matrix-chunk-64")
    press(proving, "matrix-make")
    model = proving.stations.prove.model
    assert [(len(plan.array.members), plan.array.chunk_kib) for plan in model.made] == [(3, 64), (4, 64)]
    assert len(model.offered) == before + 2
    assert {before, before + 1} <= model.chosen
    table = proving.findChild(Table, "prove-candidates")
    assert table is not None
    assert table.model().index(before, 1).data() == "RAID 5 · 3 disks · 64 KiB"
    model.toggle(before)
    model.offer()  # the same disks, examined again
    assert before not in model.chosen
    assert before + 1 in model.chosen
    model.choose_minutes(120)
    _asked, contest = _begun(proving, session)
    assert model.made[1] in [one.wanted for one in contest.contestants]
    assert model.made[0] not in [one.wanted for one in contest.contestants]


def test_what_is_made_of_disks_goes_with_them(proving: MainWindow) -> None:
    model = proving.stations.prove.model
    model.make(model.matrix(read_shapes("raid5"), (64,), (4,)))
    assert not model.matrix(read_shapes("raid5"), (64,), (4,))  # it is there
    model.take_disks(model.disks[:3])
    model.offer()
    assert model.made == ()


def test_files_are_measured_on_enough_of_each_disk(proving: MainWindow, session: FakeSession) -> None:
    press(proving, "prove-suite-more-filesystem")
    assert proving.stations.prove.model.suite is Suite.FILESYSTEM
    proving.stations.prove.model.choose_minutes(600)
    assert _text(proving, "prove-why-not") == ""
    asked, contest = _begun(proving, session)
    assert {one.setup.kind for one in contest.contestants if one.setup} == set(ALIGNED_KINDS)
    assert asked.done is not None
    asked.done(_found(contest, len(contest.contestants) - 1))
    assert "against not aligned: " in _text(proving, "prove-remarks")
    press(proving, "prove-build")
    assert proving.stations.prove.model.plan_of(len(contest.contestants) - 1) == contest.contestants[-1].wanted


def test_btrfs_and_a_volume_take_part_by_a_click(proving: MainWindow, session: FakeSession) -> None:
    box, beside = proving.findChild(QCheckBox, "prove-btrfs"), proving.findChild(QComboBox, "prove-beside")
    assert box is not None
    assert not box.isVisible()
    press(proving, "prove-suite-more-filesystem")
    assert box.isVisible()
    assert beside is not None
    box.click()
    proving.stations.prove.model.choose_minutes(600)
    card = replace(sample.disk(9), model="PERC H740P")
    session.show(replace(session.snapshot, disks=(*session.snapshot.disks, card)))
    proving.stations.prove.model.offer()
    place = beside.findData(card.id)
    beside.setCurrentIndex(place)
    beside.activated.emit(place)
    assert card.id in {disk.id for disk in proving.stations.prove.model.members}
    _asked, contest = _begun(proving, session)
    assert {one.setup.kind for one in contest.contestants if one.setup} == set(MEASURED_KINDS)
    assert contest.contestants[-1].is_volume


def test_ones_own_job_is_what_is_measured(proving: MainWindow, session: FakeSession, tmp_path: Path) -> None:
    job = tmp_path / "db.fio"
    job.write_text("[global]\ndirect=1\n[db]\nrw=randrw\nrwmixread=80\nbs=16k\niodepth=4\n", encoding="utf-8")
    press(proving, "prove-suite-more-own")
    dialog = proving.findChild(QFileDialog, "prove-job-dialog")
    assert dialog is not None
    assert proving.stations.prove.model.suite is Suite.QUICK  # until there is a file
    dialog.fileSelected.emit(str(job))
    dialog.close()
    assert "own job: db.fio" in _button(proving, "prove-suite-more-own").text()
    asked, contest = _begun(proving, session)
    assert [str(one) for one in contest.suite.workloads] == ["own_randrw_80_16k_q4"]
    assert asked.done is not None
    asked.done(_found(contest, 1))
    assert "3.00× on average" in _text(proving, "prove-verdict")
    view = proving.findChild(Segmented, "prove-view")
    assert view is not None
    assert not view.isVisible()  # there is one workload
    table = proving.findChild(Table, "prove-figures")
    assert table is not None
    assert table.model().headerData(1, Qt.Orientation.Horizontal) == "Healthy, IOPS"


def test_a_job_that_cannot_be_taken_says_why_and_changes_nothing(proving: MainWindow, tmp_path: Path) -> None:
    job = tmp_path / "bad.fio"
    job.write_text("[x]\nrw=read\nexec_prerun=touch /run/here\n", encoding="utf-8")
    proving.stations.prove.model.take_job(job)
    assert "“exec_prerun” of the job [x] can't be taken" in _text(proving, "prove-why-not")
    assert proving.stations.prove.model.suite is Suite.QUICK
    proving.stations.prove.model.take_job(tmp_path / "nowhere")
    assert "can't be read" in _text(proving, "prove-why-not")
    proving.stations.prove.model.choose_suite(Suite.QUICK)
    assert _text(proving, "prove-why-not") == ""


def test_the_board_grows_and_its_winner_is_planned(proving: MainWindow, session: FakeSession) -> None:
    asked, contest = _begun(proving, session)
    assert asked.update is not None
    assert asked.done is not None
    redundant = [place for place, one in enumerate(contest.contestants) if one.survives_a_loss]
    found = _found(contest, redundant[-1])
    asked.update(Standing(JobStep.MEASURE, 0.4, 1, None, 300.0, found))
    assert "40%" in _text(proving, "prove-standing")
    assert _text(proving, "prove-verdict") == ""  # before all are measured
    assert any("shoot-out runs" in said for said in at_stake(LeavingWay.CLOSE, proving.stations.work()))
    asked.done(found)
    assert "The fastest that survives a lost disk" in _text(proving, "prove-verdict")
    press(proving, "prove-build")
    plan = proving.plan.draft.plan
    assert plan is not None
    assert shape(plan.top) == shape(contest.contestants[redundant[-1]].wanted.top)
    build = proving.findChild(BuildStation)
    assert build is not None
    assert build.isVisible()
    assert _text(proving, "build-tried") == "✓ Measured fastest of 4 layouts that survive a lost disk."
    assert not any("shoot-out runs" in said for said in at_stake(LeavingWay.CLOSE, proving.stations.work()))


def test_what_was_measured_before_it_was_stopped_stays(proving: MainWindow, session: FakeSession) -> None:
    asked, contest = _begun(proving, session)
    assert asked.update is not None
    redundant = next(place for place, one in enumerate(contest.contestants) if one.survives_a_loss)
    asked.update(Standing(JobStep.MEASURE, 0.4, 1, None, 300.0, _found(contest, redundant)))
    asked.task.cancelled.emit()
    assert _text(proving, "prove-verdict").startswith("It was not held to its end. Until then: ")
    assert _button(proving, "prove-build").isVisible()
    _begun(proving, session)
    assert _text(proving, "prove-verdict") == ""


def test_many_disks_are_named_where_they_can_be_scrolled(proving: MainWindow) -> None:
    proving.disks.take_snapshot(sample.many_disks(24))
    proving.disks.choose_all()
    proving.resize(1024, 700)
    settle()
    said = proving.findChild(QLabel, "prove-disks")
    assert said is not None
    assert all(disk.serial in said.text() for disk in proving.disks.chosen)
    assert said.visibleRegion().boundingRect().height() > 2 * said.fontMetrics().height()
    box, allow = proving.findChild(QCheckBox, "prove-rebuilding"), proving.findChild(QCheckBox, "prove-allow")
    assert box is not None
    assert allow is not None
    what = proving.findChild(QLabel, "prove-what")
    assert what is not None
    tops = [one.mapTo(proving, one.rect().topLeft()).y() for one in (box, what, allow)]
    ends = [one.mapTo(proving, one.rect().bottomLeft()).y() for one in (box, what, allow)]
    assert all(end < top for end, top in zip(ends, tops[1:], strict=False))  # nothing overlaps


def test_disks_in_a_shoot_out_are_not_told_as_lost(proving: MainWindow, session: FakeSession) -> None:
    asked, _contest = _begun(proving, session)
    first, *others = session.snapshot.disks
    held = replace(first, uses=(Use(UseKind.ARRAY_MEMBER, "raidwright-scratch"), Use(UseKind.HELD, "md127")))
    whole = session.snapshot
    session.show(replace(whole, disks=(held, *others)))
    assert proving.disks.gone
    assert proving.notices.isHidden()
    session.show(whole)
    assert asked.failed is not None
    asked.failed(JobFailed("Stopped."))
    assert _text(proving, "prove-failure") == "✕ Stopped."


def _before_details(snapshot: Snapshot) -> Snapshot:
    """Return the machine's snapshot before its disks' details are read."""
    disks = tuple(
        replace(disk, rotation_rpm=-1, logical_sector_bytes=None, physical_sector_bytes=None) for disk in snapshot.disks
    )
    return replace(snapshot, disks=disks)


def _details_arrive(window: MainWindow, session: FakeSession) -> None:
    """Choose all disks and open Prove at once, like a quick user; the details arrive only then."""
    session.show(_before_details(sample.machine()))
    window.disks.choose_all()
    window.show_station(Station.PROVE)
    model = window.stations.prove.model
    model.make(model.matrix(read_shapes("raid10:n3"), (), ()))
    _allow(window)
    session.show(sample.machine())


def test_a_disk_whose_details_arrive_is_asked_for_once(window: MainWindow, session: FakeSession) -> None:
    _details_arrive(window, session)
    box = window.findChild(QCheckBox, "prove-allow")
    assert box is not None
    assert "These 4 disks" in box.text()
    named = [serial for line in _text(window, "prove-disks").splitlines() for serial in line.split(": ")[1].split(", ")]
    assert sorted(named) == sorted(disk.serial for disk in window.disks.chosen)


def test_leave_to_write_outlasts_the_details_of_the_same_disks(window: MainWindow, session: FakeSession) -> None:
    _details_arrive(window, session)
    assert window.stations.prove.model.is_allowed


def test_every_plan_knows_the_details_that_arrived(window: MainWindow, session: FakeSession) -> None:
    _details_arrive(window, session)
    known = {disk.as_member() for disk in window.disks.chosen}
    own = window.plan.draft.plan
    assert own is not None
    assert set(own.disks()) == known
    assert all(set(plan.disks()) <= known for plan in window.stations.prove.model.offered)
    assert not window.plan.can_undo  # that isn't a person's step


def test_the_plan_takes_part_with_its_chunk(proving: MainWindow) -> None:
    proving.plan.edit_fields(chunk_kib=64)
    own = proving.plan.draft.plan
    assert own in proving.stations.prove.model.offered
    assert own is not None
    assert [shape(plan.top) for plan in proving.stations.prove.model.offered].count(shape(own.top)) == 1


def _ended(window: MainWindow, session: FakeSession, *, at_memory_speed: bool = False) -> Findings:
    """Hold a shoot-out; return findings near the predictions."""
    asked, contest = _begun(window, session)
    found = sample_shootout.found(contest, at_memory_speed=at_memory_speed)
    assert asked.done is not None
    asked.done(found)
    settle()
    return found


def _chart(window: MainWindow) -> ShootoutChart:
    chart = window.findChild(ShootoutChart)
    assert chart is not None
    assert chart.isVisible()
    return chart


def _click_on_bars(window: MainWindow, qtbot: QtBot, place: int) -> None:
    chart = _chart(window)
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=chart.group_rect(place).center().toPoint())
    settle()


def test_the_chart_says_what_the_table_says(proving: MainWindow, session: FakeSession) -> None:
    found = _ended(proving, session)
    winner = found.contest.contestants[found.winner or 0]
    said = _chart(proving).accessibleDescription()
    assert said.lower().startswith(f"{contestant_name(winner)}, fastest that survives a lost disk; healthy: ".lower())
    assert "with a disk lost: " in said
    assert "predicted " in said
    press(proving, "prove-view-random_read_4k_q32")
    said = _chart(proving).accessibleDescription()
    assert " IOPS, predicted " in said
    assert "MB/s" not in said
    table = proving.findChild(Table, "prove-figures")
    assert table is not None
    heads = [str(table.model().headerData(at, Qt.Orientation.Horizontal)) for at in range(4)]
    assert heads == ["Layout", "Healthy, IOPS", "Disk lost, IOPS", "Rebuilding, IOPS"]
    assert table.isColumnHidden(3)  # no rebuild was measured
    rows = [str(table.model().index(row, 0).data()) for row in range(table.model().rowCount())]
    assert rows[:2] == ["one disk alone", contestant_name(winner)]
    assert all(str(table.model().index(row, 1).data()) in said for row in range(1, len(rows)))


def test_while_it_runs_the_chart_has_no_winner(proving: MainWindow, session: FakeSession) -> None:
    asked, contest = _begun(proving, session)
    assert asked.update is not None
    asked.update(Standing(JobStep.MEASURE, 0.4, 1, None, 300.0, sample_shootout.partly(contest)))
    said = _chart(proving).accessibleDescription()
    assert "fastest" not in said
    assert "not measured yet" in said
    assert _text(proving, "prove-verdict") == ""
    assert not _button(proving, "prove-build").isVisible()
    asked.task.cancelled.emit()
    settle()
    assert _text(proving, "prove-verdict") == "Not every layout was measured, so none is the fastest."
    assert "fastest" not in _chart(proving).accessibleDescription()
    assert not _button(proving, "prove-build").isVisible()


def test_a_click_on_the_bars_chooses_the_layout_to_build(
    proving: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    found = _ended(proving, session)
    other = found.board[1][0]
    _click_on_bars(proving, qtbot, other)
    assert "is faster: " in _text(proving, "decision-why")
    assert _text(proving, "decision-mark") == ""
    press(proving, "prove-build")
    plan = proving.plan.draft.plan
    assert plan is not None
    assert shape(plan.top) == shape(found.contest.contestants[other].wanted.top)
    assert _text(proving, "build-tried") == "✓ Measured in a shoot-out: number 2 of 4 by speed."
    proving.show_station(Station.PLAN)
    assert _text(proving, "plan-tried") == "✓ Measured in a shoot-out: number 2 of 4 by speed."
    proving.plan.edit_fields(chunk_kib=64)  # another plan, which nothing measured
    assert _text(proving, "plan-tried") == ""
    proving.plan.undo()
    assert _text(proving, "plan-tried") != ""


def test_arrow_keys_choose_among_the_layouts(proving: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    found = _ended(proving, session)
    chart = _chart(proving)
    assert proving.stations.prove.model.looked_at == found.winner
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert proving.stations.prove.model.looked_at == found.board[1][0]
    for _step in range(9):
        qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert proving.stations.prove.model.looked_at == found.board[-1][0]
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert proving.stations.prove.model.looked_at == found.board[-2][0]


def test_one_disk_alone_cannot_be_chosen(proving: MainWindow, session: FakeSession) -> None:
    found = _ended(proving, session)
    table = proving.findChild(Table, "prove-figures")
    assert table is not None
    table.row_activated.emit(0)
    assert proving.stations.prove.model.looked_at == found.winner
    table.row_activated.emit(2)
    assert proving.stations.prove.model.looked_at == found.board[1][0]


def test_a_variant_is_built_with_the_chunk_that_was_measured(proving: MainWindow, session: FakeSession) -> None:
    model = proving.stations.prove.model
    model.make(model.matrix(read_shapes("raid10:f2"), (64,), (4,)))
    made = len(model.offered) - 1
    for place in model.chosen - {made}:
        model.toggle(place)
    _ended(proving, session)
    press(proving, "prove-build")
    plan = proving.plan.draft.plan
    assert plan is not None
    assert (plan.array.layout, plan.array.chunk_kib, plan.name) == ("f2", 64, "tank")


def test_at_memory_speed_nothing_is_predicted_or_compared(proving: MainWindow, session: FakeSession) -> None:
    _ended(proving, session, at_memory_speed=True)
    assert _text(proving, "prove-memory-speed").startswith("Memory speed: ")
    said = _chart(proving).accessibleDescription()
    assert "predicted" not in said
    assert proving.findChild(QPushButton, "prove-view-average") is None  # multiples of one disk
    table = proving.findChild(Table, "prove-figures")
    assert table is not None
    assert "one disk alone" not in [table.model().index(row, 0).data() for row in range(table.model().rowCount())]
    assert "one disk" not in _text(proving, "decision-why")
    assert _text(proving, "prove-misses") == ""


def test_missed_predictions_are_said_in_their_unit(proving: MainWindow, session: FakeSession) -> None:
    _ended(proving, session)
    said = _text(proving, "prove-misses")
    assert " figures are as predicted." in said
    assert any(" IOPS where " in line and "4 KiB ×32" in line for line in said.splitlines())
    assert all(" MB/s where " in line for line in said.splitlines()[1:] if "sequential" in line)


def test_more_can_be_tried_and_the_result_is_still_there(proving: MainWindow, session: FakeSession) -> None:
    _ended(proving, session)
    assert not _button(proving, "prove-begin").isVisible()
    press(proving, "prove-again")
    assert _button(proving, "prove-begin").isVisible()
    assert _chart(proving).isVisible()
    press(proving, "prove-back")
    assert _button(proving, "prove-build").isVisible()
    proving.disks.toggle(proving.disks.chosen[0].id)
    settle()
    assert _button(proving, "prove-begin").isVisible()  # the result isn't of these disks


def test_the_chart_is_saved_as_a_picture(proving: MainWindow, session: FakeSession, tmp_path: Path) -> None:
    _ended(proving, session)
    save = proving.findChild(SaveButton, "prove-save")
    assert save is not None
    for kind in ("svg", "png"):
        save.wanted.emit(tmp_path / f"found.{kind}")
    assert "fastest that survives a lost disk" in (tmp_path / "found.svg").read_text(encoding="utf-8")
    assert (tmp_path / "found.png").read_bytes().startswith(b"\x89PNG")
    save.wanted.emit(tmp_path / "nowhere" / "found.png")
    assert "can't be written" in _text(proving, "prove-failure")
