"""The review before building: every disk by serial, its present content, its new role, and the confirmation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFontDatabase, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from raidwright.analysis.assessment import Assessment
from raidwright.analysis.imagined import is_imagined
from raidwright.analysis.layers.equivalent import as_array
from raidwright.analysis.layers.leaves import head_sectors, leaves
from raidwright.core.lvm.commands import partition_table
from raidwright.core.lvm.joined import slices_of
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.mdadm import inner_name
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import LinearVolume, Member, Plan
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.core.protocol.signature_names import array_of, split_name
from raidwright.text.catalogue import binary_size, decimal_size, joined, ntr, other_size, tr, translated, with_commas
from raidwright.text.disk import facts as words
from raidwright.text.plan.names import long_name
from raidwright.text.shown import Cell
from raidwright.ui.imagined.practice_alike import PracticeAlike
from raidwright.ui.imagined.ways_on import WaysOn
from raidwright.ui.phase import Phase
from raidwright.ui.removals import RemovalBoxes
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S
from raidwright.ui.widgets.locating import LocateRow
from raidwright.ui.widgets.name_field import NameField
from raidwright.ui.widgets.panel import Panel, badge, button, column, label, row
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, TableModel
from raidwright.ui.widgets.which_disk import which_button

from .model import BuildModel

_COMMAND_HEIGHT, _TABLE_HEIGHT = 96, 118
_LINE = 84  # characters
_SHELL_WORDS = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")  # as shlex.join quotes them


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A member's row in the review."""

    slot: str
    model: str
    serial: str
    size: str
    holds: Cell
    will: Cell


