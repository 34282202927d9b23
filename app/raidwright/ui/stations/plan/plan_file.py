"""The plan as a file: saved with all overrides, and opened again for the same disks."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QDir, QStandardPaths, Qt, Slot
from PySide6.QtWidgets import QFileDialog, QPushButton, QVBoxLayout, QWidget

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.reading.decoded import decoded
from raidwright.runs.files import write_file
from raidwright.text.catalogue import tr, translated
from raidwright.ui.draft import Draft
from raidwright.ui.tokens import SPACE_M, SPACE_XS
from raidwright.ui.widgets.panel import button, label, restyle, row

from .model import PlanModel
from .paste import PasteDialog
from .plan_text import plan_of_text

_ENDING = "raidplan"  # the content is JSON; the desktop recognises the suffix (application/x-raidwright-plan)
_MAX_BYTES = 4 << 20  # several times the size of the largest plan


class PlanFileRow(QWidget):
    """The heading “Layout” with buttons for plan files, and the last result below."""

    def __init__(self, model: PlanModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._opening = ""
        self._dialog_shown: PasteDialog | None = None
        self._paste = self._link(
            tr("Paste …"), "plan-paste", tr("Paste a command: mdadm --create, as a page prints it")
        )
        self._paste.clicked.connect(self._ask_to_paste)
        self._open = self._link(tr("Open …"), "plan-open", tr("Put a saved plan on the stage"))
        self._open.clicked.connect(self._ask_to_open)
        self._save = self._link(tr("Save …"), "plan-save", tr("Save this plan, with all that you assume"))
        self._save.clicked.connect(self._ask_to_save)
        self._said = label("", "dim", name="plan-file-said", wrap=True)
        self._said.hide()
        head = row(label(tr("Layout"), "title"), spacing=SPACE_M)
        head.addStretch(1)
        head.addWidget(self._paste)
        head.addWidget(self._open)
        head.addWidget(self._save)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_XS)
        box.addLayout(head)
        box.addWidget(self._said)
        model.changed.connect(self._follow)
        model.opened.connect(self._say_opened)
        model.saving.connect(self._ask_to_save)
        model.asking_to_open.connect(self._ask_to_open)
        model.given_file.connect(self._open_file)
        model.pasting.connect(self._ask_to_paste)
        self._follow(model.draft)

    def _link(self, text: str, name: str, hint: str) -> QPushButton:
        link = button(text, name, hint=hint)
        link.setProperty("kind", "link")
        link.setAccessibleName(hint)
        return link

    @Slot()
    def _say_opened(self) -> None:
        self._say(tr("Opened “{name}”.", name=self._opening))

    @Slot(object)
    def _follow(self, draft: Draft) -> None:
        self._open.setEnabled(self._model.can_edit)
        self._paste.setEnabled(self._model.can_edit)
        self._save.setEnabled(draft.plan is not None)
        self._said.hide()

    @Slot()
    def _ask_to_open(self) -> None:
        dialog = self._dialog(tr("Open a plan"), "plan-open-dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self._open_file(Path(name)))
        dialog.open()

    @Slot()
    def _ask_to_save(self) -> None:
        plan = self._model.draft.plan
        if plan is None:
            return
        dialog = self._dialog(tr("Save the plan"), "plan-save-dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(_ENDING)
        dialog.selectFile(f"{plan.name}.{_ENDING}")
        dialog.fileSelected.connect(lambda name: self._save_file(plan, Path(name)))
        dialog.open()

    @Slot()
    def _ask_to_paste(self) -> None:
        # A parent in Qt doesn't protect a dialog of ours from Python's garbage collector.
        self._dialog_shown = PasteDialog(self._model, self.window())
        self._dialog_shown.planned.connect(self._plan_pasted)
        self._dialog_shown.open()

    @Slot(object)
    def _plan_pasted(self, plan: Plan) -> None:
        self._opening = plan.name
        self._model.opening.emit(plan)

    def _dialog(self, title: str, name: str) -> QFileDialog:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        kinds = tr("Plans ({endings})", endings=f"*.{_ENDING} *.json")
        dialog = QFileDialog(self.window(), title, folder or QDir.homePath(), kinds)
        dialog.setObjectName(name)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    @Slot(object)
    def _open_file(self, path: Path) -> None:
        try:
            plan = read_plan_file(path)
        except InputError as error:
            self._say(translated(error.sentence), is_error=True)
            self._model.file_refused.emit(translated(error.sentence))
            return
        self._opening = path.name
        self._model.kept_in.emit(path)
        self._model.opening.emit(plan)

    def _save_file(self, plan: Plan, path: Path) -> None:
        try:
            write_plan_file(plan, path)
        except InputError as error:
            self._say(translated(error.sentence), is_error=True)
            return
        self._model.keep(plan)
        self._model.kept_in.emit(path)
        self._say(tr("Saved as “{path}”.", path=path))

    def _say(self, sentence: str, *, is_error: bool = False) -> None:
        self._said.setText(sentence)
        self._said.setProperty("role", "error" if is_error else "dim")
        restyle(self._said)
        self._said.show()


def read_plan_file(path: Path) -> Plan:
    """Return the plan in the file ``path``; raise InputError with the fault."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise InputError("“{path}” is too large for a plan.", code="plan-file", path=path)
        text = decoded(content)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else say("it is not text")
        raise InputError("“{path}” can't be read: {why}.", code="plan-file", path=path, why=why) from error
    return plan_of_text(text)


def write_plan_file(plan: Plan, path: Path) -> None:
    """Write ``plan`` to the file ``path``; raise InputError if that fails."""
    write_file(path, json.dumps(dump_plan(plan), indent=2, ensure_ascii=False) + "\n", "plan-file")
