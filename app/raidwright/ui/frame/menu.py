"""The window's menu: plan files, settings, and Quit, with the usual shortcuts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from raidwright.text.catalogue import tr


class WindowMenu(QMenu):
    """The menu; its actions are its public attributes. ``recent_wanted`` carries a Path."""

    recent_wanted = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("window-menu")
        keys = QKeySequence.StandardKey
        self.another = self._action("menu-another", tr("New window"), keys.New)
        self.addSeparator()
        self.open = self._action("menu-open", tr("Open a plan …"), keys.Open)
        self._recent = QMenu(tr("Open a recent plan"), self)  # Python may take Qt's own object for deleted
        self.addMenu(self._recent)
        self._recent.setObjectName("menu-recent")
        self.paste = self._action("menu-paste", tr("Paste a command …"))
        self.save = self._action("menu-save", tr("Save the plan …"), keys.Save)
        self.addSeparator()
        self.again = self._action("menu-again", tr("Reconnect"))
        self.again.setShortcut(QKeySequence("F5"))  # while a machine is visible, its disks are followed automatically
        self.again.setEnabled(False)
        self.tour = self._action("menu-tour", tr("A tour: a disk fails …"))
        self.addSeparator()
        self.settings = self._action("menu-settings", tr("Settings …"))
        self.settings.setShortcut(QKeySequence("Ctrl+,"))  # Qt's standard key is empty on most desktops
        self.addSeparator()
        self.leave = self._action("menu-leave", tr("Quit"), keys.Quit)
        self.leave.setShortcut(QKeySequence("Ctrl+Q"))
        self.show_recent(())

    def show_recent(self, paths: Iterable[Path]) -> None:
        """Show the plan files ``paths``."""
        self._recent.clear()
        for path in paths:
            action = self._recent.addAction(path.name)
            action.setToolTip(str(path))
            action.triggered.connect(lambda _on=False, chosen=path: self.recent_wanted.emit(chosen))
        self._recent.setToolTipsVisible(True)
        self._recent.setEnabled(not self._recent.isEmpty())

    @Slot(bool)
    def set_can_open(self, can: bool) -> None:
        """Enable or disable opening another plan."""
        for action in (self.open, self.paste):
            action.setEnabled(can)
        self._recent.setEnabled(can and not self._recent.isEmpty())

    def _action(self, name: str, text: str, key: QKeySequence.StandardKey | None = None) -> QAction:
        action = QAction(text, self)
        self.addAction(action)
        action.setObjectName(name)
        if key is not None:
            action.setShortcut(QKeySequence(key))
        return action
