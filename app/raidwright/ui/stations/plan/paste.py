"""A pasted mdadm --create command, explained while it is typed, or a plan's text: planned on the present disks."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QWidget

from raidwright.analysis.findings.collect import findings_of
from raidwright.analysis.findings.finding import Finding
from raidwright.analysis.findings.of_commands import findings_of_paste
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.messages import Message, say, say_count
from raidwright.core.model.plan import Member, Plan
from raidwright.core.units import marketing_bytes, parse_size
from raidwright.reading.create_command import Explained
from raidwright.reading.pasted import Pasted, disk_at, member_named, plan_of, read_paste, whole_disk
from raidwright.text.catalogue import tr, translated
from raidwright.text.shown import Cell
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.findings import FindingList
from raidwright.ui.widgets.panel import button, column, label, restyle, row
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, TableModel

from .model import PlanModel
from .plan_text import plan_of_text

_SIZE = (760, 640)
_TEXT_HEIGHT = 92
_PAUSE_MS = 150
_NO_ARRAY = say("This makes no new array, so nothing is planned of it.")
_RECOVERY = say(
    "A recovery is no new array, so nothing is planned of it. Try mdadm --assemble --force first, and any recovery on "
    "overlays or copies before it touches the disks."
)


_JOINED = say(
    "These arrays are joined by LVM. Paste the text of their plan's file instead of the commands, or choose the layout "
    "among those for your disks."
)


@dataclass(frozen=True, slots=True)
class Understood:
    """The parsed text: its words, the plan, and the reasons why there is none."""

    words: tuple[Explained, ...] = ()
    plan: Plan | None = None
    findings: tuple[Finding, ...] = ()
    said: Message | str = ""
    lacks_size: bool = False


def understood(text: str, model: PlanModel, size_text: str) -> Understood:
    """Return ``text`` as a plan on the machine's disks; ``size_text`` is the size of disks that aren't here."""
    if not text.strip():
        return Understood()
    return _of_plan(text) if text.lstrip().startswith("{") else _of_commands(text, model, size_text)


def _of_commands(text: str, model: PlanModel, size_text: str) -> Understood:
    try:
        pasted = read_paste(text)
    except InputError as error:
        is_joined = error.code == "paste-several" and "vgcreate" in text
        return Understood(said=_JOINED if is_joined else error.sentence)
    words = tuple(word for command in pasted.words for word in command)
    if not pasted.commands or pasted.recovery_signs:
        found = findings_of_paste(pasted)
        is_recovery = any(finding.code in ("recovery", "forced-assembly") for finding in found)
        return Understood(words, None, found, _RECOVERY if is_recovery else _NO_ARRAY)
    here = model.here()
    strange = [path for path in pasted.devices() if disk_at(whole_disk(path), here) is None]
    try:
        size_bytes = marketing_bytes(parse_size(size_text)) if size_text.strip() else 0
        if strange and not size_bytes:
            said = say_count(
                "{devices:and} isn't a disk of this machine: say how large it is.",
                "{devices:and} aren't disks of this machine: say how large they are.",
                len(strange),
                devices=strange,
            )
            return Understood(words, None, findings_of_paste(pasted), said, lacks_size=True)
        plan = Plan(plan_of(pasted, lambda path: _whole(path, model, size_bytes)))
        found = findings_of_paste(pasted, plan, findings_of(plan))
    except InputError as error:
        return Understood(words, None, findings_of_paste(pasted), error.sentence, lacks_size=bool(strange))
    return Understood(words, plan, found, _said(pasted), lacks_size=bool(strange))


def _of_plan(text: str) -> Understood:
    """Return the plan whose file's text was pasted."""
    try:
        plan = plan_of_text(text)
        return Understood(plan=plan, findings=findings_of(plan))
    except (InputError, PlanRefused) as error:
        return Understood(said=error.sentence)


def _whole(path: str, model: PlanModel, size_bytes: int) -> Member:
    disk = whole_disk(path)
    return disk_at(disk, model.here()) or member_named(disk, size_bytes)


def _said(pasted: Pasted) -> Message | str:
    slices = [path for path in pasted.devices() if whole_disk(path) != path]
    if slices:
        return say_count(
            "{slices:and} is a partition; the plan takes its disk whole.",
            "{slices:and} are partitions; the plan takes their disks whole.",
            len(slices),
            slices=slices,
        )
    return ""


class PasteDialog(QDialog):
    """The dialog; ``planned(Plan)`` is emitted on OK."""

    planned = Signal(object)

    def __init__(self, model: PlanModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._plan: Plan | None = None
        title = tr("Paste a command")
        self.setObjectName("paste")
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._read)
        self._text = self._text_field()
        self._size = self._size_field()
        self._rows = TableModel(
            (
                Column(tr("Word"), lambda one: Cell(one.text, hint=one.text)),
                Column(
                    tr("What it does"), lambda one: Cell(translated(one.why), hint=translated(one.why)), stretch=True
                ),
            )
        )
        table = Table(self._rows, "paste-words", tr("Each word of the command"))
        self._said = label("", "dim", name="paste-said", wrap=True)
        self._findings = FindingList("paste-findings", most=3)
        self._go = button(tr("Plan this"), "paste-plan", primary=True)
        self._go.clicked.connect(self._plan_it)
        whole = column(
            label(title, "headline"),
            label(tr("As it stands on the page, with prompt and line breaks. Nothing of it is run."), "dim", wrap=True),
            self._text,
            self._size_row,
            table,
            self._said,
            self._findings,
            self._ways(),
            spacing=SPACE_M,
        )
        whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        whole.setStretch(4, 1)
        self.setLayout(whole)
        self._read()
        self._text.setFocus()

    def _text_field(self) -> QPlainTextEdit:
        field = QPlainTextEdit()
        field.setObjectName("paste-text")
        field.setAccessibleName(tr("The mdadm --create command"))
        field.setPlaceholderText("mdadm --create /dev/md0 --level=5 --raid-devices=3 /dev/sd[bcd]")
        field.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        field.setFixedHeight(_TEXT_HEIGHT)
        field.setTabChangesFocus(True)
        field.textChanged.connect(self._pause.start)
        return field

    def _size_field(self) -> QLineEdit:
        field = QLineEdit()
        field.setObjectName("paste-size")
        field.setAccessibleName(tr("How large each disk is that isn't here"))
        field.setPlaceholderText("8TB")
        field.textChanged.connect(self._pause.start)
        self._size_row = QWidget()
        line = row(label(tr("Each disk that isn't here has")), field, spacing=SPACE_S)
        line.addStretch(1)
        self._size_row.setLayout(line)
        return field

    def _ways(self) -> QWidget:
        leave = button(tr("Cancel"), "paste-cancel")
        leave.clicked.connect(self.reject)
        ways = row(leave, spacing=SPACE_S)
        ways.addStretch(1)
        ways.addWidget(self._go)
        line = QWidget()
        line.setLayout(ways)
        return line

    @Slot()
    def _read(self) -> None:
        """Show the parsed text."""
        found = understood(self._text.toPlainText(), self._model, self._size.text())
        self._plan = found.plan
        self._rows.show_rows(found.words)
        self._size_row.setVisible(found.lacks_size)
        self._said.setText(translated(found.said))
        self._said.setProperty("role", "dim" if found.plan is not None else "error")
        restyle(self._said)
        self._findings.show_findings(found.findings, tr("What is worth knowing about the command appears here."))
        self._go.setEnabled(found.plan is not None)

    @Slot()
    def _plan_it(self) -> None:
        plan = self._plan
        self.accept()
        self.planned.emit(plan)
