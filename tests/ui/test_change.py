"""The dialog of a change: ways beside each other, the steps of the chosen one, and the request that it makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QPushButton,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot
from raidwright.analysis.assessment import assess
from raidwright.analysis.reliability.loss import loss_of
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.bands import banded
from raidwright.core.lvm.values import VolumeGrowth
from raidwright.core.lvm.volume_changes import VolumeStanding
from raidwright.core.md.changes.values import ArrayContent, ChangeWish
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Plan
from raidwright.core.protocol.facts import ArrayFacts, ChangeGround
from raidwright.core.protocol.results import ArrayChanged
from raidwright.machine.values import Array, ArrayDevice, Snapshot
from raidwright.operations.changing import ChangeArray, ExamineGrowth, LookForChange
from raidwright.text.catalogue import decimal_size
from raidwright.text.plan.loss import chance_in_brief
from raidwright.ui.stations.arrays.actions import ArrayAction, buttons_of
from raidwright.ui.stations.arrays.change.dialog import ChangeDialog
from raidwright.ui.stations.arrays.change.model import ChangeModel
from raidwright.ui.stations.arrays.change.ways import WaysTable

from tests.kit import sample
from tests.kit.seen_volume import seen_volume

from .fake_session import FakeSession

_Kind = TypeVar("_Kind", bound=QWidget)
DISKS = [sample.disk(number) for number in range(4)]
PLAN = Plan(MdArray(Level.RAID5, tuple(disk.as_member() for disk in DISKS[:3]), "tank", bitmap=Bitmap.INTERNAL))
CAPACITY = capacity_of(PLAN.top)
GROUND = ChangeGround("ext4", "/srv/tank", "4.4", 0, CAPACITY.array_sectors, CAPACITY.array_sectors)


def known_array() -> Array:
    names = [disk.device.removeprefix("/dev/") for disk in DISKS[:3]]
    facts = ArrayFacts(
        layout="left-symmetric",
        metadata="1.2",
        bitmap="internal",
        consistency="bitmap",
        component_size_kib=CAPACITY.component_size_kib,
        level="raid5",
        slots=3,
        chunk_kib=512,
        size_bytes=CAPACITY.array_bytes,
        data_offset_sectors=tuple((name, CAPACITY.data_offset_sectors[0] or 0) for name in names),
    )
    places = tuple(
        ArrayDevice(slot, disk.device, ("in_sync",), disk.as_member()) for slot, disk in enumerate(DISKS[:3])
    )
    known = sample.array(CAPACITY.array_bytes, level="raid5", chunk_kib=512, sync_action="idle", slots=3)
    return replace(known, places=places, facts=facts)


@pytest.fixture
def dialog(qtbot: QtBot) -> Iterator[tuple[ChangeDialog, FakeSession]]:
    """The dialog on a raid5 of three with one free disk beside it, once the helper has looked."""
    session, parent = FakeSession(), QWidget()
    qtbot.addWidget(parent)
    shown = ChangeDialog(ChangeModel(session, known_array(), Snapshot((DISKS[3],))), parent)
    shown.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    asked = session.record.jobs[-1]
    assert asked.arguments == (LookForChange(known_array().named),)
    assert asked.done is not None
    asked.done(GROUND)
    yield shown, session
    parent.close()  # it lives as long as its dialog


def _part(dialog: QDialog, kind: type[_Kind], name: str) -> _Kind:
    found = dialog.findChild(kind, name)
    assert isinstance(found, kind)
    return found


def _steps(dialog: QDialog) -> str:
    return _part(dialog, QTextBrowser, "change-steps").toPlainText()


def _model(dialog: QDialog) -> ChangeModel:
    [model] = dialog.findChildren(ChangeModel)
    assert isinstance(model, ChangeModel)
    return model


def _column(dialog: QDialog, place: int) -> list[str]:
    model = _part(dialog, WaysTable, "change-ways").model()
    return [str(model.index(row, place).data()) for row in range(model.rowCount())]


def test_chunk_layout_members_and_consistency_are_asked_for_together(
    dialog: tuple[ChangeDialog, FakeSession],
) -> None:
    shown, session = dialog
    _part(shown, QComboBox, "change-chunk").setCurrentText("64 KiB")
    _part(shown, QComboBox, "change-consistency").setCurrentText("repair by a partial parity log")
    steps = _steps(shown)
    assert [word in steps for word in ("--chunk=64", "--bitmap=none", "--consistency-policy=ppl")] == [True] * 3
    name = _part(shown, QLineEdit, "change-name")
    name.setText("tank")
    name.textEdited.emit("tank")
    _part(shown, QPushButton, "change-go").click()
    [request] = session.record.jobs[-1].arguments
    assert isinstance(request, ChangeArray)
    goal = request.goal
    assert isinstance(goal, ChangeWish)
    assert (goal.level, goal.slots, goal.chunk_kib, goal.consistency) == (Level.RAID5, 3, 64, Consistency.PPL)
    _part(shown, QComboBox, "change-chunk").setCurrentIndex(0)
    _part(shown, QComboBox, "change-consistency").setCurrentIndex(0)
    assert "--chunk" not in _steps(shown)


def test_fewer_members_have_their_reason_where_something_would_be_cut_off(
    dialog: tuple[ChangeDialog, FakeSession],
) -> None:
    shown, _session = dialog
    fewer = _part(shown, QComboBox, "change-members")
    assert [fewer.itemText(place) for place in range(fewer.count())] == ["unchanged", "2 disks"]
    fewer.setCurrentIndex(1)
    assert "Shrink it first (resize2fs)" in _steps(shown)


def test_ways_are_beside_each_other_and_those_that_are_none_have_their_reason(
    dialog: tuple[ChangeDialog, FakeSession],
) -> None:
    shown, _session = dialog
    reasons = _column(shown, 8)
    assert "md has no way to raid10 from here." in reasons
    assert "Takes 1 more disk." in reasons
    assert _model(shown).chosen is None
    _part(shown, QCheckBox, "change-disk").setChecked(True)
    shapes = _column(shown, 0)
    assert shapes[:2] == ["today RAID 5 · 3 disks", "RAID 5 · 4 disks"]
    assert "RAID 6 · 4 disks" in shapes


def test_a_way_is_beside_the_array_as_it_is_by_the_same_figures(dialog: tuple[ChangeDialog, FakeSession]) -> None:
    shown, _session = dialog
    _part(shown, QCheckBox, "change-disk").setChecked(True)
    table = _part(shown, WaysTable, "change-ways")
    wider = next(row.way for row in _model(shown).rows if row.way and len(row.plan.array.members) == 4)
    today, after = assess(Plan(wider.before)), assess(Plan(wider.after))
    assert _column(shown, 1)[:2] == [decimal_size(one.capacity.array_bytes) for one in (today, after)]
    odds = [chance_in_brief(loss_of(one.plan).array.probability) for one in (today, after)]
    assert _column(shown, 5)[:2] == odds
    assert _column(shown, 2)[0] == "–"  # nothing to do
    table.row_activated.emit(2)
    assert _model(shown).chosen is _model(shown).rows[2].way
    table.row_activated.emit(0)
    assert _model(shown).chosen is _model(shown).rows[2].way


def test_the_chosen_way_has_its_commands(dialog: tuple[ChangeDialog, FakeSession]) -> None:
    _part(dialog[0], QCheckBox, "change-disk").setChecked(True)
    assert "mdadm --grow /dev/md/tank --raid-devices=4" in _steps(dialog[0])
    assert "resize2fs /dev/md/tank" in _steps(dialog[0])


def test_a_change_takes_the_typed_name_and_says_what_came_of_it(
    dialog: tuple[ChangeDialog, FakeSession], qtbot: QtBot
) -> None:
    shown, session = dialog
    _part(shown, QCheckBox, "change-disk").setChecked(True)
    go, name = _part(shown, QPushButton, "change-go"), _part(shown, QLineEdit, "change-name")
    qtbot.keyClicks(name, "tan")
    assert not go.isEnabled()
    qtbot.keyClicks(name, "k")
    go.click()
    [request] = session.record.jobs[-1].arguments
    assert isinstance(request, ChangeArray)
    goal = request.goal
    assert isinstance(goal, ChangeWish)
    assert (goal.level, goal.slots, goal.add) == (Level.RAID5, 4, (DISKS[3].as_member(),))
    assert not go.isEnabled()
    done = session.record.jobs[-1].done
    assert done is not None
    done(
        ArrayChanged(
            known_array().uuid, "raid5", 4, 3 * CAPACITY.array_sectors // 2, CAPACITY.component_size_kib, "ext4"
        )
    )
    said = shown.findChild(QWidget, "change-said")
    assert said is not None
    assert "RAID 5 on 4 disks now" in said.property("text")
    assert "ext4 on it has grown" in said.property("text")
    with qtbot.waitSignal(shown.card_wanted) as wanted:
        _part(shown, QPushButton, "change-card").click()
    assert wanted.args == [known_array().uuid]


def test_a_larger_disk_may_take_the_place_of_a_member(qtbot: QtBot) -> None:
    session, parent = FakeSession(), QWidget()
    qtbot.addWidget(parent)
    larger = replace(DISKS[3], size_bytes=2 * DISKS[3].size_bytes)
    shown = ChangeDialog(ChangeModel(session, known_array(), Snapshot((larger,))), parent)
    asked = session.record.jobs[-1]
    assert asked.done is not None
    asked.done(GROUND)
    _part(shown, QCheckBox, "change-disk").setChecked(True)
    place = _column(shown, 0).index("RAID 5 · 3 disks · 1 of 3 on larger disks")
    assert _column(shown, 8)[place].startswith("1 of 3 members are larger")
    _part(shown, WaysTable, "change-ways").row_activated.emit(place)
    assert "takes its place (1 of 3)" in _steps(shown)
    qtbot.keyClicks(_part(shown, QLineEdit, "change-name"), "tank")
    _part(shown, QPushButton, "change-go").click()
    [request] = session.record.jobs[-1].arguments
    assert isinstance(request, ChangeArray)
    assert isinstance(request.goal, ChangeWish)
    assert (request.goal.exchange, request.goal.add) == ((larger.as_member(),), ())


def test_a_joined_volume_has_one_way_to_all_that_it_can_use(qtbot: QtBot) -> None:
    plan = banded([replace(DISKS[0].as_member(), id=f"d{tb}", size_bytes=tb * 10**12) for tb in (4, 8, 12)], 1).plan
    volume, session, parent = seen_volume(Plan(replace(plan, name="tank"))), FakeSession(), QWidget()
    qtbot.addWidget(parent)
    new = replace(DISKS[3], size_bytes=12 * 10**12)
    assert ArrayAction.CHANGE in buttons_of(volume).more
    dialog = ChangeDialog(ChangeModel(session, volume, Snapshot((new,))), parent)
    asked = session.record.jobs[-1]
    assert asked.arguments == (ExamineGrowth(volume.named, tuple(band.named for band in volume.bands)),)
    assert asked.done is not None
    content = ArrayContent("ext4", "/srv/tank", capacity_of(plan).array_sectors)
    asked.done(VolumeStanding(content=content, size_sectors=capacity_of(plan).array_sectors))
    assert "adds nothing" not in _steps(dialog)
    assert not dialog.findChildren(QPushButton, "change-go")[0].isEnabled()
    _part(dialog, QCheckBox, "change-disk").setChecked(True)
    assert "mdadm --grow /dev/md/tank-0 --raid-devices=4" in _steps(dialog)
    assert "Make a new array above the others: RAID 1 · 2 disks" in _steps(dialog)
    assert "resize2fs /dev/tank/data" in _steps(dialog)
    qtbot.keyClicks(_part(dialog, QLineEdit, "change-name"), "tank")
    _part(dialog, QPushButton, "change-go").click()
    [request] = session.record.jobs[-1].arguments
    assert isinstance(request, ChangeArray)
    assert request.goal == VolumeGrowth((new.as_member(),), 4)
    done = session.record.jobs[-1].done
    assert done is not None
    done(ArrayChanged(volume.uuid, "joined", 4, 24 * 10**12 // 512, 0, "ext4"))
    said = dialog.findChild(QWidget, "change-said")
    assert said is not None
    assert "“tank” is on 4 disks now, 24.0 TB." in said.property("text")
