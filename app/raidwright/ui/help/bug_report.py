"""“Copy for a bug report”: a preview of the report, and the option to include serial numbers."""

from __future__ import annotations

import os

import PySide6
from PySide6.QtCore import QLibraryInfo, QLocale, Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QCheckBox, QDialog, QPlainTextEdit, QWidget

from raidwright.log import last_lines, log_path
from raidwright.operations.software import LookAtSoftware, Software
from raidwright.session import Session
from raidwright.text.catalogue import tr
from raidwright.text.reports.bug import Around, bug_report
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.panel import button, column, label, row

_SIZE = (760, 520)


class BugReportDialog(QDialog):
    """The dialog. Nothing is sent; the report is copied to the clipboard on request."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        title = tr("For a bug report")
        self.setObjectName("bug-report")
        self.setWindowTitle("Raidwright")
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        self._session, self._software = session, Software()
        self._text = QPlainTextEdit(self)
        self._text.setObjectName("bug-report-text")
        self._text.setAccessibleName(title)
        self._text.setReadOnly(True)
        self._text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._serials = QCheckBox(tr("With the disks' serial numbers"), self)
        self._serials.setObjectName("bug-report-serials")
        self._serials.toggled.connect(self._show)
        self._said = label("", "dim", name="bug-report-said")
        copy = button(tr("Copy"), "bug-report-copy", primary=True)
        copy.clicked.connect(self._copy)
        copy.setDefault(True)
        leave = button(tr("Close"), "bug-report-close")
        leave.clicked.connect(self.accept)
        ways = row(self._serials, self._said, spacing=SPACE_M)
        ways.addStretch(1)
        ways.addWidget(leave)
        ways.addSpacing(SPACE_S)
        ways.addWidget(copy)
        hint = tr(
            "Versions, disks and arrays in short, and the end of the log ({path}). Nothing is sent anywhere; look it "
            "through, copy it, and say in the report what you did and what you saw.",
            path=log_path(),
        )
        whole = column(label(title, "headline"), label(hint, "dim", wrap=True), spacing=SPACE_M)
        whole.addWidget(self._text, 1)
        whole.addLayout(ways)
        whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(whole)
        self._show()
        connection = session.connection
        is_here = not (connection.is_practice or connection.far)
        session.perform(LookAtSoftware(is_here), done=self._take_software, failed=lambda _error: None)

    @Slot(object)
    def _take_software(self, software: Software) -> None:
        self._software = software
        self._show()

    @Slot()
    def _show(self) -> None:
        report = bug_report(
            _around(),
            self._software,
            self._session.connection,
            self._session.snapshot,
            last_lines(),
            with_serials=self._serials.isChecked(),
        )
        self._text.setPlainText(report)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text.toPlainText())
        self._said.setText(tr("Copied"))


def _around() -> Around:
    screens = tuple(
        f"{screen.size().width()}×{screen.size().height()} at {screen.devicePixelRatio():.0%}"
        for screen in QGuiApplication.screens()
    )
    desktop = " ".join(filter(None, (os.environ.get("XDG_CURRENT_DESKTOP"), QGuiApplication.platformName())))
    qt = QLibraryInfo.version().toString()
    return Around(f"Qt {qt}, PySide6 {PySide6.__version__}", desktop, QLocale().name(), screens)
