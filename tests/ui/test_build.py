"""The Build station: no request before the name is typed, and every end is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.core.errors import Denied, DiskRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Health, Use, UseKind
from raidwright.core.model.plan import Baseline, Bitmap, Metadata, Plan
from raidwright.core.protocol.facts import BuildRecord, BuildState, DiskSignature, HostFacts
from raidwright.core.protocol.results import BuildResult, UndoResult
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.values import Snapshot
from raidwright.operations.builds import CreateArray, Undo
from raidwright.operations.disks import ExamineSignatures
from raidwright.ui.frame.command_bar import CommandBar
from raidwright.ui.phase import Phase
from raidwright.ui.station import Station
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import Asked, FakeSession
from .places import settle


@pytest.fixture
def reviewing(window: MainWindow) -> MainWindow:
    window.disks.choose_all()
    window.show_station(Station.BUILD)
    return window


def _button(window: MainWindow) -> QPushButton:
    button = window.findChild(QPushButton, "build-button")
    assert button is not None
    return button


def _type(window: MainWindow, text: str, qtbot: QtBot) -> None:
    edit = window.findChild(QLineEdit, "build-confirm")
    assert edit is not None
    edit.clear()
    qtbot.keyClicks(edit, text)


def _text(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text()


def _reviewed(window: MainWindow) -> Plan:
    assert window.plan.draft.plan is not None
    return window.plan.draft.plan


@pytest.mark.parametrize("typed", ["", "tan", "tanks", "TANK", "tank "])
def test_only_the_name_itself_confirms(reviewing: MainWindow, session: FakeSession, qtbot: QtBot, typed: str) -> None:
    _type(reviewing, typed, qtbot)
    assert not _button(reviewing).isEnabled()
    edit = reviewing.findChild(QLineEdit, "build-confirm")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    reviewing.stations.build.model.build()
    assert not _builds(session)


def test_the_plan_that_was_reviewed_is_built(reviewing: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    plan = _reviewed(reviewing)
    _type(reviewing, "tank", qtbot)
    qtbot.mouseClick(_button(reviewing), Qt.MouseButton.LeftButton)
    (job,) = _builds(session)
    assert job.arguments == (CreateArray(plan, "tank"),)
    assert not _button(reviewing).isEnabled()
    reviewing.stations.build.model.build()
    assert len(_builds(session)) == 1  # not twice


def test_what_this_kernel_makes_of_it_is_said_before_it_is_built(
    reviewing: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    _type(reviewing, "tank", qtbot)
    label = reviewing.findChild(QLabel, "build-host")
    assert label is not None
    assert label.isHidden()
    session.show(replace(session.snapshot, host=HostFacts("nas", "7.0.14-5-pve", "4.4")))
    assert not label.isHidden()
    assert "starts only on Linux 6.19 or later" in label.text()
    assert _button(reviewing).isEnabled()
    reviewing.plan.edit_fields(bitmap=Bitmap.LOCKLESS)
    _type(reviewing, "tank", qtbot)
    assert not _button(reviewing).isEnabled()
    assert "needs mdadm 4.6 or later, and this is 4.4" in _text(reviewing, "build-step")


def test_a_changed_plan_must_be_confirmed_again(reviewing: MainWindow, qtbot: QtBot) -> None:
    _type(reviewing, "tank", qtbot)
    assert _button(reviewing).isEnabled()
    reviewing.plan.edit_fields(chunk_kib=64)
    assert not _button(reviewing).isEnabled()


@pytest.mark.parametrize(
    "learned", [{"health": Health(temperature_celsius=41)}, {"baseline": Baseline(kind="hdd", rpm=7200)}], ids=list
)
def test_what_is_typed_outlasts_disks_that_become_better_known(
    reviewing: MainWindow, session: FakeSession, qtbot: QtBot, learned: dict[str, Any]
) -> None:
    _type(reviewing, "tan", qtbot)
    machine = sample.machine()
    session.show(replace(machine, disks=tuple(replace(disk, **learned) for disk in machine.disks)))
    edit = reviewing.findChild(QLineEdit, "build-confirm")
    qtbot.keyClicks(edit, "k")
    assert _button(reviewing).isEnabled()


def test_a_pulled_disk_stops_it(reviewing: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _type(reviewing, "tank", qtbot)
    session.show(replace(sample.machine(), disks=sample.machine().disks[:2]))
    _type(reviewing, "tank", qtbot)
    assert "VK0ABCD2" in reviewing.stations.build.model.why_not
    assert not _button(reviewing).isEnabled()
    session.show(sample.machine())
    _type(reviewing, "tank", qtbot)
    assert _button(reviewing).isEnabled()


def test_a_denial_is_a_sentence_and_leaves_the_way_open(
    reviewing: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    _type(reviewing, "tank", qtbot)
    reviewing.stations.build.model.build()
    failed = _builds(session)[0].failed
    assert failed is not None
    failed(Denied("You aren't allowed to do that here.", code="denied"))
    assert "You aren't allowed to do that here." in _text(reviewing, "build-failure")
    assert reviewing.stations.build.model.phase is Phase.REVIEW
    _type(reviewing, "tank", qtbot)
    assert _button(reviewing).isEnabled()
    assert not reviewing.plan.draft.is_locked


def test_a_disk_that_vanishes_while_building_is_told_once_it_has_failed(
    reviewing: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    _type(reviewing, "tank", qtbot)
    reviewing.stations.build.model.build()
    session.show(replace(sample.machine(), disks=sample.machine().disks[:3]))
    assert len(list(_reviewed(reviewing).disks())) == 4
    failed = _builds(session)[0].failed
    assert failed is not None
    assert not reviewing.plan.absent
    failed(Denied("A disk is gone.", code="gone"))
    assert len(list(_reviewed(reviewing).disks())) == 4
    assert reviewing.plan.absent == {sample.disk(3).id}
    assert "VK0ABCD3" in _text(reviewing, "gone-what")


def test_the_array_stands_with_its_resync(reviewing: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _type(reviewing, "tank", qtbot)
    reviewing.stations.build.model.build()
    (job,) = _builds(session)
    assessment = reviewing.stations.build.model.draft.assessment
    assert assessment is not None
    assert job.update is not None
    assert job.done is not None
    job.update(JobProgress("stage-create", 0.1))
    taken = (Use(UseKind.ARRAY_MEMBER, "tank"),)  # md shows its members before the job ends
    busy = sample.machine()
    session.show(replace(busy, disks=tuple(replace(disk, uses=disk.uses or taken) for disk in busy.disks)))
    assert "mdadm" in _text(reviewing, "build-step")
    sectors = assessment.capacity.array_sectors
    job.done(BuildResult("/dev/md127", sample.ARRAY_UUID, sectors, 0, "mdadm …"))
    assert "as planned" in _text(reviewing, "built-verdict")
    session.show(replace(sample.machine(), arrays=(sample.array(sectors * 512),)))
    assert "18.3%" in _text(reviewing, "built-sync")
    session.show(replace(sample.machine(), arrays=(sample.array(sectors * 512, sync_action="idle"),)))
    assert "In sync" in _text(reviewing, "built-sync")
    assert reviewing.stations.measure.model.target == f"md:{sample.ARRAY_UUID}"
    assert reviewing.disks.gone == ()  # our own array isn't a change
    bar = reviewing.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert bar.text == assessment.commands[0].shell()
    assert reviewing.plan.draft.plan == assessment.plan  # the built plan can still be viewed
    reviewing.plan.edit_fields(chunk_kib=64)
    assert reviewing.plan.draft.plan == assessment.plan
    assert not reviewing.plan.can_undo
    reviewing.show_station(Station.PLAN)
    assert "are in “tank” now" in _text(reviewing, "plan-locked")
    following = reviewing.findChild(QPushButton, "plan-next")
    assert following is not None
    assert not following.isEnabled()
    assert following.isVisible()
    session.show(sample.many_disks(6))  # others, for a new plan
    reviewing.disks.choose_all()
    assert not reviewing.plan.draft.is_locked
    assert len(list(_reviewed(reviewing).disks())) == 6
    assert reviewing.stations.build.model.phase is Phase.REVIEW


def test_a_difference_from_the_plan_is_not_hidden(reviewing: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _type(reviewing, "tank", qtbot)
    reviewing.stations.build.model.build()
    done = _builds(session)[0].done
    assert done is not None
    done(BuildResult("/dev/md127", sample.ARRAY_UUID, 12345, 0, "mdadm …"))
    assert _text(reviewing, "built-verdict") == "differs"
    assert "12,345" in _text(reviewing, "built-sectors")


def _builds(session: FakeSession) -> list[Asked]:
    return [job for job in session.record.jobs if job.what == "CreateArray"]


def _job(session: FakeSession, what: str) -> Asked:
    return [job for job in session.record.jobs if job.what == what][-1]


def _reviewing_store(window: MainWindow) -> str:
    """Go to the Build station with a disk that has a signature; return its id."""
    store = next(disk for disk in window.disks.snapshot.disks if disk.serial == "57KBX3")
    window.disks.choose_all()
    window.disks.toggle(store.id)
    window.plan.choose_level(Level.RAID5)  # the plan ranked first leaves out so small a disk
    window.show_station(Station.BUILD)
    return store.id


def test_what_a_disk_carries_must_be_ticked_before_the_name_is_typed(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    store = _reviewing_store(window)
    edit = window.findChild(QLineEdit, "build-confirm")
    assert edit is not None
    assert not edit.isEnabled()
    looked = _job(session, "ExamineSignatures")
    assert looked.arguments == (ExamineSignatures(tuple(one.id for one in _reviewed(window).disks()), wake=True),)
    assert store in looked.arguments[0].ids
    assert looked.done is not None
    looked.done({store: (DiskSignature("gpt", 512), DiskSignature("1:ext4", 1049656, "photos"))})
    box = window.findChild(QCheckBox, "remove-57KBX3")
    assert box is not None
    assert box.text() == "Remove gpt, ext4 “photos” (partition 1)\nfrom TOSHIBA HDWD130 57KBX3"
    whole = [
        f"wipefs --all --types=ext4 /dev/disk/by-id/{store}-part1",
        f"wipefs --all --types=gpt /dev/disk/by-id/{store}",
        *(command.shell() for command in window.stations.build.model.draft.assessment.commands),  # type: ignore[union-attr]
    ]
    assert _command(window).split(" &&\n") == whole
    bar = window.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert bar.text.splitlines() == whole
    assert "gpt, ext4 removed first" in _review(window, store)
    assert "57KBX3" in window.stations.build.model.why_not
    assert not edit.isEnabled()
    box.setChecked(True)
    assert edit.isEnabled()
    _type(window, "tank", qtbot)
    window.stations.build.model.build()
    assert _job(session, "CreateArray").arguments == (
        CreateArray(_reviewed(window), "tank", {store: ("gpt", "1:ext4")}),
    )


def test_bytes_that_nothing_recognises_must_be_ticked_as_well(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    window.disks.choose_all()
    window.show_station(Station.BUILD)
    first, *others = _reviewed(window).disks()
    assert "nothing recognised" in _review(window, first.id)  # nobody has examined it
    looked = _job(session, "ExamineSignatures")
    assert looked.done is not None
    looked.done({first.id: (DiskSignature("unknown", 0),), **{one.id: () for one in others}})
    assert "bytes that nothing here recognises" in _review(window, first.id)
    assert "what it holds overwritten" in _review(window, first.id)
    assert "empty" in _review(window, others[0].id)
    edit = window.findChild(QLineEdit, "build-confirm")
    box = window.findChild(QCheckBox, f"remove-{first.serial}")
    assert edit is not None
    assert box is not None
    assert box.text().startswith("Overwrite bytes that nothing here recognises\non ")
    assert "wipefs" not in _command(window)  # there is nothing to erase
    assert not edit.isEnabled()
    box.setChecked(True)
    assert edit.isEnabled()
    _type(window, "tank", qtbot)
    window.stations.build.model.build()
    assert _job(session, "CreateArray").arguments == (CreateArray(_reviewed(window), "tank", {first.id: ("unknown",)}),)


def _command(window: MainWindow) -> str:
    shown = window.findChild(QPlainTextEdit, "build-command")
    assert shown is not None
    return shown.toPlainText().replace(" \\\n    ", " ")  # as a shell reads it


def _review(window: MainWindow, disk_id: str) -> str:
    """Return a disk's row, as it is read aloud."""
    serial = next(disk.serial for disk in sample.machine().disks if disk.id == disk_id)
    table = window.findChild(Table, "review-table")
    assert table is not None
    model = table.model()
    rows = (
        [model.index(row, column).data() for column in range(model.columnCount())] for row in range(model.rowCount())
    )
    return " | ".join(next(row for row in rows if serial in row))


