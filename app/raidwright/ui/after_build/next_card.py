"""The card of next steps below a built array, one step at a time."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from raidwright.core.messages import say
from raidwright.core.protocol.results import Preview
from raidwright.core.system.filesystem import FileSystemKind, folder_called
from raidwright.text.catalogue import tr, translated
from raidwright.ui.tokens import SPACE_M, SPACE_S
from raidwright.ui.widgets.inputs import ComboBox
from raidwright.ui.widgets.panel import Panel, button, label, row

from .next_steps import NextStep, NextSteps

_GIVE_UP = say(
    "A desktop disk may try for minutes to read a bad sector; the kernel then takes it for dead, and the array loses "
    "it. This sets the disk's own limit to 7 seconds, or the kernel's patience to 3 minutes where the disk has none."
)
_UNMOUNT = say("Nothing is erased; it can be mounted again. Files on it that are open keep it mounted.")
_DIFFERENCE_LINES = 9
_FIELD_WIDTH = 220
_NEXT_STEPS = (NextStep.FILE_SYSTEM, NextStep.PLACE, NextStep.FILES, NextStep.SHOWN, NextStep.DONE)


class NextCard(Panel):
    """The view of ``NextSteps``. The names of its parts begin with ``name``.

    ``says_so_far``: the completed steps are listed here, since nothing else does.
    """

    def __init__(
        self, steps: NextSteps, name: str = "next", parent: QWidget | None = None, *, says_so_far: bool = True
    ) -> None:
        super().__init__(tr("What next"), parent=parent)
        self._steps, self._named, self._says_so_far = steps, name, says_so_far
        self._of = ""  # UUID of the array whose folder is proposed
        self.setObjectName(f"{name}-card")
        self._so_far = label("", "dim", name=f"{self._named}-so-far", wrap=True)
        self._words = label("", name=f"{self._named}-words", wrap=True)
        self._failure = label("", "error", name=f"{self._named}-failure", wrap=True)
        pages = (self._file_system(), self._place(), self._files(), self._shown(), self._done())
        self._pages = dict(zip(_NEXT_STEPS, pages, strict=True))
        self._unmount = button(tr("Unmount it"), f"{self._named}-unmount", hint=translated(_UNMOUNT))
        self._unmount.clicked.connect(steps.unmount)
        told = row(self._so_far, self._unmount, spacing=SPACE_M)
        told.setStretch(0, 1)
        told.addStretch(0)  # else the button fills the line where the words are hidden
        self.body.addLayout(told)
        for part in (self._words, *self._pages.values(), self._failure):
            self.body.addWidget(part)
        steps.changed.connect(self._show)
        self._show()

    def _file_system(self) -> QWidget:
        self._kind = ComboBox()
        self._kind.setObjectName(f"{self._named}-kind")
        self._kind.setAccessibleName(tr("File system"))
        for kind in FileSystemKind:
            self._kind.addItem(str(kind))
        make = button(tr("Make the file system"), f"{self._named}-make")
        make.clicked.connect(self._make)
        return _page(row(self._kind, make))

    def _place(self) -> QWidget:
        self._folder = _field(f"{self._named}-folder", tr("Folder to mount at"))
        mount = button(tr("Mount it"), f"{self._named}-mount")
        mount.clicked.connect(lambda: self._steps.mount(self._folder.text()))
        self._folder.returnPressed.connect(mount.click)
        return _page(row(self._folder, mount))

    def _files(self) -> QWidget:
        self._mail = _field(f"{self._named}-mail", tr("Whom to tell when a disk fails"))
        self._mail.setPlaceholderText(tr("mail when a disk fails (optional)"))
        show = button(tr("Show what would change …"), f"{self._named}-show")
        show.clicked.connect(lambda: self._steps.show_files(self._mail.text()))
        self._mail.returnPressed.connect(show.click)
        return _page(row(self._mail, show))

    def _shown(self) -> QWidget:
        self._difference = QPlainTextEdit()
        self._difference.setObjectName(f"{self._named}-difference")
        self._difference.setAccessibleName(tr("What would change"))
        self._difference.setReadOnly(True)
        self._difference.setTabChangesFocus(True)
        self._difference.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._difference.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._difference.setFixedHeight(self._difference.fontMetrics().lineSpacing() * (_DIFFERENCE_LINES + 1))
        write = button(tr("Apply"), f"{self._named}-write")
        write.clicked.connect(self._steps.write_files)
        return _page(self._difference, row(write))

    def _done(self) -> QWidget:
        back = button(tr("Put the files back"), f"{self._named}-put-back")
        back.clicked.connect(self._steps.put_files_back)
        self._give_up = button(
            tr("Let slow disks give up in time"), f"{self._named}-give-up", hint=translated(_GIVE_UP)
        )
        self._give_up.clicked.connect(self._steps.let_disks_give_up)
        return _page(row(self._give_up, back))

    @Slot()
    def _make(self) -> None:
        kind = FileSystemKind(self._kind.currentText())
        self._steps.make(kind, self._steps.array.name[: kind.longest_label])

    @Slot()
    def _show(self) -> None:
        steps = self._steps
        is_other, self._of = steps.array.uuid != self._of, steps.array.uuid
        if is_other or not self._folder.text() or steps.stage is NextStep.FILE_SYSTEM:
            self._folder.setText(f"/srv/{folder_called(steps.array.name)}")
        for stage, page in self._pages.items():
            page.setVisible(stage is steps.stage)
            page.setEnabled(not steps.job.is_busy)
        self._unmount.setVisible(steps.mounted is not None)
        self._unmount.setEnabled(not steps.job.is_busy)
        self._give_up.setVisible(steps.settings is None)
        difference = _lines(steps.preview) if steps.preview else ""
        if self._difference.toPlainText() != difference:
            self._difference.setPlainText(difference)
        so_far = "  ".join(self._told()) if self._says_so_far else ""
        self._so_far.setText(so_far)
        self._so_far.setVisible(bool(so_far))
        self._words.setText(self._sentence())
        self._failure.setText(f"✕ {steps.job.failure}" if steps.job.failure else "")
        self._failure.setVisible(bool(steps.job.failure))

    def _told(self) -> list[str]:
        told = []
        if made := self._steps.made:
            kind, kib = str(made.kind), made.stripe_width_kib
            knows = kib and made.kind is not FileSystemKind.BTRFS
            aligned = tr("✓ {kind} made, aligned to the array's {kib} KiB stripe.", kind=kind, kib=kib)
            told.append(aligned if knows else tr("✓ {kind} made.", kind=kind))
        if mounted := self._steps.mounted:
            told.append(tr("✓ Mounted at {place}.", place=mounted.place))
        if self._steps.is_written:
            told.append(tr("✓ Starts with the computer."))
        if self._steps.settings:
            told.append(tr("✓ Disks give a bad sector up in time, at each start."))
        return told

    def _sentence(self) -> str:
        match self._steps.stage:
            case NextStep.FILE_SYSTEM:
                return tr(
                    "Put a file system on it. Only before that can its writes be measured and the build be undone."
                )
            case NextStep.PLACE:
                return tr("Where should it appear? (a folder in /srv or /mnt)")
            case NextStep.FILES:
                return tr("Have it start with the computer: mdadm.conf and fstab get a line, shown to you first.")
            case NextStep.SHOWN:
                return tr("These lines are added or changed. The old files are saved, and can be put back.")
            case NextStep.DONE:
                return tr("The array and its file system are there after each start.")


def _lines(preview: Preview) -> str:
    """Return the changes of the files, and the timers that are enabled."""
    lines = list(preview.difference)
    if preview.timers:
        lines += ["", tr("Switched on then, too: {timers:and}.", timers=list(preview.timers))]
    return "\n".join(lines)


def _field(name: str, title: str) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(name)
    field.setAccessibleName(title)
    field.setFixedWidth(_FIELD_WIDTH)
    return field


def _page(*parts: QWidget | QHBoxLayout) -> QWidget:
    """Return ``parts`` below each other, rows left-aligned."""
    page = QWidget()
    box = QVBoxLayout(page)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(SPACE_S)
    for part in parts:
        if isinstance(part, QWidget):
            box.addWidget(part)
        else:
            part.addStretch(1)
            box.addLayout(part)
    return page