class Review(QWidget):
    """The review of a BuildModel, confirmed by typing the array's name."""

    def __init__(self, model: BuildModel, alike: PracticeAlike, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._alike = model, alike
        self._rows = TableModel(self._columns())
        self._table = Table(self._rows, "review-table", tr("What will be written where"))
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(self._table_panel(), 1)
        below = row(spacing=SPACE_M)
        below.addWidget(self._command_panel(), 3)
        below.addWidget(self._confirm_panel(), 2)
        box.addLayout(below)
        model.changed.connect(self._show)
        self._show()

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column(tr("Slot"), lambda one: Cell(one.slot)),
            Column(tr("Model"), lambda one: Cell(one.model)),
            Column(tr("Serial"), lambda one: Cell(one.serial)),
            Column(tr("Size"), lambda one: Cell(one.size), align="right"),
            Column(tr("Now holds"), lambda one: one.holds),
            Column(tr("Will be written"), lambda one: one.will, stretch=True),
        )

    def _table_panel(self) -> Panel:
        panel = Panel(tr("Check before you build"))
        self._hint = label("", "dim", name="build-hint")
        panel.say_beside(self._hint)
        locating = self._model.locating
        self._which = which_button(locating, self._disks_here, "build-which")
        panel.head.addWidget(self._which)
        self._summary = label("", "headline", name="build-summary", wrap=True)
        self._tried = label("", "good", name="build-tried", wrap=True)
        panel.body.addWidget(self._summary)
        panel.body.addWidget(self._tried)
        self._table.setMinimumHeight(_TABLE_HEIGHT)
        self._table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # it scrolls; text doesn't
        panel.body.addWidget(self._table, 1)
        panel.body.addWidget(LocateRow(locating))
        return panel

    def _disks_here(self) -> tuple[Disk, ...]:
        plan = self._model.draft.plan
        ids = {disk.id for disk in whole_disks(plan.top)} if plan is not None else frozenset()
        return tuple(disk for disk in self._model.snapshot.disks if disk.id in ids)

    def _command_panel(self) -> Panel:
        panel = Panel(tr("Command that will run"), tr("made by the helper, from the same plan"))
        self._command_title = panel.title
        self._command = QPlainTextEdit()
        self._command.setObjectName("build-command")
        self._command.setAccessibleName(tr("The command"))
        self._command.setReadOnly(True)
        self._command.setTabChangesFocus(True)
        self._command.setMinimumHeight(_COMMAND_HEIGHT)
        self._command.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._command.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        panel.body.addWidget(self._command, 1)
        return panel

    def _confirm_panel(self) -> Panel:
        panel = Panel(tr("Build it"))
        self._wants_focus = False
        self._warning = label("", name="build-warning", wrap=True)
        self._ways_on = WaysOn(
            self._alike,
            tr("Nothing can be built on disks that aren't here; in a practice machine the same plan can."),
            panel,
        )
        panel.body.addWidget(self._ways_on)
        self._confirm = QWidget(panel)
        warning = row(spacing=SPACE_M)
        warning.addWidget(badge(tr("Careful"), "warn"), 0, Qt.AlignmentFlag.AlignTop)
        warning.addWidget(self._warning, 1)
        self._edit = NameField(self._model, "build-confirm", width=None)
        self._edit.setAccessibleName(tr("Type the array's name to confirm"))
        self._edit.returnPressed.connect(self._model.build)
        self._build = button(tr("Build the array"), "build-button", primary=True)
        self._build.clicked.connect(self._model.build)
        self._cancel = button(tr("Cancel"), "build-cancel")
        self._cancel.clicked.connect(self._model.job.cancel)
        self._bar = QProgressBar()
        self._bar.setAccessibleName(tr("How far it is"))
        self._bar.setObjectName("build-progress")
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._step = label("", "dim", name="build-step", wrap=True)
        self._again = button(tr("Try again"), "build-again", hint=tr("Look at the disks once more"))
        self._again.clicked.connect(self._model.look_again)
        self._failure = label("", "error", name="build-failure", wrap=True)
        self._host = label("", name="build-host", wrap=True)
        confirm = column(spacing=SPACE_S)
        confirm.addLayout(warning)
        confirm.addWidget(self._host)
        confirm.addWidget(RemovalBoxes(self._model.removals))
        confirm.addSpacing(SPACE_M)
        confirm.addWidget(self._edit.label())
        confirm.addLayout(row(self._edit, self._build, self._cancel))
        said = row(self._step, self._again, spacing=SPACE_M)
        said.setStretchFactor(self._step, 1)
        confirm.addLayout(said)
        confirm.addLayout(column(self._bar, self._failure))
        self._confirm.setLayout(confirm)
        panel.body.addWidget(self._confirm)
        panel.body.addSpacing(SPACE_L)
        panel.body.addStretch(1)
        return panel

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: examine the disks' signatures only now, since that may wake disks from standby."""
        super().showEvent(event)
        self._model.removals.look_again()
        self._model.removals.look()

    def take_focus(self) -> None:
        """Focus the field for the array's name, once it is enabled."""
        self._wants_focus = not self._edit.isEnabled()
        if not self._wants_focus:
            self._edit.setFocus()

    @Slot()
    def _show(self) -> None:
        if self.isVisible():
            self._model.removals.look()
        assessment = self._model.draft.assessment
        if assessment is None:
            return
        self._rows.show_rows(self._review_rows(assessment))
        plan, size = assessment.plan, assessment.capacity.array_bytes
        shape = with_commas(*filter(None, (long_name(plan.top), _chunk(as_array(plan.top).chunk_kib))))
        self._summary.setText(
            ntr(
                "“{name}”: {shape}, of {count} disk, {size} usable",
                "“{name}”: {shape}, of {count} disks, {size} usable",
                len(whole_disks(plan.top)),
                name=plan.name,
                shape=shape,
                size=f"{decimal_size(size)} = {other_size(size)}",
            )
        )
        self._summary.setToolTip(tr("{sectors:,} sectors of 512 bytes", sectors=assessment.capacity.array_sectors))
        tried = self._model.draft.tried
        self._tried.setText(f"✓ {tried}" if tried else "")
        self._tried.setVisible(bool(tried))
        command = " &&\n".join(_in_lines(command.shell()) for command in self._model.commands)
        if self._command.toPlainText() != command:
            self._command.setPlainText(command)
        self._warning.setText(_warning(plan))
        found = self._model.host_findings
        self._host.setText("\n".join(joined(translated(one.sentence), translated(one.remedy)) for one in found))
        self._host.setToolTip("\n".join(translated(one.reason) for one in found))
        self._host.setVisible(bool(found))
        self._which.setVisible(bool(self._disks_here()))
        self._show_job()

    def _show_job(self) -> None:
        building = self._model.phase is Phase.BUILDING
        is_imagined = self._model.is_imagined
        self._confirm.setVisible(not is_imagined)
        checking = tr("compare the serials with the labels on the disks; nothing is done yet")
        hint = tr("these disks are planned and not here yet; nothing is done") if is_imagined else checking
        self._hint.setText(f"· {hint}")
        self._command_title.setText(tr("Command for them") if is_imagined else tr("Command that will run"))
        plan = self._model.draft.plan
        self._edit.show_typed(plan.name if plan is not None else "")
        self._edit.setEnabled(not building and not self._model.removals.why_not)
        if self._wants_focus and self._edit.isEnabled():
            self._wants_focus = False
            if not isinstance(QApplication.focusWidget(), QAbstractButton | QLineEdit):  # focus not moved meanwhile
                self._edit.setFocus()
        self._build.setEnabled(not building and not self._model.why_not)
        self._build.setToolTip(self._model.why_not)
        self._again.setVisible(self._model.removals.has_failed and not building)
        self._cancel.setVisible(building)
        self._bar.setVisible(building)
        self._bar.setValue(round(self._model.job.progress.fraction * 1000))
        self._step.setText(self._model.job.at if building else self._model.why_not)
        self._failure.setText(f"✕ {self._model.job.failure}" if self._model.job.failure else "")
        self._failure.setVisible(bool(self._model.job.failure))

    def _review_rows(self, assessment: Assessment) -> tuple[ReviewRow, ...]:
        plan = assessment.plan
        if (volume := plan.volume) is not None:
            return tuple(self._row(str(place), disk, _partitions(volume, disk))
                         for place, disk in enumerate(whole_disks(volume)))  # fmt: skip
        heads = head_sectors(plan.array, assessment.capacity)
        members = tuple(zip(leaves(plan.top), heads, strict=True))
        written = [(slot, disk, _member_words(head)) for (slot, disk), head in members if disk]
        waits = tr("md's records; data when it takes a failed disk's place")
        written += [(tr("spare"), spare, waits) for spare in plan.array.spares]
        if plan.array.journal is not None:
            first = tr("md's records; every write, before it goes to the members")
            written.append((tr("journal"), plan.array.journal, first))
        return tuple(self._row(slot, disk, Cell(words)) for slot, disk, words in written)

    def _row(self, slot: str, member: Member, written: Cell) -> ReviewRow:
        disk = next((disk for disk in self._model.snapshot.disks if disk.id == member.id), None)
        removed = self._removed(disk) if disk is not None else ""
        return ReviewRow(
            slot,
            member.model or "–",
            member.serial or member.id,
            decimal_size(member.size_bytes),
            Cell(badge=tr("imagined"), tone="info") if is_imagined(member.id) else self._holds(disk),
            Cell(written.text, badge=removed, tone="warn", hint=written.hint) if removed else written,
        )

    def _holds(self, disk: Disk | None) -> Cell:
        if disk is None:
            return Cell(badge=words.gone(), tone="bad", hint=words.vanished())
        if not disk.is_takeable:
            return Cell(words.holds(disk), badge=words.standing(disk), tone="bad", hint=words.mind(disk))
        return Cell(words.holds(disk, self._model.removals.names.get(disk.id)), hint=words.mind(disk))

    def _removed(self, disk: Disk) -> str:
        """Return the badge on what is removed first; "" for a disk in use, since nothing is built on it."""
        found = self._model.removals.names.get(disk.id, ())
        if not disk.is_takeable or (disk.is_free and not found):
            return ""
        if found == (UNKNOWN,):
            return tr("what it holds overwritten")
        names = list(dict.fromkeys(split_name(name)[1] for name in found if not array_of(name)))
        if arrays := list(dict.fromkeys(f"“{array_of(name)}”" for name in found if array_of(name))):
            return tr("taken from the stopped array {arrays}", arrays=arrays)
        return tr("{names} removed first", names=names) if names else tr("what it holds removed first")


