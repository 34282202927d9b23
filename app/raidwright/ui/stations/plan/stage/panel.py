"""The stage with its controls: the rows' scroll bar, Go to, the verdict, and the replay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QScrollBar, QWidget

from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.core.errors import InputError
from raidwright.core.units import SECTOR_BYTES, parse_size
from raidwright.text.catalogue import joined, tr, translated
from raidwright.text.plan.joined import joined_gist
from raidwright.text.plan.names import short_name
from raidwright.ui.draft import Draft
from raidwright.ui.stations.plan.model import PlanModel
from raidwright.ui.theme import tokens_for
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.panel import Panel, badge, button, label, restyle, row
from raidwright.ui.widgets.save_button import SaveButton

from . import failures
from .columns import asides_of, columns_of
from .picture_file import save_picture
from .replay import replay, stopped, stripe_bytes
from .replay_bar import ReplayBar
from .sliced import joined_scene, said_aloud
from .sliced_stage import SlicedStage
from .stage import PlanStage

_SCROLL_STEPS = 1_000_000
_VERDICT_BESIDE = 420  # minimum width in pixels
_GO_TO_MIN, _GO_TO_MAX = 60, 92  # pixels


class StagePanel(Panel):
    """The PlanModel's plan and its simulated failures."""

    def __init__(self, model: PlanModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Where everything lies"), parent=parent)
        self._model = model
        self._stage = PlanStage()
        self._sliced = SlicedStage()
        self._sliced.hide()
        self._is_joined = False
        self._gist = label("", "dim", name="stage-gist")
        self.say_beside(self._gist)
        self._rows = QScrollBar(Qt.Orientation.Vertical)
        self._rows.setObjectName("stage-rows")
        self._rows.setAccessibleName(tr("Rows in sight"))
        self._verdict = badge("", "good")
        self._sentence = label("", name="stage-sentence", wrap=True)
        self._foot = row(spacing=SPACE_M)
        self._replay = ReplayBar()
        self._replay.hide()
        self._fill_head()
        self._fill_body()
        self._stage.failure_wanted.connect(model.toggle_failure)
        self._sliced.failure_wanted.connect(model.toggle_failure)
        self._stage.scrolled.connect(self._follow_stage)
        self._rows.valueChanged.connect(self._scroll)
        self._replay.changed.connect(self._show_replay)
        model.changed.connect(self._show)
        model.failed_changed.connect(self._show_failures)
        model.absent_changed.connect(lambda: self._show(model.draft))
        self._show(model.draft)

    def _fill_head(self) -> None:
        self.title.setMinimumWidth(1)
        self._place = QLineEdit()
        self._place.setObjectName("stage-go-to")
        self._place.setAccessibleName(tr("Go to an offset of the array, as 4 TiB, or to a row by its number"))
        self._place.setToolTip(self._place.accessibleName())
        self._place.setPlaceholderText(tr("Go to …"))
        self._place.setMinimumWidth(_GO_TO_MIN)
        self._place.setMaximumWidth(_GO_TO_MAX)
        self._place.returnPressed.connect(self._go_to)
        self._toggle = button(tr("Replay"), "stage-replay")
        self._toggle.setToolTip(tr("See which disks a read or a write touches"))
        self._toggle.setProperty("kind", "toggle")
        self._toggle.setCheckable(True)
        self._toggle.toggled.connect(self._replay.setVisible)
        self._toggle.toggled.connect(self._show_replay)
        self._toggle.toggled.connect(self._arrange)
        self._save = SaveButton("stage", "array")
        self._save.wanted.connect(self._save_to)
        for part in (self._place, self._toggle, self._save):
            self.head.addWidget(part)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: on a small window, hide the title for the controls beside it, and put the verdict above its sentence."""
        self._arrange()
        self._fit_head()
        super().resizeEvent(event)

    def _fit_head(self) -> None:
        parts = [part for part in (self._place, self._toggle, self._save) if not part.isHidden()]
        controls = sum(part.sizeHint().width() + SPACE_S for part in parts)
        room = self.width() - controls - 2 * SPACE_L
        wanted = self.title.sizeHint().width()
        self.title.setVisible(room >= wanted)
        gist = self._gist.fontMetrics().horizontalAdvance(self._gist.text()) + SPACE_M
        self._gist.setVisible(self._is_joined and room >= wanted + gist)

    @Slot()
    def _arrange(self) -> None:
        """Put the verdict beside its sentence; on a narrow stage above it, and then a replay hides the sentence."""
        is_wide = self.width() >= _VERDICT_BESIDE
        ways = QBoxLayout.Direction
        self._foot.setDirection(ways.LeftToRight if is_wide else ways.TopToBottom)
        self._foot.setSpacing(SPACE_M if is_wide else SPACE_XS)
        self._sentence.setVisible(is_wide or not self._toggle.isChecked())

    def _fill_body(self) -> None:
        self.body.addLayout(row(self._stage, self._sliced, self._rows), 1)
        # keeps the stage's position
        self._sentence.setMinimumHeight(2 * self._sentence.fontMetrics().lineSpacing() + 2)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._foot.addWidget(self._verdict, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        self._foot.addWidget(self._sentence, 1)
        self.body.addLayout(self._foot)
        self.body.addWidget(self._replay)

    @Slot(object)
    def _show(self, draft: Draft) -> None:
        if draft.assessment is None:
            self._stage.show_layout(None, ())
            self._sliced.show_scene(None)
            self._say("", "info", draft.refusal)
            return
        plan, volume = draft.assessment.plan, draft.assessment.plan.volume
        kind = plan.word if volume else short_name(plan.top)
        self._save.base_name = f"{plan.name}-{kind}".replace(" ", "-")
        self._gist.setText(f"· {joined_gist(volume)}" if volume else "")
        self._show_as(is_joined=volume is not None)
        if volume:
            self._stage.show_layout(None, ())
            self._sliced.show_scene(joined_scene(draft.assessment, volume, self._model.absent))
            self._show_failures(self._model.failed)
            return
        geometry = geometry_of(plan)
        self._sliced.show_scene(None)
        self._stage.show_layout(geometry, columns_of(draft.assessment, self._model.absent), asides_of(plan))
        self._replay.offer_stripe(stripe_bytes(geometry))
        self._show_failures(self._model.failed)

    def _show_as(self, *, is_joined: bool) -> None:
        """Show the stage for a plan's kind; rows and accesses are of one array, so a joined plan has no controls."""
        self._is_joined = is_joined
        if is_joined:
            self._toggle.setChecked(False)
        of_one: tuple[QWidget, ...] = (self._stage, self._place, self._toggle)
        for part in of_one:
            part.setVisible(not is_joined)
        self._sliced.setVisible(is_joined)
        self._fit_head()

    @Slot(object)
    def _show_failures(self, failed: frozenset[int]) -> None:
        self._stage.show_failures(self._model.gone)
        self._sliced.show_failures(self._model.gone)
        if self._model.draft.assessment is not None:
            told = failures.tell(self._model.draft.assessment, failed)
            self._say(told.word, told.tone, told.sentence)
        self._show_replay()

    @Slot()
    def _show_replay(self) -> None:
        geometry, assessment = self._stage.geometry_shown, self._model.draft.assessment
        access = self._replay.access if self._toggle.isChecked() else None
        if geometry is None or assessment is None or access is None:
            self._stage.show_touches(None)
            return
        runs = failures.runs(assessment, self._model.failed)
        told = replay(geometry, access, self._model.gone) if runs else stopped()
        self._replay.say(told.sentence)
        self._stage.show_touches(told.touches)
        if told.first_row is not None:
            self._stage.bring_into_sight(told.first_row)

    def _say(self, word: str, tone: str, sentence: str) -> None:
        self._verdict.setText(word)
        self._verdict.setVisible(bool(word))
        self._verdict.setProperty("badge", tone)
        restyle(self._verdict)
        self._sentence.setText(sentence)
        self._stage.setAccessibleDescription(sentence)
        assessment = self._model.draft.assessment
        if assessment is not None and assessment.plan.volume:
            self._sliced.setAccessibleDescription(joined(sentence, said_aloud(assessment)))

    @Slot()
    def _go_to(self) -> None:
        """Scroll to the row typed, or to that of the offset typed."""
        geometry, text = self._stage.geometry_shown, self._place.text().strip().replace(",", "")
        if geometry is None or not text:
            return
        if text.isascii() and text.isdigit():
            self._stage.scroll_to(int(text) - geometry.first_row)
            return
        try:
            chunk = parse_size(text) // (geometry.chunk_sectors * SECTOR_BYTES)
        except InputError as error:
            self._say(tr("Not a place"), "warn", translated(error.sentence))
            return
        _members, rows = geometry.locate(np.array([min(chunk, geometry.chunks - 1)], dtype=np.int64))
        self._stage.bring_into_sight(int(rows[0, 0]))

    @Slot(object)
    def _save_to(self, path: Path) -> None:
        picture, plan = self._sliced.picture or self._stage.picture, self._model.draft.plan
        if picture is None or plan is None:
            return
        title = " · ".join(part for part in (plan.name, short_name(plan.top), self._verdict.text()) if part)
        try:
            save_picture(path, picture, title, tokens_for(self.palette()))
        except InputError as error:
            self._say(tr("Not saved"), "bad", translated(error.sentence))
        else:
            self._say(tr("Saved"), "good", tr("The picture was saved as {path}.", path=path))

    @Slot()
    def _follow_stage(self) -> None:
        last = self._stage.last_first
        with QSignalBlocker(self._rows):
            steps = min(last, _SCROLL_STEPS)  # a scroll bar counts in int; 20 TB in 4 KiB chunks is more
            self._rows.setRange(0, steps)
            self._rows.setPageStep(max(1, min(self._stage.rows_in_sight, steps)))
            self._rows.setValue(round(self._stage.first * steps / last) if last else 0)
        self._rows.setVisible(last > 0)

    @Slot(int)
    def _scroll(self, value: int) -> None:
        last = self._stage.last_first
        self._stage.scroll_to(round(value * last / max(1, self._rows.maximum())))
