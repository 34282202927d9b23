"""A pasted command on the Plan station: explained, planned on the machine's disks, or refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Member
from raidwright.ui.station import Station
from raidwright.ui.stations.plan.paste import PasteDialog
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import pseudo, sample
from tests.kit.pictures import still_window

from . import places
from .test_pseudo_language import NAMES, said_by

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture
def dialog(window: MainWindow) -> PasteDialog:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    button = window.findChild(QPushButton, "plan-paste")
    assert button is not None
    button.click()
    found = window.findChild(PasteDialog)
    assert found is not None
    return found


def _paste(dialog: PasteDialog, qtbot: QtBot, text: str, size: str = "") -> str:
    """Paste ``text``, enter the size if asked for; return the dialog's text."""
    field, said = dialog.findChild(QPlainTextEdit, "paste-text"), dialog.findChild(QLabel, "paste-said")
    size_field = dialog.findChild(QLineEdit, "paste-size")
    assert field is not None
    assert said is not None
    assert size_field is not None
    field.setPlainText(text)
    size_field.setText(size)
    dialog._read()
    return said.text()


def _button(dialog: PasteDialog) -> QPushButton:
    button = dialog.findChild(QPushButton, "paste-plan")
    assert button is not None
    return button


def test_a_command_on_the_machines_disks_becomes_the_plan(
    window: MainWindow, dialog: PasteDialog, qtbot: QtBot
) -> None:
    disks = [sample.disk(number) for number in (1, 2, 3)]
    nodes = " ".join(f"{disk.device}1" for disk in disks)
    said = _paste(dialog, qtbot, f"# mdadm –create /dev/md/media –level=5 -c128\n--raid-devices=3 {nodes}")
    assert "partitions" in said
    table = dialog.findChild(Table, "paste-words")
    assert table is not None
    assert table.model().rowCount() == 8
    assert _button(dialog).isEnabled()
    _button(dialog).click()
    plan = window.plan.draft.plan
    assert plan is not None
    assert (plan.array.level, plan.array.chunk_kib, plan.name) == (Level.RAID5, 128, "media")
    members = [member for member in plan.array.members if isinstance(member, Member)]
    assert [(member.id, member.serial) for member in members] == [(disk.id, disk.serial) for disk in disks]


def test_a_command_is_pasted_before_any_disk_is_chosen(window: MainWindow, qtbot: QtBot) -> None:
    window.show_station(Station.PLAN)
    assert window.plan.draft.plan is None
    places.press(window, "plan-notice-also")
    dialog = window.findChild(PasteDialog)
    assert dialog is not None
    _paste(dialog, qtbot, "mdadm -C /dev/md/pond -l1 -n2 /dev/xvdx /dev/xvdy", "4TB")
    _button(dialog).click()
    assert window.plan.draft.plan is not None
    assert window.plan.draft.plan.name == "pond"


def test_the_size_of_disks_that_are_not_here_is_asked_for(
    window: MainWindow, dialog: PasteDialog, qtbot: QtBot
) -> None:
    command = "mdadm -C /dev/md0 -l1 -n2 /dev/xvdx /dev/xvdy"
    assert "how large" in _paste(dialog, qtbot, command)
    assert not _button(dialog).isEnabled()
    assert "not a size" in _paste(dialog, qtbot, command, "huge")
    assert _paste(dialog, qtbot, command, "4TB") == ""
    _button(dialog).click()
    assert window.plan.draft.plan is not None
    assert {disk.id for disk in window.plan.draft.plan.disks()} == {"xvdx", "xvdy"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mdadm --create /dev/md0 --level=5 --raid-devices=3 /dev/sda", "says 3 devices and names 1"),
        ("mdadm --create /dev/md0 --level=1 --raid-devices=2 $DISKS", "“$DISKS”"),
        ("rm -rf /", "no mdadm --create"),
    ],
)
def test_what_is_not_understood_is_said_and_nothing_is_planned(
    dialog: PasteDialog, qtbot: QtBot, text: str, sentence: str
) -> None:
    assert sentence in _paste(dialog, qtbot, text)
    assert not _button(dialog).isEnabled()


def test_every_word_goes_by_the_catalogue(qtbot: QtBot, dressed: QApplication, tmp_path: Path) -> None:
    with pseudo.spoken(tmp_path):
        window = still_window()
        qtbot.addWidget(window)
        places.plan(window)
        places.press(window, "plan-paste")
        dialog = window.findChild(PasteDialog)
        assert dialog is not None
        _paste(dialog, qtbot, "yes | mdadm -C /dev/md0 -l5 --force -n4 /dev/sd[a-c]1 missing")
        texts = {text for widget in dialog.findChildren(QWidget) for text in said_by(widget)}
        window.close()
    assert any("⟦" in text for text in texts)
    assert not {text for text in texts if pseudo.english_in(text, NAMES)} - {"8TB", "missing"}  # typed text


def test_several_partitions_of_one_disk_are_refused(dialog: PasteDialog, qtbot: QtBot) -> None:
    device = sample.disk(1).device
    assert "twice" in _paste(dialog, qtbot, f"mdadm -C /dev/md0 -l1 -n2 {device}1 {device}2")
    assert not _button(dialog).isEnabled()


def test_a_recovery_is_explained_and_not_planned(dialog: PasteDialog, qtbot: QtBot) -> None:
    again = "mdadm -C /dev/md0 --assume-clean --readonly -l5 -n3 /dev/mapper/sda missing /dev/mapper/sdc"
    for command in (again, "mdadm --assemble --force /dev/md0 /dev/sd[abc]"):
        assert "overlays" in _paste(dialog, qtbot, command)
        assert not _button(dialog).isEnabled()
        findings = dialog.findChild(QWidget, "paste-findings")
        assert findings is not None
        assert any("A recovery" in one.text() for one in findings.findChildren(QLabel))
    assert "no new array" in _paste(dialog, qtbot, "mdadm /dev/md0 --add /dev/sdb")
