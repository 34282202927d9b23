"""Help in the top bar: the documents by name, F1 for the present station, and information on the program."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

import PySide6
from PySide6 import QtWidgets
from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from raidwright import __version__
from raidwright.text.catalogue import tr, translated
from raidwright.ui.station import Station

from .documents import DOCUMENTS, GLOSSARY, GUIDE, LICENCES, OF_STATION

_IN_MENU = (
    GUIDE,
    GLOSSARY,
    "docs/command-line.md",
    "docs/figures.md",
    "docs/kernels.md",
    "SECURITY.md",
    "docs/security-proofs.md",
    "CHANGELOG.md",
)


class HelpButton(QToolButton):
    """The menu. ``wanted(str)`` names a document, ``report_wanted`` asks for the bug report.

    ``station`` is the one whose page F1 opens.
    """

    wanted = Signal(str)
    report_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("help-button")
        self.setText(tr("Help  ▾"))
        self.setAccessibleName(tr("Help"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.station = Station.DISKS
        self._about: QtWidgets.QMessageBox | None = None
        menu = QMenu(self)
        menu.setObjectName("help-menu")
        here = self._action(menu, "help-here", tr("On this station"), self._show_station)
        here.setShortcut(QKeySequence(QKeySequence.StandardKey.HelpContents))
        self.addAction(here)  # so that F1 works while the menu is closed
        menu.addSeparator()
        for name in _IN_MENU:
            self._action(menu, f"help-{name}", translated(DOCUMENTS[name]), functools.partial(self.wanted.emit, name))
        menu.addSeparator()
        self._action(menu, "help-report", tr("Copy for a bug report …"), self.report_wanted.emit)
        self._action(menu, "help-about", tr("About Raidwright"), self._say_about)
        self.setMenu(menu)

    def _action(self, menu: QMenu, name: str, text: str, act: Callable[[], None]) -> QAction:
        action = menu.addAction(text)
        action.setObjectName(name)
        action.triggered.connect(lambda _checked: act())
        return action

    def _show_station(self) -> None:
        self.wanted.emit(OF_STATION[self.station])

    def _say_about(self) -> None:
        about = QtWidgets.QMessageBox(self.window())
        about.setObjectName("about")
        about.setWindowTitle(tr("About Raidwright"))
        about.setText(tr("Raidwright {version}", version=__version__))
        about.setInformativeText(
            tr(
                "See every layout, prove it on your disks, build it safely.\n\n"
                "Free software under the GNU General Public License, version 3 or later, without any warranty.\n\n"
                "Python {python}, Qt for Python {qt}",
                python=".".join(map(str, sys.version_info[:3])),
                qt=PySide6.__version__,
            )
        )
        licences = about.addButton(tr("Licences"), QtWidgets.QMessageBox.ButtonRole.ActionRole)
        licences.clicked.connect(lambda: self.wanted.emit(LICENCES))
        about.setDefaultButton(about.addButton(QtWidgets.QMessageBox.StandardButton.Close))
        self._about = about
        about.open()
