"""A plan's options: level, copies, layout, chunk, metadata, bitmap, name; each only if it applies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QRegularExpression, QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QSlider, QToolTip, QWidget

from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.layers.commands import device_path
from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB, RAID5_LAYOUTS, RAID6_LAYOUTS, Level
from raidwright.core.md.stripe import read_ahead_kib
from raidwright.core.messages import say
from raidwright.core.model.names import ARRAY_NAME, MAX_NAME_LENGTH
from raidwright.core.model.plan import Bitmap, Metadata, Plan
from raidwright.text.catalogue import binary_size, ntr, tr, translated
from raidwright.text.plan.names import chunk_words
from raidwright.ui import tokens
from raidwright.ui.draft import Draft
from raidwright.ui.widgets.inputs import ComboBox, Slider
from raidwright.ui.widgets.panel import label, row
from raidwright.ui.widgets.segmented import Choice, Segmented

from . import edits
from .bands import BandChoices
from .chunks import with_chunk
from .explained.popover import ExplainButton
from .model import PlanModel
from .stage.columns import short_serial

_LEVELS = {
    Level.RAID0: "0",
    Level.RAID1: "1",
    Level.RAID4: "4",
    Level.RAID5: "5",
    Level.RAID6: "6",
    Level.RAID10: "10",
    Level.LINEAR: say("linear"),
}
_MAX_SPARES, _MAX_MISSING = 3, 2
_Value = TypeVar("_Value")
_LAYOUTS = {Level.RAID5: tuple(RAID5_LAYOUTS), Level.RAID6: tuple(RAID6_LAYOUTS)}


class Choices(QWidget):
    """The options of a Draft, edited through the PlanModel."""

    def __init__(self, model: PlanModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._grid = QGridLayout(self)
        self.rare = QWidget(self)  # the rows that few change, shown elsewhere
        self._rare_grid = QGridLayout(self.rare)
        for grid in (self._grid, self._rare_grid):
            grid.setContentsMargins(0, 0, 0, 0)
            grid.setVerticalSpacing(tokens.SPACE_XS + 2)
            grid.setHorizontalSpacing(tokens.SPACE_XS)
            grid.setColumnStretch(2, 1)
        self._explains: dict[QWidget, ExplainButton] = {}
        self._level = self._segments("level", tr("Level"), lambda level: model.choose_level(Level(level)))
        self._bands = BandChoices(model, self)
        self._nested = self._segments("nested", tr("Nested"), self._choose_nested)
        self._groups = self._combo("groups", tr("Arrays"), self._choose_groups)
        self._copies = self._segments("copies", tr("Copies"), self._editing(edits.with_copies, int))
        self._arrangement = self._segments("arrangement", tr("Layout"), self._editing(edits.with_arrangement, str))
        self._layout = self._combo("layout", tr("Layout"), lambda layout: model.edit_fields(layout=layout))
        self._chunk, self._chunk_text = self._slider()
        self._bitmap = self._segments("bitmap", tr("Bitmap"), self._editing(edits.with_resync, str))
        self._journal = self._combo("journal", tr("Journal"), self._choose_journal)
        self._spares = self._segments("spares", tr("Spares"), self._editing(edits.with_spares, int))
        self._missing = self._segments("missing", tr("Missing"), self._editing(edits.with_missing, int))
        self._metadata = self._segments("metadata", tr("Metadata"), self._editing(edits.with_metadata, Metadata))
        self._first_sync = self._segments("first-sync", tr("First sync"), self._editing(edits.with_first_sync, str))
        self._read_ahead = label("", name="read-ahead")
        self._name = self._edit()
        self._names = self._add_rows()
        model.changed.connect(self._show)
        self._show(model.draft)

    def _add_rows(self) -> dict[QWidget, QLabel]:
        chunk = QWidget()
        chunk.setLayout(row(self._chunk, self._chunk_text))
        self._chunk_row = chunk
        usual = (
            ("", tr("Name"), self._name, ""),
            ("level", tr("Level"), self._level, tr("How the disks work together.")),
            (
                "bands",
                tr("Bands"),
                self._bands.tolerance,
                tr("Disks of unlike sizes cut into slices, an array over each height, joined to one volume."),
            ),
            ("", tr("Kept by"), self._bands.kept_by, tr("Whether the arrays keep parity or copies.")),
            ("copies", tr("Copies"), self._copies, tr("How often each chunk is kept.")),
            ("arrangement", tr("Layout"), self._arrangement, tr("Where the copies lie; see the picture.")),
            ("chunk", tr("Chunk"), chunk, tr("How much goes to one disk before the next takes over.")),
            ("spares", tr("Spares"), self._spares, tr("Disks that stand by and take a failed one's place at once.")),
        )
        rare = (
            ("nested", tr("Nested"), self._nested, tr("A stripe over groups of disks, each an array of its own.")),
            ("", tr("Arrays"), self._groups, tr("How many arrays, and of how many disks each.")),
            ("layout", tr("Layout"), self._layout, tr("How parity goes around the disks.")),
            ("bitmap", tr("Bitmap"), self._bitmap, tr("Remembers what was being written, for a short resync.")),
            (
                "journal",
                tr("Journal"),
                self._journal,
                tr("A disk that every write reaches first; closes the write hole."),
            ),
            ("missing", tr("Missing"), self._missing, tr("Slots left empty for disks that come later.")),
            ("metadata", tr("Metadata"), self._metadata, tr("The format of md's superblock, and where it lies.")),
            (
                "assume-clean",
                tr("First sync"),
                self._first_sync,
                tr("Copies and parity are made after creation."),
            ),
            ("read-ahead", tr("Read-ahead"), self._read_ahead, tr("What the kernel reads beyond what was asked for.")),
        )
        names: dict[QWidget, QLabel] = {}
        for grid, rows in ((self._grid, usual), (self._rare_grid, rare)):
            for place, (term, title, control, hint) in enumerate(rows):
                name = label(title, "dim")
                name.setToolTip(hint)
                name.setBuddy(control)
                names[control] = name
                grid.addWidget(name, place, 0)
                if term:
                    self._explains[control] = ExplainButton(term, self)
                    grid.addWidget(self._explains[control], place, 1)
                grid.addWidget(control, place, 2)
        return names

    def _segments(self, name: str, title: str, choose: object) -> Segmented:
        segments = Segmented(name, title)
        segments.chosen.connect(choose)
        return segments

    def _combo(self, name: str, title: str, choose: Callable[[str], None]) -> QComboBox:
        combo = ComboBox()
        combo.setObjectName(name)
        combo.setAccessibleName(title)
        combo.textActivated.connect(choose)
        return combo

    def _slider(self) -> tuple[QSlider, QLabel]:
        slider = Slider()
        slider.setObjectName("chunk")
        slider.setAccessibleName(tr("Chunk"))
        slider.setRange(0, len(edits.CHUNKS_KIB) - 1)
        slider.setPageStep(1)
        slider.valueChanged.connect(self._choose_chunk)
        text = label("", "title", name="chunk-text")
        text.setFixedWidth(64)
        text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return slider, text

    def _edit(self) -> QLineEdit:
        edit = QLineEdit()
        edit.setObjectName("array-name")
        edit.setAccessibleName(tr("Name of the array"))
        edit.setValidator(QRegularExpressionValidator(QRegularExpression(ARRAY_NAME), edit))
        self._typing = QTimer(self)  # keys typed while the last one's plan was worked out are taken together
        self._typing.setSingleShot(True)
        self._typing.setInterval(0)
        self._typing.timeout.connect(self._choose_name)
        edit.textEdited.connect(lambda _text: self._typing.start())
        edit.editingFinished.connect(self._choose_name)
        edit.inputRejected.connect(lambda: self._say_name_rule(edit))
        return edit

    def _say_name_rule(self, edit: QLineEdit) -> None:
        """Say at the field why what was typed or pasted isn't taken."""
        rule = tr("At most {count} letters, digits, “-” and “_”.", count=MAX_NAME_LENGTH)
        QToolTip.showText(edit.mapToGlobal(edit.rect().bottomLeft()), rule, edit)

    @Slot(object)
    def _show(self, draft: Draft) -> None:
        plan = draft.plan
        self.setEnabled(plan is not None and not draft.is_locked)
        if plan is None:
            return
        self._show_level(plan)
        self._show_bands(plan)
        self._show_nested(plan)
        self._show_layout(plan)
        self._show_chunk(plan)
        self._show_resync(plan)
        self._show_manning(plan)
        self._show_rest(plan)

    def _show_level(self, plan: Plan) -> None:
        choices = [
            Choice(str(level), translated(text), self._model.why_not_level(level), hint=str(level))
            for level, text in _LEVELS.items()
        ]
        self._level.show_choices(choices, "" if as_array(plan.top).is_nested else str(as_array(plan.top).level))

    def _show_bands(self, plan: Plan) -> None:
        for control, applies in self._bands.show_plan(plan):
            self._set_visible(control, applies)

    def _show_layout(self, plan: Plan) -> None:
        array = as_array(plan.top)
        is_10 = array.level is Level.RAID10
        self._set_visible(self._copies, is_10)
        self._set_visible(self._arrangement, is_10)
        self._set_visible(self._layout, array.level in _LAYOUTS)
        if is_10:
            self._copies.show_choices(
                [Choice(str(n), str(n)) for n in edits.copy_counts(plan)], str(array.copies.total)
            )
            self._arrangement.show_choices(self._arrangements(), array.copies.letter)
        elif array.level in _LAYOUTS:
            self._offer(self._layout, _LAYOUTS[array.level], array.layout or "left-symmetric")

    def _show_nested(self, plan: Plan) -> None:
        disks, inner = len(self._model.pool), edits.inner_level(plan)
        odd = ntr(
            "These {count} disks can't be divided into equal groups for that.",
            "These {count} disks can't be divided into equal groups for that.",
            disks,
        )
        choices = [
            Choice(str(level), text, "" if edits.group_counts(level, disks) else odd, hint)
            for level, (text, hint) in self._nested_kinds().items()
        ]
        self._nested.show_choices((Choice("", tr("none")), *choices), str(inner or ""))
        self._set_visible(self._groups, inner in edits.NESTED)
        if inner in edits.NESTED:
            counts = edits.group_counts(inner, disks)
            self._offer(self._groups, [f"{count} × {disks // count}" for count in counts], edits.groups_of(plan))

    def _nested_kinds(self) -> dict[Level, tuple[str, str]]:
        return {
            Level.RAID1: (
                "1+0",
                tr("Mirrors, striped: raid10 by hand, where each mirror can be taken away whole."),
            ),
            Level.RAID5: ("50", tr("raid5 arrays, striped: each of them may lose a disk.")),
            Level.RAID6: ("60", tr("raid6 arrays, striped: each of them may lose two disks.")),
        }

    def _offer(self, combo: QComboBox, texts: Sequence[str], current: str) -> None:
        with QSignalBlocker(combo):
            combo.clear()
            combo.addItems(texts)
            combo.setCurrentText(current)

    def _arrangements(self) -> list[Choice]:
        hints = {
            "n": (tr("near"), tr("Copies side by side: can be grown later.")),
            "f": (tr("far"), tr("Copies far in: reads as fast as raid0; can never be reshaped.")),
            "o": (tr("offset"), tr("Copies one row down: between near and far.")),
        }
        return [
            Choice(letter, text, self._model.why_not(lambda old, to=letter: edits.with_arrangement(old, to)), hint)  # type: ignore[misc]
            for letter, (text, hint) in hints.items()
        ]

    def _show_chunk(self, plan: Plan) -> None:
        self._set_visible(self._chunk_row, edits.chunk_of(plan) > 0)
        chunk = edits.chunk_of(plan) or DEFAULT_CHUNK_KIB
        with QSignalBlocker(self._chunk):
            self._chunk.setValue(edits.CHUNKS_KIB.index(chunk) if chunk in edits.CHUNKS_KIB else 0)
        self._chunk_text.setText(chunk_words(chunk))
        self._chunk.setAccessibleDescription(binary_size(chunk * 1024))

    def _show_resync(self, plan: Plan) -> None:
        self._set_visible(self._bitmap, not as_array(plan.top).is_nested)  # the inner arrays keep theirs
        none = tr("{level} keeps no bitmap: there is nothing to resync.", level=as_array(plan.top).level)
        why_no_log = self._model.why_not(lambda old: edits.with_resync(old, "ppl"))
        hint = tr("A partial parity log: closes the write hole, and makes writes somewhat slower.")
        choices = (
            Choice("internal", tr("internal"), none if not as_array(plan.top).level.is_redundant else ""),
            Choice("none", tr("none")),
            Choice("ppl", "PPL", why_no_log, hint),
            *([Choice("lockless", tr("lockless"))] if as_array(plan.top).bitmap is Bitmap.LOCKLESS else []),  # of files
        )
        self._bitmap.show_choices(choices, edits.resync_of(plan))
        self._show_journal(plan)

    def _show_journal(self, plan: Plan) -> None:
        self._set_visible(self._journal, as_array(plan.top).level.parity_disks > 0 and not as_array(plan.top).is_nested)
        can = edits.can_spare_a_journal(plan)
        self._journal.setEnabled(can)
        self._journal.setToolTip("" if can else tr("Too few disks: a journal takes one of its own."))
        with QSignalBlocker(self._journal):
            self._journal.clear()
            self._journal.addItem(tr("none"), "")
            for disk in sorted(plan.disks(), key=lambda one: one.id):
                self._journal.addItem(short_serial(disk.serial or disk.id), disk.id)
            self._journal.setCurrentIndex(self._journal.findData(getattr(as_array(plan.top).journal, "id", "")))

    def _show_manning(self, plan: Plan) -> None:
        """Show spares and empty slots, within the limits of the level and the number of disks."""
        array = as_array(plan.top)
        most = min(_MAX_SPARES, edits.most_spares(array.level, len(array.members) + len(array.spares)))
        self._set_visible(self._spares, array.level.is_redundant and most > 0)
        self._set_visible(self._missing, array.level.is_redundant)
        for segments, count, now, change in (
            (self._spares, most, len(array.spares), edits.with_spares),
            (self._missing, _MAX_MISSING, edits.missing_in(plan), edits.with_missing),
        ):
            choices = [
                Choice(str(number), str(number), self._model.why_not(lambda old, to=number, by=change: by(old, to)))  # type: ignore[misc]
                for number in range(count + 1)
            ]
            segments.show_choices(choices, str(now))

    def _show_rest(self, plan: Plan) -> None:
        array = as_array(plan.top)
        metadata = [
            Choice(str(kind), str(kind), self._model.why_not(lambda old, to=kind: edits.with_metadata(old, to)))  # type: ignore[misc]
            for kind in Metadata
        ]
        self._set_visible(self._metadata, plan.volume is None)
        self._metadata.show_choices(metadata, str(array.metadata))
        self._set_visible(self._first_sync, array.level.is_redundant and not array.is_nested)
        skip = Choice("skip", tr("skip"), hint=tr("--assume-clean: what is there is taken for synchronised."))
        self._first_sync.show_choices((Choice("run", tr("run")), skip), "skip" if array.assume_clean else "run")
        self._names[self._name].setToolTip(tr("The array's name; it will stand at {path}.", path=device_path(plan.top)))
        self._set_visible(self._read_ahead, plan.volume is None)  # LVM sets that of a volume
        self._read_ahead.setText(tr("{size}, set by md", size=chunk_words(read_ahead_kib(array))))
        if self._name.text() != plan.name and not self._typing.isActive():
            self._name.setText(plan.name)

    def _set_visible(self, control: QWidget, visible: bool) -> None:
        control.setVisible(visible)
        self._names[control].setVisible(visible)
        self._explains.get(control, control).setVisible(visible)

    def _editing(self, change: Callable[[Plan, _Value], Plan], kind: Callable[[str], _Value]) -> Callable[[str], None]:
        """Return what makes ``change`` with the text of a choice, read as ``kind``."""
        return lambda text: self._model.edit(lambda plan: change(plan, kind(text)))

    @Slot(int)
    def _choose_chunk(self, step: int) -> None:
        chunk_kib = edits.CHUNKS_KIB[step]
        self._model.edit(lambda plan: with_chunk(plan, chunk_kib))

    @Slot(str)
    def _choose_journal(self, _words: str) -> None:
        disk_id = self._journal.currentData()
        self._model.edit(lambda plan: edits.with_journal(plan, disk_id))

    @Slot(str)
    def _choose_nested(self, level: str) -> None:
        if level:
            self._model.choose_nested(Level(level), edits.first_groups(Level(level), len(self._model.pool)))
        else:
            self._model.choose_level(edits.first_plan(self._model.pool).array.level)

    @Slot(str)
    def _choose_groups(self, text: str) -> None:
        plan = self._model.draft.plan
        inner = edits.inner_level(plan) if plan is not None else None
        if inner is not None:
            self._model.choose_nested(inner, int(text.partition(" ")[0]))

    @Slot()
    def _choose_name(self) -> None:
        self._typing.stop()
        name = self._name.text()
        plan = self._model.draft.plan
        if name and plan is not None and name != plan.name:
            self._model.edit_fields(name=name)