def test_what_is_removed_is_in_the_command_before_anybody_looked(window: MainWindow) -> None:
    window.disks.choose_all()
    window.disks.toggle(sample.machine().disks[6].id)
    window.plan.choose_level(Level.RAID5)  # the plan ranked first leaves out so small a disk
    bar = window.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert bar.text.splitlines()[0] == f"wipefs --all /dev/disk/by-id/{sample.machine().disks[6].id}"
    window.show_station(Station.BUILD)
    assert "what it holds removed first" in _review(window, sample.machine().disks[6].id)
    assert "removed" not in _review(window, sample.machine().disks[0].id)


def test_a_disk_that_left_the_plan_takes_its_box_and_its_command_along(
    window: MainWindow, session: FakeSession
) -> None:
    store = _reviewing_store(window)
    looked = _job(session, "ExamineSignatures")
    assert looked.done is not None
    looked.done({store: (DiskSignature("ext4", 1080),)})
    box = window.findChild(QCheckBox, "remove-57KBX3")
    assert box is not None
    assert box.isVisible()
    window.disks.toggle(store)
    assert not [
        left for left in window.findChildren(QCheckBox) if left.text().startswith("Remove") and left.isVisible()
    ]
    assert "wipefs" not in _command(window)
    bar = window.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert "wipefs" not in bar.text


