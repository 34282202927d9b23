"""The bar that says what was cut off, and offers the way back."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QLocale, Slot
from PySide6.QtWidgets import QFrame, QWidget

from ...machine.job_values import BuildRecord, BuildState
from .. import tokens
from ..panel import badge, button, column, label, row
from .model import PastModel


class PastBar(QFrame):
    """Shows itself only while there is something to say."""

    def __init__(self, model: PastModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("past-bar")
        self._model = model
        self._what = label("", "title", name="past-what", wrap=True)
        self._more = label("", "dim", name="past-more", wrap=True)
        self._failure = label("", "error", name="past-failure", wrap=True)
        self._undo = button(self.tr("Put the disks back as they were"), "past-undo", primary=True)
        self._undo.clicked.connect(model.undo)
        self._leave = button("", "past-leave")
        self._leave.clicked.connect(model.leave)
        self._tag = badge("", "warn")
        words = column(self._what, self._more, self._failure, spacing=tokens.SPACE_XS)
        line = row(spacing=tokens.SPACE_M)
        line.addWidget(self._tag)
        line.addLayout(words, 1)
        line.addWidget(self._undo)
        line.addWidget(self._leave)
        line.setContentsMargins(tokens.SPACE_L, tokens.SPACE_M, tokens.SPACE_L, tokens.SPACE_M)
        self.setLayout(line)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        record = self._model.record
        self._tag.setVisible(record is not None)
        if record is not None:
            failed = record.state is BuildState.FAILED
            self._tag.setText(self.tr("Failed") if failed else self.tr("Cut off"))
            self._what.setText(self._what_happened(record))
            self._more.setText(self._what_stands(record))
        else:
            self._what.setText(self._model.said)
        self._more.setVisible(record is not None)
        self._failure.setText(f"✕ {self._model.failure}" if self._model.failure else "")
        self._failure.setVisible(bool(self._model.failure))
        self._undo.setVisible(record is not None)
        self._undo.setEnabled(not self._model.is_undoing)
        self._undo.setText(
            self.tr("Putting them back …") if self._model.is_undoing else self.tr("Put the disks back as they were")
        )
        self._leave.setText(self.tr("Not now") if record is not None else self.tr("Close"))
        self._leave.setEnabled(not self._model.is_undoing)
        self.setVisible(record is not None or bool(self._model.said))

    def _what_happened(self, record: BuildRecord) -> str:
        if record.state is BuildState.FAILED:
            sentence = self.tr("“{name}” failed, and not all of its disks could be put back as they were.")
            return sentence.format(name=record.name)
        when = QLocale().toString(QDateTime.fromSecsSinceEpoch(record.began_s), QLocale.FormatType.ShortFormat)
        moment = {
            "wipe": self.tr("while old signatures were being removed"),
            "create": self.tr("while md was making the array"),
            "undo": self.tr("while it was being taken back"),
            "dismantle": self.tr("while it was being taken apart"),
        }.get(record.steps[-1] if record.steps else "", self.tr("before anything was written"))
        return self.tr("“{name}”, begun {when}, was cut off {moment}.").format(
            name=record.name, when=when, moment=moment
        )

    def _what_stands(self, record: BuildRecord) -> str:
        disks = self.tr("Its disks: {disks}.").format(disks="; ".join(record.disks))
        kept = self.tr("What was overwritten on them is kept and can be put back.")
        if record.synchronises:
            kept += " " + self.tr(
                "Had md begun its first synchronisation, what it wrote between the disks' ends stays."
            )
        return f"{disks} {kept}"
