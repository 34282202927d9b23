"""The steps after a build: one visible step, nothing written without a preview, every refusal shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.protocol.facts import AlertFacts
from raidwright.core.protocol.results import (
    ArraySettings,
    BuildResult,
    Configured,
    MadeFileSystem,
    Mounted,
    Preview,
    Unmounted,
)
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Lasting, Tuning
from raidwright.machine.values import Lack, Named
from raidwright.operations.system import (
    Configuration,
    MakeFileSystem,
    Mount,
    PreviewConfiguration,
    RestoreConfiguration,
    Tune,
    Unmount,
    WriteConfiguration,
)
from raidwright.ui.after_build.next_steps import NextStep
from raidwright.ui.alerts.dialog import AlertsDialog
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import Asked, FakeSession

_Widget = TypeVar("_Widget", bound=QWidget)
TANK = Named(sample.ARRAY_UUID, "tank")
MADE = MadeFileSystem("/dev/md127", FileSystemKind.XFS, "0a1b", 256, 1024, "mkfs.xfs", ())
MOUNTED = Mounted("/srv/tank", FileSystemKind.XFS, "systemd-mount")
PREVIEW = Preview("token", ("--- /etc/fstab", "+++ /etc/fstab", "+UUID=0a1b /srv/tank xfs"), True, ("check.timer",))


@pytest.fixture
def built(window: MainWindow, session: FakeSession, qtbot: QtBot) -> MainWindow:
    """The window with an array that has just been built."""
    window.disks.choose_all()
    window.show_station(Station.BUILD)
    window.stations.build.model.type_name("tank")
    window.stations.build.model.build()
    done = session.record.jobs.pop().done
    assert done is not None
    done(BuildResult("/dev/md127", sample.ARRAY_UUID, 1, 1, "mdadm", (), "build-1"))
    return window


def _find(window: MainWindow, kind: type[_Widget], name: str) -> _Widget:
    found = window.findChild(kind, name)
    assert found is not None
    return found


def _click(window: MainWindow, name: str, qtbot: QtBot) -> None:
    qtbot.mouseClick(_find(window, QPushButton, name), Qt.MouseButton.LeftButton)


def _answer(session: FakeSession) -> Asked:
    return session.record.jobs.pop()


def _in_sight(window: MainWindow) -> set[str]:
    names = ("next-make", "next-mount", "next-show", "next-write", "next-put-back")
    return {name for name in names if _find(window, QPushButton, name).isVisible()}


def _done(asked: Asked, result: object) -> None:
    assert asked.done is not None
    asked.done(result)


def test_another_array_is_planned_from_there(built: MainWindow, qtbot: QtBot) -> None:
    findings = _find(built, QWidget, "disks-findings")
    built.show_station(Station.DISKS)
    assert [one.text() for one in findings.findChildren(QLabel) if one.isVisible()] == [
        "Choose disks, and what is worth knowing about them appears here."
    ]
    built.show_station(Station.BUILD)
    _click(built, "built-another", qtbot)
    assert _find(built, QWidget, "disks-station").isVisible()
    built.disks.choose_all()
    assert built.plan.can_edit


def test_one_step_after_the_other(built: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    assert _in_sight(built) == {"next-make"}
    _find(built, QComboBox, "next-kind").setCurrentText("xfs")
    _click(built, "next-make", qtbot)
    asked = _answer(session)
    assert asked.arguments == (MakeFileSystem(TANK, FileSystemKind.XFS, "tank"),)
    assert not _find(built, QPushButton, "next-make").isEnabled()
    _done(asked, MADE)
    assert not _find(built, QPushButton, "built-undo").isEnabled()
    assert _in_sight(built) == {"next-mount"}
    assert _find(built, QLineEdit, "next-folder").text() == "/srv/tank"
    _click(built, "next-mount", qtbot)
    asked = _answer(session)
    assert asked.arguments == (Mount(TANK, "/srv/tank"),)
    _done(asked, MOUNTED)
    assert _in_sight(built) == {"next-show"}
    qtbot.keyClicks(_find(built, QLineEdit, "next-mail"), "me@example.org")
    _click(built, "next-show", qtbot)
    wishes = Configuration(place="/srv/tank", mail="me@example.org")
    asked = _answer(session)
    assert asked.arguments == (PreviewConfiguration(TANK, wishes),)
    _done(asked, PREVIEW)
    assert _in_sight(built) == {"next-write"}
    shown = _find(built, QPlainTextEdit, "next-difference").toPlainText()
    assert shown == "\n".join((*PREVIEW.difference, "", "Switched on then, too: check.timer."))
    _click(built, "next-write", qtbot)
    asked = _answer(session)
    assert asked.arguments == (WriteConfiguration(TANK, wishes, "token"),)
    _done(asked, Configured(("/etc/fstab",), ()))
    assert _in_sight(built) == {"next-put-back"}
    _click(built, "next-give-up", qtbot)
    asked = _answer(session)
    assert asked.arguments == (Tune(TANK, Tuning(error_recovery_s=7), Lasting.ALWAYS),)
    _done(asked, ArraySettings({}, (), (), ()))
    assert not _find(built, QPushButton, "next-give-up").isVisible()
    _click(built, "next-put-back", qtbot)
    asked = _answer(session)
    assert asked.arguments == (RestoreConfiguration(),)
    _done(asked, Configured(("/etc/fstab",), ()))
    assert _in_sight(built) == {"next-show"}


def test_a_refusal_is_told_and_the_step_stays(built: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _click(built, "next-make", qtbot)
    failed = _answer(session).failed
    assert failed is not None
    failed(JobFailed("mkfs ended with code 1."))
    assert "mkfs ended with code 1." in _find(built, QLabel, "next-failure").text()
    assert _in_sight(built) == {"next-make"}
    assert _find(built, QPushButton, "next-make").isEnabled()


def _mounted(built: MainWindow, session: FakeSession) -> None:
    steps = built.stations.build.model.next_steps
    for result in (MADE, MOUNTED):
        steps.mount("/srv/tank")
        _done(_answer(session), result)
    assert _find(built, QPushButton, "next-unmount").isVisible()


def test_what_was_mounted_can_be_unmounted(built: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    assert not _find(built, QPushButton, "next-unmount").isVisible()
    _mounted(built, session)
    _click(built, "next-unmount", qtbot)
    asked = _answer(session)
    assert asked.arguments == (Unmount(TANK),)
    assert asked.failed is not None
    asked.failed(JobFailed("The array is still mounted at /srv/tank: something uses it.", code="mount-busy"))
    assert "something uses it" in _find(built, QLabel, "next-failure").text()
    _click(built, "next-unmount", qtbot)
    _done(_answer(session), Unmounted("/srv/tank", FileSystemKind.XFS, "systemd-umount"))
    assert _in_sight(built) == {"next-mount"}
    assert not _find(built, QPushButton, "next-unmount").isVisible()


def test_what_was_unmounted_elsewhere_is_seen(built: MainWindow, session: FakeSession) -> None:
    _mounted(built, session)
    whole = sample.machine()
    session.show(whole)  # the machine has not yet seen it mounted
    session.show(replace(whole, arrays=(sample.array(1, mounted_at="/srv/tank"),)))
    assert _in_sight(built) == {"next-show"}
    session.show(replace(whole, arrays=(sample.array(1),)))
    assert _in_sight(built) == {"next-mount"}


def test_what_changed_since_is_shown_anew_before_it_is_written(built: MainWindow, session: FakeSession) -> None:
    steps = built.stations.build.model.next_steps
    for result in (MADE, MOUNTED, PREVIEW):
        steps.write_files() if steps.preview else steps.mount("/srv/tank")
        _done(_answer(session), result)
    steps.write_files()
    failed = _answer(session).failed
    assert failed is not None
    failed(DiskRefused("A file has changed.", code="configuration-changed"))
    assert steps.stage is NextStep.FILES
    assert _in_sight(built) == {"next-show"}


def test_another_array_begins_at_the_beginning(built: MainWindow, session: FakeSession) -> None:
    steps = built.stations.build.model.next_steps
    steps.make(FileSystemKind.EXT4, "")
    _done(_answer(session), MADE)
    steps.begin(Named("other", "pool"))
    assert (steps.stage, steps.made) == (NextStep.FILE_SYSTEM, None)
    assert _in_sight(built) == {"next-make"}


def test_what_comes_next_stays_while_a_disk_is_missing(built: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    now = sample.array(16 * 10**12, level="raid6", sync_action="idle")
    session.show(replace(sample.machine(), arrays=(now,)))
    _find(built, QWidget, "next-card")
    session.show(replace(sample.machine(), arrays=(replace(now, degraded=1, lacks=(Lack(3),)),)))
    assert "degraded" in _find(built, QLabel, "built-verdict").text()
    assert _find(built, QWidget, "next-card").isVisible()


def test_undo_is_closed_once_a_disk_was_replaced(built: MainWindow, session: FakeSession) -> None:
    own = tuple(disk.as_member() for disk in sample.machine().disks[:4])
    now = sample.array(16 * 10**12, level="raid6", members=own)
    session.show(replace(sample.machine(), arrays=(now,)))
    undo = _find(built, QPushButton, "built-undo")
    assert undo.isEnabled()
    assert "first and last megabytes" in _find(built, QLabel, "built-sync").text()
    session.show(replace(sample.machine(), arrays=(replace(now, members=(*own[:3], sample.disk(8).as_member())),)))
    assert not undo.isEnabled()
    assert "another disk" in _find(built, QLabel, "built-undo-why-not").text()
    assert "what is synchronised until then" not in _find(built, QLabel, "built-sync").text()


def _ticked(window: MainWindow) -> list[str]:
    checklist = _find(window, QWidget, "checklist")
    assert checklist.isVisible()
    shown = [one.text() for one in checklist.findChildren(QLabel) if one.isVisible()]
    return [text.removeprefix("✓  ") for text in shown if text.startswith("✓")]


def test_what_is_next_stays_in_the_window_when_a_disk_is_lost(built: MainWindow, session: FakeSession) -> None:
    built.stations.build.model.next_steps.mount("/srv/tank")
    _done(_answer(session), MOUNTED)
    built.stations.build.model.next_steps.show_files("")
    _done(_answer(session), PREVIEW)
    built.stations.build.model.next_steps.write_files()
    _done(_answer(session), Configured(("/etc/fstab",)))
    array = sample.array(24 * 10**12, mounted_at="/srv/tank", degraded=1, lacks=(Lack(2),), slots=4)
    session.show(replace(sample.machine(), arrays=(array,)))
    assert _ticked(built) == ["File system", "Mounted at /srv/tank", "Starts with the computer"]
    _find(built, QPushButton, "next-unmount").click()
    asked = _answer(session)
    assert asked.arguments == (Unmount(TANK),)
    _done(asked, Unmounted("/srv/tank", FileSystemKind.XFS, "umount"))
    session.show(replace(sample.machine(), arrays=(replace(array, mounted_at=""),)))
    assert _ticked(built) == ["File system", "Starts with the computer"]
    assert _find(built, QPushButton, "next-mount").isVisible()
    built.stations.build.model.next_steps.mount("/srv/tank")
    _done(_answer(session), MOUNTED)
    assert built.stations.build.model.next_steps.stage is NextStep.DONE  # its lines are still in the files


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
def test_the_checklist_says_who_is_told_and_asks_again_after_each_step(
    built: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    assert _find(built, QPushButton, "built-messages").isHidden()  # the helper hasn't said

    def tell(facts: AlertFacts) -> None:
        done = session.record.alerts[-1].done
        assert done is not None
        done(facts)

    tell(AlertFacts())
    assert _find(built, QLabel, "check-told").text() == "○  Mail or a webhook when a disk fails"
    _click(built, "built-messages", qtbot)
    _find(built, AlertsDialog, "alerts").close()
    asked = len(session.record.alerts)
    built.stations.build.model.next_steps.make(FileSystemKind.EXT4, "")
    _done(_answer(session), MADE)
    assert len(session.record.alerts) == asked + 1
    tell(AlertFacts(mail="root", watches=True))  # without a mail server
    assert _find(built, QLabel, "check-told").text() == "○  Nobody is told when a disk fails."
    tell(AlertFacts(mail="root", watches=True, webhook="https://ntfy.sh", is_called=True))
    assert "Told when a disk fails: https://ntfy.sh." in _ticked(built)


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
def test_the_checklist_follows_each_step_and_the_card(built: MainWindow, session: FakeSession, tmp_path: Path) -> None:
    assert _ticked(built) == []
    session.show(replace(sample.machine(), arrays=(sample.array(16 * 10**12, sync_action="idle"),)))
    assert _ticked(built) == ["Synchronised"]
    steps = built.stations.build.model.next_steps
    steps.make(FileSystemKind.EXT4, "")
    _done(_answer(session), MADE)
    assert _ticked(built)[1].startswith("File system: ")
    steps.mount("/srv/tank")
    _done(_answer(session), MOUNTED)
    steps.show_files("root@example.org")
    _done(_answer(session), PREVIEW)
    steps.write_files()
    _done(_answer(session), Configured(("/etc/fstab",)))
    _find(built, QPushButton, "built-card").click()
    dialog = _find(built, QFileDialog, "built-card-dialog")
    dialog.fileSelected.emit(str(tmp_path / "card.txt"))
    dialog.close()
    assert _ticked(built)[2:] == [
        "Mounted at /srv/tank",
        "Starts with the computer",
        "Told when a disk fails: root@example.org.",
        "Recovery card saved, to be kept apart from these disks",
    ]
    log = _find(built, QPlainTextEdit, "built-log")
    assert not log.isVisible()
    _find(built, QPushButton, "built-log-toggle").click()
    assert log.isVisible()
    assert MADE.command in log.toPlainText()
