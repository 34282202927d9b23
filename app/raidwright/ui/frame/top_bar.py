"""The top bar: the machine (purple for practice only), undo and redo, and help."""

from __future__ import annotations

import functools
from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.values import Snapshot
from raidwright.text.catalogue import ntr, tr, translated, with_commas
from raidwright.ui import tokens
from raidwright.ui.help.menu import HelpButton
from raidwright.ui.station import Station
from raidwright.ui.theme import tokens_for
from raidwright.ui.widgets import icons
from raidwright.ui.widgets.panel import label, restyle

from .menu import WindowMenu


class TopBar(QFrame):
    """The bar. ``…_wanted`` are signals of the machine's menu (``far_wanted`` carries an address).

    ``undo`` and ``redo`` are actions, ``help`` and ``menu`` buttons. ``recent`` returns the addresses of machines over
    ssh, each time the menu is opened.
    """

    local_wanted = Signal()
    far_wanted = Signal(str)
    another_wanted = Signal()
    practice_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("top-bar")
        self._connection = Connection()
        self._count = 0
        self._is_lost = False
        self.recent: Callable[[], tuple[str, ...]] = tuple
        self._pill = QToolButton(self)
        self._pill.setObjectName("machine-pill")
        self._pill.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._pill.setMenu(self._machines())
        self._hint = label("", "dim", name="machine-hint")
        self._saved = label("", "dim", name="plan-name")
        self.undo = self._action("undo", tr("Undo"), "Ctrl+Z")
        self.redo = self._action("redo", tr("Redo"), "Ctrl+Shift+Z")
        self._buttons = {icons.undo: self._tool(self.undo), icons.redo: self._tool(self.redo)}
        self.menu = WindowMenu(self)
        self.addActions(self.menu.actions())
        self._menu_button = QToolButton(self)
        self._menu_button.setObjectName("window-menu-button")
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu_button.setMenu(self.menu)
        self._menu_button.setToolTip(tr("Menu"))
        self._menu_button.setAccessibleName(tr("Menu"))
        box = QHBoxLayout(self)
        box.setContentsMargins(tokens.SPACE_L, tokens.SPACE_S, tokens.SPACE_L, tokens.SPACE_S)
        box.setSpacing(tokens.SPACE_M)
        for part in (label("Raidwright", "brand"), self._pill, self._hint):
            box.addWidget(part)
        box.addStretch(1)
        box.addWidget(self._saved)
        for tool in self._buttons.values():
            box.addWidget(tool)
        self.help = HelpButton(self)
        box.addWidget(self.help)
        box.addWidget(self._menu_button)
        self._say()

    def show_connection(self, connection: Connection) -> None:
        """Show the machine and the state of the connection."""
        self._connection = connection
        self._say()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show its number of disks, or that it is unreachable."""
        now = (len(snapshot.disks), bool(snapshot.problem))
        if now != (self._count, self._is_lost):
            self._count, self._is_lost = now
            self._say()

    def show_station(self, station: Station) -> None:
        """Let F1 open the help on this station."""
        self.help.station = station

    def show_plan_name(self, name: str) -> None:
        """Show the name of the planned array."""
        self._saved.setText(name)

    def _say(self) -> None:
        now = self._connection
        title = tr("Practice machine") if now.is_practice else translated(now.title) or tr("No machine")
        if now.state is ConnectionState.CONNECTED and self._is_lost:
            more = tr("not reached")
        elif now.state is ConnectionState.CONNECTED or (now.state is ConnectionState.CONNECTING and self._count):
            more = ntr("1 disk", "{count} disks", self._count)
        else:
            more = {
                ConnectionState.STARTING: tr("starting …"),
                ConnectionState.CONNECTING: tr("connecting …"),
                ConnectionState.FAILED: tr("not reached"),
            }.get(now.state, "")
        self._pill.setText(f"●  {title}" + (f" · {more}" if more else "") + "  ▾")
        self._pill.setAccessibleName(tr("Machine: {machine}", machine=with_commas(title, more)))
        self._hint.setText(tr("Nothing here can touch a real disk") if now.is_practice else "")
        if self._pill.property("practice") != now.is_practice:
            self._pill.setProperty("practice", now.is_practice)
            restyle(self._pill)

    def _machines(self) -> QMenu:
        menu = QMenu(self)
        menu.setObjectName("machine-menu")
        here = menu.addAction(tr("This computer"))
        here.setObjectName("machine-local")
        here.triggered.connect(self.local_wanted)
        another = menu.addAction(tr("Another machine, by ssh …"))
        another.setObjectName("machine-another")
        another.triggered.connect(self.another_wanted)
        menu.aboutToShow.connect(lambda: self._list_recent(menu, another))
        practice = menu.addAction(tr("Practice machine …"))
        practice.setObjectName("machine-practice")
        practice.triggered.connect(self.practice_wanted)
        return menu

    def _list_recent(self, menu: QMenu, below: QAction) -> None:
        for action in menu.actions():
            if action.data():
                menu.removeAction(action)
                action.deleteLater()
        for address in self.recent():
            action = QAction(address, menu)
            action.setData(address)
            action.triggered.connect(functools.partial(self.far_wanted.emit, address))
            menu.insertAction(below, action)

    def _action(self, name: str, text: str, keys: str) -> QAction:
        action = QAction(text, self)
        action.setObjectName(name)
        action.setShortcut(keys)
        action.setToolTip(f"{text} ({keys})")
        action.setEnabled(False)
        self.addAction(action)
        return action

    def _tool(self, action: QAction) -> QToolButton:
        tool = QToolButton(self)
        tool.setObjectName(f"{action.objectName()}-button")
        tool.setDefaultAction(action)
        tool.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        tool.setAccessibleName(action.text())
        return tool

    def changeEvent(self, event: QEvent) -> None:
        """Qt: recolour the icons after a change of scheme; the first change colours them."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) and hasattr(self, "_buttons"):
            scheme = tokens_for(self.palette())
            for action, icon in ((self.undo, icons.undo), (self.redo, icons.redo)):
                action.setIcon(icons.qicon(icon, scheme.text))
            self._menu_button.setIcon(icons.qicon(icons.menu, scheme.text))
