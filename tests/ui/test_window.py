"""The frame: stations created lazily, practice in its colour, accessible names, and pictures."""

from __future__ import annotations

import subprocess
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QTableView,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from raidwright.colours import DARK
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.ui import theme
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from tests.kit.pictures import measure, plan_raid10_far, stand, still_window

from .fake_session import PRACTICE, FakeSession


def test_the_rail_leads_to_every_station(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    for number, station in enumerate(Station, start=1):
        qtbot.keyClick(window, Qt.Key(ord("0") + number), Qt.KeyboardModifier.ControlModifier)

        def is_shown(name: str = f"{station}-station") -> bool:
            shown = window.findChild(QWidget, name)
            return shown is not None and shown.isVisible()

        qtbot.waitUntil(is_shown)


def test_practice_alone_is_purple(window: MainWindow, session: FakeSession) -> None:
    pill = window.findChild(QToolButton, "machine-pill")
    assert pill is not None
    assert pill.property("practice") is True
    assert "7 disks" in pill.text()
    session.reach(Connection("This computer", state=ConnectionState.CONNECTED))
    assert pill.property("practice") is False


def test_the_first_picture_needs_neither_numpy_nor_plots() -> None:
    script = (
        "import sys; from tests.kit.pictures import still_window; from PySide6.QtWidgets import QApplication;"
        "app = QApplication([]); window = still_window(); window.show(); app.processEvents();"
        "sys.exit(', '.join({'numpy', 'pyqtgraph', 'scipy'} & sys.modules.keys()) or 0)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_first_picture_makes_no_class_of_qt_that_it_does_not_need() -> None:
    """PySide makes each on demand, and all subclasses of QWidget at once for an unknown one."""
    script = (
        "import sys; from tests.kit.pictures import still_window; from PySide6 import QtWidgets;"
        "app = QtWidgets.QApplication([]); window = still_window(); window.show(); app.processEvents();"
        "sys.exit(', '.join({'QWizard', 'QStyle', 'QMessageBox'} & vars(QtWidgets).keys()) or 0)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_every_control_can_be_found_and_is_named(qtbot: QtBot, dressed: QApplication) -> None:
    window = still_window()
    qtbot.addWidget(window)
    window.show()
    plan_raid10_far(window)
    measure(window)
    for station in Station:
        window.show_station(station)
    controls = [
        control
        for kind in (QAbstractButton, QAbstractSlider, QComboBox, QLineEdit)
        for control in window.findChildren(kind)
        if not control.objectName().startswith("qt_") and not isinstance(control, QScrollBar)
    ]
    assert len(controls) > 40
    for control in controls:
        if isinstance(control.parent(), QTableView):
            continue  # the corner of a table, which Qt makes and hides
        assert control.objectName(), control
        assert control.accessibleName() or not control.isVisible(), control.objectName()
    window.close_unasked()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_station_is_drawn(qtbot: QtBot, dressed: QApplication, dark: bool) -> None:
    if dark:
        theme.apply(dressed, DARK)
    window = still_window()
    qtbot.addWidget(window)
    window.show()
    plan_raid10_far(window)
    stand(window)
    measure(window)
    pictures = set()
    for station in Station:
        window.show_station(station)
        pictures.add(bytes(window.grab().toImage().constBits()))
    assert len(pictures) == len(Station)
    window.close_unasked()


def test_closing_lets_go_of_the_session(session: FakeSession, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    monkeypatch.setattr(session, "close", lambda: closed.append(True))
    window = MainWindow(session)
    qtbot.addWidget(window)
    window.show()
    session.reach(PRACTICE)
    window.close()
    assert closed == [True]
