"""The button that saves a picture as SVG or PNG, into a file chosen by the user."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QDir, QStandardPaths, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from raidwright.text.catalogue import tr

_KINDS = {"svg": "SVG (*.svg)", "png": "PNG (*.png)"}


class SaveButton(QPushButton):
    """The button. ``wanted(Path)`` carries the chosen file."""

    wanted = Signal(object)

    def __init__(self, name: str, base_name: str, parent: QWidget | None = None) -> None:
        super().__init__(tr("Save"), parent)
        self.setObjectName(f"{name}-save")
        self.setAccessibleName(tr("Save the picture"))
        self.setToolTip(tr("Save this picture, as it stands here"))
        self.setProperty("kind", "toggle")
        self._name, self.base_name = name, base_name
        menu = QMenu(self)
        for kind, words in (("svg", tr("As vectors (SVG) …")), ("png", tr("As pixels (PNG) …"))):
            action = menu.addAction(words)
            action.setObjectName(f"{name}-save-{kind}")
            action.triggered.connect(lambda _checked, kind=kind: self._ask(kind))
        self.setMenu(menu)

    def _ask(self, kind: str) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
        dialog = QFileDialog(self.window(), tr("Save the picture"), folder or QDir.homePath(), _KINDS[kind])
        dialog.setObjectName(f"{self._name}-save-dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(f"{self.base_name}.{kind}")
        dialog.fileSelected.connect(lambda name: self.wanted.emit(Path(name)))
        dialog.open()
