"""Machines over ssh in the window: chosen, remembered, with a password prompt, and lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.prompts import Asking, PromptRequest
from raidwright.machine.recent import RecentMachines
from raidwright.machine.values import Snapshot
from raidwright.ui.remote.password import PasswordDialog
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from .fake_session import FakeSession
from .places import settle

# Offscreen has no window manager that sets a dialog's size.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
_Part = TypeVar("_Part", bound=QWidget)
_ASKED = PromptRequest("server", "Authentication is needed to build “tank”.", "carol", "Password:")
_THERE = Connection("carol@server", state=ConnectionState.CONNECTED, far="ssh://carol@server")


@pytest.fixture(autouse=True)
def recent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecentMachines:
    """An empty list, not that of the user who runs the tests."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return RecentMachines()


def _asked(session: FakeSession) -> list[tuple[str, tuple[object, ...]]]:
    return [(job.what, job.arguments) for job in session.record.jobs]


def _part(window: MainWindow, kind: type[_Part], name: str) -> _Part:
    """Return the visible one: a closed dialog exists until Qt deletes it."""
    (found,) = (one for one in window.findChildren(kind, name) if one.isVisible())
    return found


def _type(window: MainWindow, qtbot: QtBot, name: str, text: str) -> None:
    field = _part(window, QLineEdit, name)
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def _choose(window: MainWindow, holds: Callable[[QAction], bool]) -> None:
    menu = window.findChild(QMenu, "machine-menu")
    assert menu is not None
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if holds(action)).trigger()


def test_another_machine_is_typed(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _choose(window, lambda action: action.objectName() == "machine-another")
    _type(window, qtbot, "far-address-field", "-oProxyCommand=x")
    assert "no address for ssh" in _part(window, QLabel, "far-address-refusal").text()
    assert not _asked(session)
    _part(window, QLineEdit, "far-address-field").clear()
    _type(window, qtbot, "far-address-field", "carol@server:2222")
    assert _asked(session) == [("connect", ("ssh://carol@server:2222", "admin"))]


def test_machines_that_were_reached_are_in_the_menu(
    window: MainWindow, session: FakeSession, recent: RecentMachines
) -> None:
    recent.note("ssh://carol@server")
    recent.note("ssh://nas")
    recent.note("ssh://carol@server")
    assert recent.addresses() == ("ssh://carol@server", "ssh://nas")
    _choose(window, lambda action: action.data() == "ssh://nas")
    assert _asked(session) == [("connect", ("ssh://nas", "admin"))]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"machines": 7}', '{"machines": ["ssh://-x"]}', "\0"])
def test_a_spoilt_list_is_an_empty_one(recent: RecentMachines, tmp_path: Path, text: str) -> None:
    recent.note("ssh://nas")
    (tmp_path / "raidwright" / "machines.json").write_text(text, encoding="utf-8")
    assert recent.addresses() == ()
    recent.note("ssh://nas")
    assert recent.addresses() == ("ssh://nas",)


def test_a_password_is_typed_and_kept_nowhere(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    session.asking_changed.emit(Asking(_ASKED))
    field = _part(window, QLineEdit, "far-password-field")
    assert field.echoMode() is QLineEdit.EchoMode.Password
    assert _part(window, QLabel, "far-password-what").text() == _ASKED.what
    assert _part(window, QLabel, "far-password-prompt").text() == "carol on server: Password:"
    _type(window, qtbot, "far-password-field", "right horse")
    assert _asked(session) == [("answer", ("right horse",))]
    assert not field.text()
    session.asking_changed.emit(Asking())
    session.asking_changed.emit(Asking(_ASKED._replace(complaint="That was not right.")))
    assert _part(window, QLabel, "far-password-complaint").isVisible()


def test_a_question_is_declined_or_taken_back(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    session.asking_changed.emit(Asking(_ASKED))
    qtbot.keyClick(_part(window, QLineEdit, "far-password-field"), Qt.Key.Key_Escape)
    assert _asked(session) == [("answer", (None,))]
    session.asking_changed.emit(Asking())
    session.asking_changed.emit(Asking(_ASKED))
    session.asking_changed.emit(Asking())  # polkit has given up
    assert not any(isinstance(one, PasswordDialog) and one.isVisible() for one in QApplication.topLevelWidgets())
    assert len(_asked(session)) == 1


def test_a_link_that_is_lost_is_said_at_every_station(window: MainWindow, session: FakeSession) -> None:
    session.reach(_THERE)
    session.show(Snapshot(problem="The connection to the machine was lost."))
    pill = window.findChild(QToolButton, "machine-pill")
    assert pill is not None
    assert "not reached" in pill.text()
    assert _part(window, QLabel, "link-what").isVisible()
    assert "carol@server" in _part(window, QLabel, "link-what").text()
    again = _part(window, QPushButton, "link-again")
    again.click()
    assert ("connect", ("ssh://carol@server", "admin")) in _asked(session)
    session.show(Snapshot())
    assert not again.isVisible()


def test_why_a_machine_is_not_reached_is_said_at_every_station(window: MainWindow, session: FakeSession) -> None:
    why = "ssh: Could not resolve hostname nohost.example: Name or service not known"
    session.reach(_THERE._replace(state=ConnectionState.FAILED, sentence=why))
    for station in Station:
        window.show_station(station)
        settle()
        assert "carol@server" in _part(window, QLabel, "link-what").text()
        assert why in _part(window, QLabel, "link-more").text()
    _part(window, QPushButton, "link-again").click()
    assert _asked(session)[-1] == ("connect", ("ssh://carol@server", "admin"))
    _part(window, QPushButton, "link-address").click()
    assert _part(window, QLineEdit, "far-address-field").text() == "carol@server"
    session.reach(_THERE)
    settle()
    assert not [one for one in window.findChildren(QLabel, "link-what") if one.isVisible()]


def test_the_dialog_stays_and_says_why_a_machine_is_not_reached(
    window: MainWindow, session: FakeSession, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = Connection("nohost.example", state=ConnectionState.CONNECTING, far="ssh://nohost.example")
    asked: list[str] = []

    def connect(address: str) -> None:
        asked.append(address)
        session.reach(there)

    monkeypatch.setattr(session, "connect_to", connect)
    _choose(window, lambda action: action.objectName() == "machine-another")
    _type(window, qtbot, "far-address-field", "nohost.example")
    go = _part(window, QPushButton, "far-address-go")
    assert (go.text(), go.isEnabled()) == ("Connecting …", False)
    why = "ssh: Could not resolve hostname nohost.example: Name or service not known"
    session.reach(there._replace(state=ConnectionState.FAILED, sentence=why))
    assert why in _part(window, QLabel, "far-address-refusal").text()
    assert (go.text(), go.isEnabled()) == ("Try again", True)
    go.click()
    assert asked == ["ssh://nohost.example"] * 2
    session.reach(there._replace(state=ConnectionState.FAILED, sentence=why))
    _part(window, QLineEdit, "far-address-field").setText("")
    qtbot.keyClicks(_part(window, QLineEdit, "far-address-field"), "x")
    assert go.text() == "Connect"
    assert not [one for one in window.findChildren(QLabel, "far-address-refusal") if one.isVisible()]
    _part(window, QLineEdit, "far-address-field").clear()
    _type(window, qtbot, "far-address-field", "nohost.example")
    session.reach(there._replace(state=ConnectionState.CONNECTED))
    settle()
    assert not [one for one in window.findChildren(QLineEdit, "far-address-field") if one.isVisible()]