def test_a_disk_of_a_stopped_array_is_taken_by_that_arrays_name(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    store = _reviewing_store(window)
    looked = _job(session, "ExamineSignatures")
    assert looked.done is not None
    looked.done({store: (DiskSignature("linux_raid_member", 4096), DiskSignature("array:store", 4096))})
    box = window.findChild(QCheckBox, "remove-57KBX3")
    assert box is not None
    assert "its part of the stopped array “store”" in box.text()
    assert "taken from the stopped array “store”" in _review(window, store)
    assert window.findChild(QLineEdit, "give-up-store") is None
    box.click()
    name = window.findChild(QLineEdit, "give-up-store")
    assert name is not None
    assert window.stations.build.model.why_not == "Type the name of the array, store, to give its part up."
    assert window.stations.build.model.removals.confirmed == {store: ("linux_raid_member",)}
    qtbot.keyClicks(name, "tank")
    assert "store" in window.stations.build.model.why_not
    name.clear()
    qtbot.keyClicks(name, "store")
    assert window.stations.build.model.why_not == "Type the array's name, tank, to go on."
    _type(window, "tank", qtbot)
    window.stations.build.model.build()
    assert window.stations.build.model.removals.confirmed == {store: ("linux_raid_member", "array:store")}
    bar = window.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert "array:store" not in bar.text


def test_the_command_bar_names_no_signatures_of_trials_that_come_and_go(
    window: MainWindow, session: FakeSession
) -> None:
    store = _reviewing_store(window)
    looked = _job(session, "ExamineSignatures")
    assert looked.done is not None
    looked.done({store: (DiskSignature("linux_raid_member", 4096),)})
    window.stations.build.model.removals.tick(store, is_let_go=True)
    assessment = window.plan.draft.assessment
    assert assessment is not None
    programs = [command.program for command in window.stations.plan.commands(assessment)]
    assert "wipefs" in programs
    assert "wipefs" not in [command.program for command in window.stations.plan.commands(assessment, in_trial=True)]


def test_after_a_refusal_the_disks_are_looked_at_anew(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    store = _reviewing_store(window)
    looked = _job(session, "ExamineSignatures")
    assert looked.done is not None
    looked.done({store: (DiskSignature("ext4", 1080),)})
    window.stations.build.model.removals.tick(store, is_let_go=True)
    _type(window, "tank", qtbot)
    window.stations.build.model.build()
    failed = _job(session, "CreateArray").failed
    assert failed is not None
    failed(DiskRefused("It holds xfs now.", code="disk-signature-changed"))
    assert len([job for job in session.record.jobs if job.what == "ExamineSignatures"]) == 2
    assert not window.stations.build.model.removals.confirmed


def _built(window: MainWindow, session: FakeSession) -> QPushButton:
    """Let the reviewed plan be built; return the button that undoes it."""
    window.stations.build.model.type_name("tank")
    window.stations.build.model.build()
    done = _job(session, "CreateArray").done
    assert done is not None
    done(BuildResult("/dev/md127", sample.ARRAY_UUID, 1, 0, "mdadm …", (), "b" * 32))
    button = window.findChild(QPushButton, "built-undo")
    assert button is not None
    return button


def _list(session: FakeSession, closed_by: str) -> None:
    """Answer the last request for the builds."""
    listed = session.record.looks_back[-1].done
    assert listed is not None
    disks, steps = ("WDC VK0ABCD0",), ("create", "done")
    build = BuildRecord(
        "b" * 32, "tank", BuildState.DONE, 0, "", disks, steps, (), has_way_back=True, synchronises=True,
        closed_by=closed_by,
    )  # fmt: skip
    listed((build,))


@pytest.mark.parametrize(("closed_by", "why"), [
    ("written", "any more: the array was written to"), ("mounted", "while the array is mounted"),
    ("in-use", "while something uses"), ("not-running", "while the array doesn't run"), ("unheard-of", "any more."),
])  # fmt: skip
def test_undo_is_offered_only_while_it_would_be_accepted(
    reviewing: MainWindow, session: FakeSession, closed_by: str, why: str
) -> None:
    button = _built(reviewing, session)
    assert button.text() == "Undo the build"
    assert button.isEnabled()
    _list(session, closed_by)
    assert not button.isEnabled()
    assert why in _text(reviewing, "built-undo-why-not")
    reviewing.stations.build.model.undo()
    assert not [job for job in session.record.jobs if job.what == "Undo"]
    _list(session, "")
    assert button.isEnabled()
    assert _text(reviewing, "built-undo-why-not") == ""


def test_whether_undo_is_open_is_asked_after_all_that_may_have_closed_it(
    reviewing: MainWindow, session: FakeSession
) -> None:
    button, capacity = _built(reviewing, session), 10**12
    session.show(replace(sample.machine(), arrays=(sample.array(capacity),)))
    asked = len(session.record.looks_back)
    session.show(replace(sample.machine(), arrays=(sample.array(capacity, sync_fraction=0.5),)))
    assert len(session.record.looks_back) == asked  # a resync doesn't prevent the undo
    session.show(replace(sample.machine(), arrays=(sample.array(capacity, mounted_at="/srv/tank"),)))
    assert len(session.record.looks_back) == asked + 1
    reviewing.show_station(Station.MEASURE)
    reviewing.stations.measure.model.start()
    assert not button.isEnabled()
    _job(session, "Measure").task.cancelled.emit()
    assert len(session.record.looks_back) == asked + 2
    assert button.isEnabled()
    reviewing.show_station(Station.BUILD)
    assert len(session.record.looks_back) == asked + 3


def test_an_array_that_was_stopped_is_not_said_to_be_in_sync(reviewing: MainWindow, session: FakeSession) -> None:
    _built(reviewing, session)
    measure = reviewing.findChild(QPushButton, "built-measure")
    assert measure is not None
    session.show(replace(sample.machine(), arrays=(sample.array(10**12, sync_action="idle"),)))
    assert "In sync" in _text(reviewing, "built-sync")
    assert measure.isEnabled()
    stopped = sample.array(10**12, sync_action="idle", running=False)
    session.show(replace(sample.machine(), arrays=(stopped,)))
    assert "doesn't run" in _text(reviewing, "built-sync")
    assert _text(reviewing, "built-verdict") == "stopped"
    assert not measure.isEnabled()


def test_an_array_that_somebody_took_apart_is_no_longer_what_was_built(
    reviewing: MainWindow, session: FakeSession
) -> None:
    _built(reviewing, session)
    session.show(replace(sample.machine(), arrays=(sample.array(10**12, sync_action="idle"),)))
    session.show(Snapshot(problem="The connection was lost."))
    assert reviewing.stations.build.model.built_array is not None  # unseen doesn't mean gone
    session.show(replace(sample.machine(), arrays=(sample.array(10**12, sync_action="idle"),)))
    session.show(sample.machine())
    assert reviewing.stations.build.model.built_array is None
    assert len(reviewing.disks.chosen) == 4  # to be built anew, or otherwise


def test_a_build_can_be_taken_back(reviewing: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _type(reviewing, "tank", qtbot)
    reviewing.stations.build.model.build()
    done, assessment = _job(session, "CreateArray").done, reviewing.stations.build.model.draft.assessment
    assert done is not None
    assert assessment is not None
    sectors = assessment.capacity.array_sectors
    done(BuildResult("/dev/md127", sample.ARRAY_UUID, sectors, 0, "mdadm …", (), "b" * 32))
    button = reviewing.findChild(QPushButton, "built-undo")
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    undoing = _job(session, "Undo")
    assert undoing.arguments == (Undo("b" * 32),)
    assert not button.isEnabled()
    assert undoing.failed is not None
    undoing.failed(DiskRefused("The array was written to.", code="array-holds-something"))
    assert "was written to" in _text(reviewing, "built-failure")
    assert reviewing.stations.build.model.built_array is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    undone = _job(session, "Undo").done
    assert undone is not None
    undone(UndoResult("b" * 32, synchronised=True))
    assert reviewing.stations.build.model.built_array is None
    assert reviewing.stations.build.model.phase is Phase.REVIEW
    assert _reviewed(reviewing) == assessment.plan  # to be built anew, or otherwise
    assert len(reviewing.disks.chosen) == 4


def test_it_is_built_again_after_an_undo(reviewing: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    for count in (1, 2, 3):  # the page of the built array is shown anew each time
        _type(reviewing, "tank", qtbot)
        qtbot.mouseClick(_button(reviewing), Qt.MouseButton.LeftButton)
        jobs = _builds(session)
        assert len(jobs) == count
        done = jobs[-1].done
        assert done is not None
        done(BuildResult("/dev/md127", sample.ARRAY_UUID, 12345, 0, "mdadm …", build_id="b" * 32))
        settle()
        session.show(Snapshot(sample.machine().disks, (sample.array(10**12),)))
        settle()
        undo = reviewing.findChild(QPushButton, "built-undo")
        assert undo is not None
        assert undo.isVisible()
        qtbot.mouseClick(undo, Qt.MouseButton.LeftButton)
        undone = session.record.jobs[-1].done
        assert undone is not None
        undone(UndoResult("b" * 32, synchronised=False))
        session.show(sample.machine())
        settle()
        assert reviewing.stations.build.model.phase is Phase.REVIEW


def test_what_is_written_is_said_without_mds_own_words(reviewing: MainWindow) -> None:
    table = reviewing.findChild(Table, "review-table")
    assert table is not None
    last = table.model().columnCount() - 1
    assert table.model().index(0, last).data() == "md's records in the first 129 MiB, then the array's data"
    reviewing.plan.choose_level(Level.RAID1)
    reviewing.plan.edit_fields(metadata=Metadata.V1_0)
    settle()
    assert table.model().index(0, last).data() == "the array's data, and md's records at the end"
    assert "what other disks hold stays." in _text(reviewing, "build-warning")
    assert "sectors of 512 bytes" in _hint_of(reviewing, "build-summary")


def _hint_of(window: MainWindow, name: str) -> str:
    found = window.findChild(QLabel, name)
    assert found is not None
    return found.toolTip()