def _partitions(volume: LinearVolume, disk: Member) -> Cell:
    """Return what is written to a joined plan's disk: its partition table, and each partition's array."""
    slices = slices_of(volume)[disk.id]
    arrays = {member.id: place for place, band in enumerate(volume.arrays) for member in band.disks()}
    parts = [
        tr("partition {number} for “{array}”", number=part.partition, array=inner_name(volume.name, arrays[part.id]))
        for part in slices
    ]
    sizes = [
        tr("Partition {number}: {size}", number=part.partition, size=binary_size(part.size_bytes)) for part in slices
    ]
    written = tr("a new partition table: {parts}", parts=with_commas(*parts))
    return Cell(written, hint="\n".join((written, *sizes, *partition_table(slices))))


def _member_words(head_sectors: int) -> str:
    """Return what is written to a member whose data begin after ``head_sectors``; none where md's records are last."""
    if not head_sectors:
        return tr("the array's data, and md's records at the end")
    return tr("md's records in the first {head}, then the array's data", head=binary_size(head_sectors * 512))


def _warning(plan: Plan) -> str:
    if plan.volume:
        return tr(
            "Building overwrites the partition tables of the disks listed above, and makes their new partitions "
            "members of the arrays of “{name}”. Whatever they held is no longer reachable; what other disks hold "
            "stays. To go on, type the array's name.",
            name=plan.name,
        )
    return tr(
        "Building makes the disks listed above members of “{name}”. Whatever they held is no longer reachable; what "
        "other disks hold stays. To go on, type the array's name.",
        name=plan.name,
    )


def _in_lines(command: str) -> str:
    """Return a shell command, broken between the shell's words only: a backslash within quotes breaks no line."""
    lines: list[str] = []
    for word in _SHELL_WORDS.findall(command):
        if lines and len(lines[-1]) + 1 + len(word) <= _LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}" if lines else word)
    return " \\\n".join(lines)


def _chunk(chunk_kib: int | None) -> str:
    return "" if chunk_kib is None else f"{chunk_kib} KiB" if chunk_kib < 1024 else f"{chunk_kib // 1024} MiB"
