"""The page of a judgement: the verdict as its title, a row for each topic, and at the right the one thing to do."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.text.array.growth import needs_words
from raidwright.text.array.judgement import JudgedRow, Remedy, first_words, shape_line, verdict_words
from raidwright.text.catalogue import tr, translated
from raidwright.text.shown import Tone
from raidwright.ui.stations.arrays.bigger.parts import Sketch, rows_of, value_rows
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S
from raidwright.ui.widgets.panel import Panel, TabPlace, badge, button, clear, column, label, row, rule, scrolled

from .model import GoodModel

_SIGNS: dict[Tone, str] = {"good": "✓", "warn": "!", "bad": "✕", "info": "–"}
_TITLE_WIDTH, _MARK_WIDTH, _ASIDE_WIDTH, _ROWS = 132, 24, 320, 4


class GoodPage(QWidget):
    """The page of ``model``; ``closed`` asks for the arrays."""

    closed = Signal()

    def __init__(self, model: GoodModel, sketch: Sketch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("good-page")
        self._model, self._sketch = model, sketch
        self._shown: tuple[object, ...] = ()
        self._title = label("", "question", name="good-verdict", wrap=True)
        self._line = label("", "dim", name="good-line", wrap=True)
        back = button(tr("← Arrays"), "good-close")
        back.clicked.connect(self.closed)
        plan = button(tr("See it as a plan"), "good-as-plan")
        plan.clicked.connect(model.as_plan)
        head = Panel()
        line = row(back, column(self._title, self._line, spacing=0), plan, spacing=SPACE_L)
        line.setStretch(1, 1)
        head.body.addLayout(line)
        looked = Panel(tr("What was looked at"))
        self._place = TabPlace(looked)
        self._rows = column(spacing=SPACE_S)
        looked.body.addLayout(self._rows)
        self._said = label("", name="good-said", wrap=True)
        looked.body.addWidget(self._said)
        looked.body.addStretch(1)
        self._aside = Panel(tr("If you do one thing"))
        self._aside.setFixedWidth(_ASIDE_WIDTH)
        self._one = column()
        self._aside.body.addLayout(self._one, 1)
        inner = QWidget()
        parts = row(looked, self._aside, spacing=SPACE_M)
        parts.setStretch(0, 1)
        parts.setAlignment(self._aside, Qt.AlignmentFlag.AlignTop)
        inner.setLayout(parts)
        whole = column(head, scrolled(inner), spacing=SPACE_M)
        whole.setStretch(1, 1)
        self.setLayout(whole)
        model.changed.connect(self._show)

    @Slot()
    def _show(self) -> None:
        model, judged = self._model, self._model.judged
        if judged is None:
            self._shown = ()
            return
        name = judged.array.name
        verdict = verdict_words(name, model.rows)
        self._title.setText(verdict)
        self._line.setText(shape_line(judged))
        self.setAccessibleName(verdict)
        self._said.setText(model.job_words)
        self._said.setVisible(bool(model.job_words))
        shown = (judged.array.uuid, model.rows, model.safer, model.is_busy)
        if shown == self._shown:
            return
        self._shown = shown
        self._show_rows()
        self._show_first()

    def _show_rows(self) -> None:
        clear(self._rows)
        buttons = []
        for one in self._model.rows:
            self._rows.addWidget(rule())
            self._rows.addWidget(line := RowLine(one, self._model))
            buttons += [line.button] if line.button is not None else []
        self._place.give(*buttons)

    def _show_first(self) -> None:
        clear(self._one)
        first = self._model.first
        heading, reason = first_words(first)
        self._one.addWidget(label(heading, "question", name="good-first", wrap=True))
        self._one.addWidget(label(reason, wrap=True, name="good-reason"))
        if first is not None and first.remedy is Remedy.SAFER:
            self._show_safer(self._one)
        if first is not None:
            go = button(first.button, "good-go", primary=True)
            go.setEnabled(not self._model.is_busy)
            go.clicked.connect(lambda: self._model.act(first))
            self._one.addWidget(go)

    def _show_safer(self, box: QVBoxLayout) -> None:
        """Show what the array would be like: the picture, and its figures beside those of today by their colour."""
        safer, judged = self._model.safer, self._model.judged
        if safer is None or judged is None:
            return
        choice, figures = safer
        had = {disk.id for disk in whole_disks(choice.way.before)}
        disks = whole_disks(choice.way.after)
        added = frozenset(slot for slot, disk in enumerate(disks) if disk.id not in had)
        names = [tr("new") if slot in added else str(slot) for slot in range(len(disks))]
        box.addWidget(self._sketch(judged.plan.on(choice.way.after), names, added, _ROWS))
        box.addLayout(value_rows(rows_of(figures, judged.figures)))
        needs, where = needs_words(choice, lambda disk: disk.serial or disk.id)
        box.addWidget(label(tr("Needs {what}: {where}.", what=needs, where=where), "dim", wrap=True))


class RowLine(QWidget):
    """A row: its mark, its topic, its sentences, and its button, None without one."""

    def __init__(self, shown: JudgedRow, model: GoodModel) -> None:
        super().__init__()
        self.setObjectName(f"good-{shown.topic}")
        said = "\n".join(shown.sentences)
        self.setAccessibleName(f"{_SIGNS[shown.tone]} {shown.title}")
        self.setAccessibleDescription(said)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_M)
        mark = badge(_SIGNS[shown.tone], shown.tone)
        mark.setFixedWidth(_MARK_WIDTH)
        mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
        title = label(shown.title, "title", wrap=True)
        title.setFixedWidth(_TITLE_WIDTH)
        words = label(said, "" if shown.tone in ("warn", "bad") else "dim", wrap=True)
        self._hint(shown, words)
        grid.addWidget(mark, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(title, 0, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(words, 0, 2, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(2, 1)
        self.button = None
        if shown.button:
            self.button = button(shown.button, f"good-act-{shown.topic}")
            self.button.setAccessibleName(f"{shown.title}: {shown.button}")
            self.button.setEnabled(not model.is_busy)
            self.button.clicked.connect(lambda: model.act(shown))
            grid.addWidget(self.button, 0, 3, Qt.AlignmentFlag.AlignVCenter)

    def _hint(self, shown: JudgedRow, words: QLabel) -> None:
        """Give the reasons and remedies of the findings on hover, as Plan does."""
        hint = "\n\n".join(translated(part) for one in shown.findings for part in (one.reason, one.remedy) if part)
        words.setToolTip(hint)
        words.setAccessibleDescription(hint)
