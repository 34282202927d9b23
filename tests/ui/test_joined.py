"""Disks of unlike sizes used whole: planned, failed, undone, kept, exported and reviewed in the window by clicks."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.colours import LIGHT
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import create_commands
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.results import BuildResult, Stopped
from raidwright.machine.values import Array, ArrayDevice, JoinedVolume, Named, Snapshot
from raidwright.operations.arrays import StartVolume, StopArray
from raidwright.reading.plans import loads_plan
from raidwright.text.array.states import state_line
from raidwright.text.plan.exports import FORMS
from raidwright.ui import exporting
from raidwright.ui.frame.command_bar import CommandBar
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.actions import ArrayAction, buttons_of
from raidwright.ui.stations.arrays.acts import Act
from raidwright.ui.stations.plan.stage.picture_file import as_svg
from raidwright.ui.stations.plan.stage.sliced_stage import SlicedStage
from raidwright.ui.stations.plan.stage.stage import PlanStage
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession
from .places import settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture
def planning(window: MainWindow, session: FakeSession) -> MainWindow:
    """The station Plan on disks of 4, 4, 8 and 12 TB."""
    return _on(window, session, sample.unlike_disks())


def _on(window: MainWindow, session: FakeSession, disks: Snapshot) -> MainWindow:
    session.show(disks)
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    settle()
    return window


def _find(window: MainWindow, name: str) -> QWidget | None:
    return next((part for part in window.findChildren(QWidget, name) if part.isVisible()), None)


def _click(window: MainWindow, qtbot: QtBot, name: str) -> None:
    part = _find(window, name)
    assert part is not None, name
    assert part.isEnabled(), part.toolTip()
    qtbot.mouseClick(part, Qt.MouseButton.LeftButton)
    settle()


def _plan(window: MainWindow) -> Plan:
    assert window.plan.draft.plan is not None
    return window.plan.draft.plan


def _text(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text()


def _stage(window: MainWindow) -> SlicedStage:
    stage = window.findChild(SlicedStage)
    assert stage is not None
    assert stage.isVisible()
    return stage


def _fail(window: MainWindow, qtbot: QtBot, column: int) -> None:
    stage = _stage(window)
    qtbot.mouseClick(stage, Qt.MouseButton.LeftButton, pos=stage.column_rect(column).center().toPoint())


def _by_parity(window: MainWindow, qtbot: QtBot) -> Plan:
    """Choose bands with parity: raid5 on four slices, raid1 on two."""
    _click(window, qtbot, "bands-1")
    _click(window, qtbot, "kept-by-parity")
    return _plan(window)


def _levels(plan: Plan) -> list[tuple[Level, int]]:
    return [(band.level, len(band.members)) for band in plan.top.inner]


def test_bands_are_chosen_by_clicks_and_undone(planning: MainWindow, qtbot: QtBot) -> None:
    _click(planning, qtbot, "level-raid5")
    single = _plan(planning)
    joined = _by_parity(planning, qtbot)
    assert _levels(joined) == [(Level.RAID5, 4), (Level.RAID1, 2)]
    assert joined.name == single.name
    _click(planning, qtbot, "kept-by-copies")
    assert _levels(_plan(planning)) == [(Level.RAID10, 4), (Level.RAID1, 2)]
    planning.plan.undo()
    assert _plan(planning) == joined
    while _plan(planning) != single:
        planning.plan.undo()
    planning.plan.redo()
    assert _plan(planning) == joined
    _click(planning, qtbot, "bands-")
    assert not _plan(planning).volume


def test_a_level_takes_the_disks_whole_again(planning: MainWindow, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    _click(planning, qtbot, "level-raid6")
    plan = _plan(planning)
    assert plan.array.level is Level.RAID6
    assert {disk.id for disk in plan.disks()} == {disk.id for disk in planning.plan.pool}


def test_what_does_not_apply_is_hidden_or_says_why(planning: MainWindow, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    planning.findChild(QPushButton, "rare-choices").setChecked(True)  # type: ignore[union-attr]
    settle()
    for name in ("bitmap", "metadata", "spares", "missing", "layout", "read-ahead", "home-host", "first-sync"):
        assert _find(planning, name) is None, name
    too_many = planning.findChild(QPushButton, "bands-3")
    assert too_many is not None
    assert not too_many.isEnabled()
    assert too_many.toolTip()


def test_disks_of_one_size_are_offered_no_bands(window: MainWindow) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    settle()
    assert _find(window, "bands") is None
    assert not any(one.plan.volume for one in window.plan.prepared)


def test_a_row_of_the_table_makes_it_the_plan(planning: MainWindow, qtbot: QtBot) -> None:
    _click(planning, qtbot, "level-raid5")
    table = planning.findChild(Table, "candidates-table")
    assert table is not None
    model = table.model()
    rows = range(model.rowCount())
    place = next(row for row in rows if "RAID 5 ×4 + RAID 1 ×2" in str(model.index(row, 1).data()))
    table.setFocus()
    table.setCurrentIndex(model.index(place, 1))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    settle()
    assert _levels(_plan(planning)) == [(Level.RAID5, 4), (Level.RAID1, 2)]
    assert "Uses all of your disks that can be protected" in _text(planning, "candidates-chosen")


def test_the_tiles_tell_of_the_whole_volume(planning: MainWindow, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    assert _text(planning, "usable") == "16.0 TB"
    assert _text(planning, "usable-beside") == "8 TB for safety, 4 TB stay free"
    assert _text(planning, "may-fail") == "any 1"
    assert _text(planning, "may-fail-beside") == "the two smallest cost 12.0 TB; the two largest everything"
    qtbot.waitUntil(lambda: "the first 12.0 TB read" in _text(planning, "speed-by-place"))
    _click(planning, qtbot, "usable-why")
    assert _text(planning, "details-unused") == (
        "4 TB of Seagate ST12000VN0008 VK0ABCD3 can't be protected, and stay free until another disk of 12 TB or more "
        "is added."
    )
    assert "of 28.0 TB" in _text(planning, "details-space")


def test_a_disk_fails_by_click_and_by_key(planning: MainWindow, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    assert planning.findChild(PlanStage).isHidden()  # type: ignore[union-attr]
    _fail(planning, qtbot, 3)
    assert _text(planning, "stage-sentence").startswith("Nothing is lost.")
    _fail(planning, qtbot, 3)
    _fail(planning, qtbot, 0)
    qtbot.keyClick(_stage(planning), "1")
    assert planning.plan.failed == {0, 1}
    assert _text(planning, "stage-sentence") == (
        "RAID 5 on four stops: 12.0 TB of 16.0 TB are lost. What RAID 1 on two held, 4.00 TB, can still be read, but a "
        "file system over all of it may need a rescue."
    )
    stage = _stage(planning)
    assert "RAID 1 on two: 4.00 TB" in stage.accessibleDescription()
    qtbot.keyClick(stage, Qt.Key.Key_Right)
    qtbot.keyClick(stage, Qt.Key.Key_Space)
    qtbot.keyClick(stage, "3")
    assert _text(planning, "stage-sentence").startswith("Everything is lost")


def test_heights_are_true_and_everything_is_told_on_hover(planning: MainWindow, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    stage = _stage(planning)
    assert stage.picture is not None
    layout = stage.picture.layout
    heights = [layout.body(column).height() for column in range(4)]
    assert heights[2] / heights[3] == pytest.approx(8 / 12, rel=0.01)
    assert heights[0] == heights[1] == pytest.approx(heights[3] / 3, rel=0.01)
    lower, upper = stage.picture.scene.disks[3].slices
    assert "Partition 1 of Seagate ST12000VN0008 VK0ABCD3" in stage.words_at(layout.slice(3, lower).center())
    assert "slot 1 of “tank-1”, RAID 1 on two" in stage.words_at(layout.slice(3, upper).center())
    assert "4 TB stay free until another 12 TB" in stage.words_at(layout.free(3).center())


def test_a_full_case_fits_the_stage(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _on(window, session, sample.unlike_disks(12, 8, 4))
    window.resize(1024, 700)
    settle()
    _click(window, qtbot, "bands-2")
    stage = _stage(window)
    columns = [stage.column_rect(column) for column in range(24)]
    assert columns[0].left() >= 0
    assert columns[-1].right() <= stage.width()
    assert all(one.right() < other.left() for one, other in pairwise(columns))
    _fail(window, qtbot, 23)
    assert _text(window, "stage-sentence").endswith("It survives the failure of any one more disk.")


def test_the_picture_is_saved(planning: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    _by_parity(planning, qtbot)
    for kind in ("svg", "png"):
        action = planning.findChild(QAction, f"stage-save-{kind}")
        assert action is not None
        action.trigger()
        dialog = planning.findChild(QFileDialog, "stage-save-dialog")
        assert dialog is not None
        assert Path(dialog.selectedFiles()[0]).name == f"tank-joined.{kind}"
        dialog.fileSelected.emit(str(tmp_path / f"stage.{kind}"))
        dialog.close()
        dialog.deleteLater()
        settle()
        assert (tmp_path / f"stage.{kind}").stat().st_size > 2000
    picture = _stage(planning).picture
    assert picture is not None
    assert "RAID 5 on four" in as_svg(picture, "tank", LIGHT).decode()


def test_it_is_saved_and_opened_again(planning: MainWindow, session: FakeSession, qtbot: QtBot, tmp_path: Path) -> None:
    plan, path = _by_parity(planning, qtbot), tmp_path / "heap.raidplan"
    _click(planning, qtbot, "plan-save")
    dialog = planning.findChild(QFileDialog, "plan-save-dialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.close()
    assert loads_plan(path.read_text()) == plan
    _click(planning, qtbot, "level-raid6")
    planning.plan.given_file.emit(path)
    settle()
    assert _plan(planning) == plan
    planning.disks.toggle(sample.disk(0).id)
    settle()
    assert len(whole_disks(_plan(planning).top)) == 3
    planning.plan.given_file.emit(path)
    settle()
    assert [disk.id for disk in planning.disks.chosen] == [disk.id for disk in whole_disks(plan.top)]
    assert _levels(_plan(planning)) == _levels(plan)


def test_slices_of_a_single_array_are_still_refused(planning: MainWindow, tmp_path: Path) -> None:
    joined = next(one.plan for one in planning.plan.prepared if one.plan.volume)
    path = tmp_path / "band.raidplan"
    path.write_text(json.dumps(dump_plan(Plan(joined.top.inner[0]))))
    planning.plan.given_file.emit(path)
    assert "The plan uses slices of disks" in _text(planning, "plan-file-said")


def test_its_files_text_is_pasted_and_its_commands_are_recognised(planning: MainWindow, qtbot: QtBot) -> None:
    plan = _by_parity(planning, qtbot)
    commands = "\n".join(command.shell() for command in create_commands(plan.top))
    _click(planning, qtbot, "level-raid6")
    _click(planning, qtbot, "plan-paste")
    field = planning.findChild(QPlainTextEdit, "paste-text")
    assert field is not None
    field.setPlainText(commands)
    qtbot.waitUntil(lambda: "joined by LVM" in _text(planning, "paste-said"))
    field.setPlainText(json.dumps(dump_plan(plan)))
    go = planning.findChild(QPushButton, "paste-plan")
    assert go is not None
    qtbot.waitUntil(go.isEnabled)
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    settle()
    assert _plan(planning) == plan


def test_another_choice_of_disks_cuts_them_anew(planning: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    planning.disks.toggle(sample.disk(1).id)
    settle()
    assert _levels(_plan(planning)) == [(Level.RAID5, 3), (Level.RAID1, 2)]


def test_a_rate_of_one_disk_holds_for_all_its_slices(planning: MainWindow, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    disk = sample.disk(3).id
    planning.plan.edit(
        lambda plan: plan.each_disk(
            lambda part: (
                Member(**{name: getattr(part, name) for name in part.__slots__} | {"afr": 0.2})
                if part.failure_unit == disk
                else part
            )
        )
    )
    assert [part.afr for part in _plan(planning).disks() if part.disk == disk] == [0.2, 0.2]
    _click(planning, qtbot, "level-raid6")
    assert [part.afr for part in _plan(planning).disks() if part.id == disk] == [0.2]
    _click(planning, qtbot, "bands-1")
    assert {part.afr for part in _plan(planning).disks() if part.disk == disk} == {0.2}


@pytest.mark.parametrize("form", list(FORMS))
def test_every_form_is_exported(
    planning: MainWindow,
    session: FakeSession,
    qtbot: QtBot,
    tmp_path: Path,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exporting, "runs_of", lambda _plan, _uuid: ())
    _by_parity(planning, qtbot)
    button = planning.findChild(QPushButton, "command-export")
    assert button is not None
    button.menu().aboutToShow.emit()
    action = button.menu().findChild(QAction, f"export-{form}")
    assert action is not None
    action.trigger()
    dialog = planning.findChild(QFileDialog, "export-dialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "export"))
    dialog.close()
    written = (tmp_path / "export").read_bytes()
    if form == "report":
        page = written.decode()
        assert page.count("<svg") == len(_plan(planning).top.inner)
        assert page.count("<td>VK0ABCD3</td>") == 1  # each disk once
        assert "stay free until another disk of 12 TB" in page
    assert written.startswith(b"%PDF") if FORMS[form].is_printed else b"tank" in written


def test_the_command_bar_explains_each_program(planning: MainWindow, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    bar = planning.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert "lvcreate" in bar.text
    words = {label.text(): label.toolTip() for label in bar.findChildren(QLabel)}
    assert words["sfdisk"] == "The program that writes partition tables."
    assert all(words[name] for name in ("pvcreate", "vgcreate", "lvcreate"))
    assert any(text.startswith("printf") and hint for text, hint in words.items())


def test_the_review_lists_the_partition_tables(planning: MainWindow, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    _click(planning, qtbot, "plan-next")
    table = planning.findChild(Table, "review-table")
    assert table is not None
    model = table.model()
    assert model.rowCount() == 4
    row = [str(model.index(3, column).data()) for column in range(model.columnCount())]
    assert any("2 for “tank-1”" in cell for cell in row)
    command = planning.findChild(QPlainTextEdit, "build-command")
    assert command is not None
    assert command.toPlainText().count("sfdisk") == 4
    shell = command.toPlainText().replace(" \\\n    ", " ").replace(" &&\n", "\n")
    assert shell.splitlines() == [
        one.shell() for one in planning.stations.build.model.commands
    ]  # no break within quotes
    assert "overwrites the partition table" in _text(planning, "build-warning")
    assert not planning.stations.build.model.missing
    edit = planning.findChild(QLineEdit, "build-confirm")
    assert edit is not None
    qtbot.keyClicks(edit, "tank")
    build = planning.findChild(QPushButton, "build-button")
    assert build is not None
    assert build.isEnabled(), _text(planning, "build-step")


def test_the_shoot_out_leaves_joined_arrays_out_and_says_so(planning: MainWindow, qtbot: QtBot) -> None:
    _by_parity(planning, qtbot)
    planning.show_station(Station.PROVE)
    settle()
    assert planning.stations.prove.model.offered
    assert not any(plan.volume for plan in planning.stations.prove.model.offered)
    assert _find(planning, "prove-left-out") is not None


def test_the_walk_picks_it(planning: MainWindow, qtbot: QtBot) -> None:
    _click(planning, qtbot, "plan-walk")
    for choice in ("1", "files", "no"):
        _click(planning, qtbot, f"walk-choice-{choice}")
    card = _find(planning, "walk-card-space")
    assert card is not None
    said = " ".join(label.text() for label in card.findChildren(QLabel))
    assert "Joined arrays: RAID 5 ×4 + RAID 1 ×2" in said
    assert "Because it uses all of your disks that can be protected and it has 4 TB more space, but " in said
    _click(planning, qtbot, "walk-choice-space")
    assert _levels(_plan(planning)) == [(Level.RAID5, 4), (Level.RAID1, 2)]
    assert {band.chunk_kib for band in _plan(planning).top.inner if band.level.is_chunked} == {128}
    _click(planning, qtbot, "walk-choice-128")
    assert _stage(planning).picture is not None


def test_bands_are_explained(planning: MainWindow, qtbot: QtBot) -> None:
    _click(planning, qtbot, "explain-bands")
    assert _find(planning, "explanation") is not None


def test_a_gone_disk_is_shown_and_replaced(planning: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    plan = _by_parity(planning, qtbot)
    gone = sample.disk(3).id
    disks = tuple(disk for disk in sample.unlike_disks().disks if disk.id != gone)
    new = sample.disk(7, 12, model="Seagate ST12000VN0008")
    session.show(Snapshot((*disks, new)))
    settle()
    stage = _stage(planning)
    assert stage.picture is not None
    assert [disk.is_absent for disk in stage.picture.scene.disks] == [False, False, False, True]
    _click(planning, qtbot, "gone-another")
    planning.disks.toggle(new.id)
    settle()
    disks_now = [disk.serial for disk in whole_disks(_plan(planning).top)]
    assert disks_now == ["VK0ABCD0", "VK0ABCD1", "VK0ABCD2", "VK0ABCD7"]
    assert _levels(_plan(planning)) == _levels(plan)
    assert [part.size_bytes for part in _plan(planning).disks()] == [part.size_bytes for part in plan.disks()]


def arrays_of(
    plan: Plan, volume: JoinedVolume | None, *more: dict[str, object], lost: frozenset[tuple[int, int]] = frozenset()
) -> tuple[Array, ...]:
    """Return the arrays of the built ``plan``, with the fields of ``more``; ``lost`` are places: array and slot."""
    sectors = capacity_of(plan.top).member_sectors
    return tuple(
        Array(
            uuid=f"{place:08x}:00000000:00000000:00000000",
            name=f"{plan.name}-{place}",
            device=f"/dev/md{127 - place}",
            level=str(band.level),
            size_bytes=sectors[place] * 512,
            chunk_kib=512,
            running=True,
            members=tuple(band.disks()),
            slots=len(band.members),
            volume=volume,
            places=tuple(
                ArrayDevice(slot, "", ("in_sync",), member)
                for slot, member in enumerate(band.disks())
                if (place, slot) not in lost
            ),
            **({"degraded": 0} | more[place]),  # type: ignore[arg-type]
        )
        for place, band in enumerate(plan.top.inner)
    )


def build_by_clicks(window: MainWindow, session: FakeSession, qtbot: QtBot) -> tuple[Plan, JoinedVolume]:
    """Plan by clicks, build, and return the plan and its volume, as the helper says."""
    plan = _by_parity(window, qtbot)
    _click(window, qtbot, "plan-next")
    edit = window.findChild(QLineEdit, "build-confirm")
    assert edit is not None
    qtbot.keyClicks(edit, "tank")
    _click(window, qtbot, "build-button")
    job = next(job for job in session.record.jobs if job.what == "CreateArray")
    assert job.done is not None
    capacity = capacity_of(plan.top)
    volume = JoinedVolume("tank", "/dev/dm-0", capacity.array_bytes)
    uuid = arrays_of(plan, volume, {}, {})[0].uuid
    job.done(BuildResult(volume.device, uuid, capacity.array_sectors, 0, "lvcreate …", build_id="b" * 32))
    return plan, volume


def test_a_built_volume_is_shown_as_one_array(planning: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    plan, volume = build_by_clicks(planning, session, qtbot)
    syncing = {"sync_action": "resync", "sync_fraction": 0.5, "sync_bytes_per_s": 10**8, "sync_seconds_left": 60}
    bands = arrays_of(plan, volume, syncing, {"sync_action": "resync"})
    session.show(Snapshot(sample.unlike_disks().disks, bands))
    settle()
    assert _text(planning, "built-verdict") == "✓ as planned"
    assert f"{volume.size_bytes // 512:,} sectors" in _text(planning, "built-sectors")
    assert "/dev/tank/data · /dev/dm-0 · UUID" in _text(planning, "built-where")
    share = 0.5 * bands[0].size_bytes / sum(band.size_bytes for band in bands)
    assert f"First sync of all two arrays: {share:.1%} done · 100 MB/s" in _text(planning, "built-sync")
    assert planning.stations.build.model.array is not None
    assert planning.stations.build.model.array.named == Named(bands[0].uuid, "tank")
    assert not planning.stations.build.model.has_other_disks
    undo = planning.findChild(QPushButton, "built-undo")
    assert undo is not None
    assert undo.isEnabled()
    assert planning.stations.build.model.next_steps.array == Named(bands[0].uuid, "tank")
    mounted = replace(volume, mounted_at="/srv/tank")
    session.show(Snapshot(sample.unlike_disks().disks, arrays_of(plan, mounted, {}, {})))
    assert "In sync" in _text(planning, "built-sync")
    assert "Mounted at /srv/tank" in _text(planning, "check-place")
    targets = [target.title for target in planning.stations.measure.model.targets if target.is_array]
    assert targets == ["tank"]


def test_a_stopped_volume_is_started_by_one_click(planning: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    plan, volume = build_by_clicks(planning, session, qtbot)
    running = arrays_of(plan, volume, {}, {})
    session.show(Snapshot(sample.unlike_disks().disks, running))
    (tank,) = planning.stations.arrays.model.arrays
    planning.stations.arrays.model.open(tank, Act.STOP)
    planning.stations.arrays.model.type_name("tank")
    planning.stations.arrays.model.confirm()
    stop = session.record.jobs[-1]
    assert stop.arguments == (StopArray(tank.named),)
    assert stop.done is not None
    stop.done(Stopped())
    slices = [tuple(f"/dev/sd{slot}{place}" for slot in range(band.slots)) for place, band in enumerate(running)]
    stopped = tuple(
        replace(band, running=False, device="", volume=None, places=(), member_devices=slices[place])
        for place, band in enumerate(running)
    )
    session.show(Snapshot(sample.unlike_disks().disks, stopped))
    (tank,) = planning.stations.arrays.model.arrays
    assert (tank.name, buttons_of(tank).shown) == ("tank", (ArrayAction.START,))
    assert "Its arrays are started together" in state_line(tank).sentence
    planning.stations.arrays.model.start(tank)
    assert session.record.jobs[-1].arguments == (StartVolume(tank.named, tuple(band.named for band in stopped)),)
    assert "It doesn't run" in _text(planning, "built-sync")
