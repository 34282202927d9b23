"""The button that saves a picture as SVG or PNG, or a report as HTML or PDF, into a file chosen by the user."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QDir, QStandardPaths, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from raidwright.core.messages import say
from raidwright.text.catalogue import tr, translated

_KINDS = {"svg": "SVG (*.svg)", "png": "PNG (*.png)", "html": "HTML (*.html)", "pdf": "PDF (*.pdf)"}
_PLACES = QStandardPaths.StandardLocation
PICTURES, REPORTS = ("svg", "png"), ("html", "pdf")
_WAYS = {
    "svg": say("As vectors (SVG) …"),
    "png": say("As pixels (PNG) …"),
    "html": say("A report (HTML) …"),
    "pdf": say("A report (PDF) …"),
}


class SaveButton(QPushButton):
    """The button. ``wanted(Path)`` carries the chosen file."""

    wanted = Signal(object)

    def __init__(
        self, name: str, base_name: str, kinds: Sequence[str] = PICTURES, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Save"), parent)
        self.setObjectName(f"{name}-save")
        self.setAccessibleName(tr("Save the picture"))
        self.setToolTip(tr("Save this picture, as it stands here"))
        self.setProperty("kind", "toggle")
        self._name, self.base_name = name, base_name
        menu = QMenu(self)
        for kind in kinds:
            action = menu.addAction(translated(_WAYS[kind]))
            action.setObjectName(f"{name}-save-{kind}")
            action.triggered.connect(lambda _checked, kind=kind: self._ask(kind))
        self.setMenu(menu)

    def _ask(self, kind: str) -> None:
        is_report = kind in REPORTS
        place = _PLACES.DocumentsLocation if is_report else _PLACES.PicturesLocation
        folder = QStandardPaths.writableLocation(place)
        title = tr("Save the report") if is_report else tr("Save the picture")
        dialog = QFileDialog(self.window(), title, folder or QDir.homePath(), _KINDS[kind])
        dialog.setObjectName(f"{self._name}-save-dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(f"{self.base_name}.{kind}")
        dialog.fileSelected.connect(lambda name: self.wanted.emit(Path(name)))
        dialog.open()
