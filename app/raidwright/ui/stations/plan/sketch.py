"""A small picture of a layout for other stations: a heading above each disk, and the disks that come in marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.core.model.plan import MdArray, Plan
from raidwright.text.catalogue import tr
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for

from .stage.layout import ROW, StageLayout
from .stage.picture import PicturePainter, SlotColumn, StagePicture
from .stage.scene import scene_of, states_of
from .walk.preview import JoinedPreview

_MAX_COLUMNS, _MAX_WIDTH = 8, 460
_HEAD, _EDGE, _GAP = 20, 6, 26  # above the columns, above their cells, and between two bands


class LayoutSketch(QWidget):
    """The first ``rows`` of ``plan``, with ``names`` above its slots; those of ``added`` are outlined."""

    def __init__(self, plan: Plan, names: Sequence[str], added: Collection[int], rows: int) -> None:
        super().__init__()
        shown = _slots(plan.array, added)
        self._names = tuple(names[slot] if slot < len(names) else "" for slot in shown)
        self._added = frozenset(place for place, slot in enumerate(shown) if slot in added)
        self._geometry = geometry_of(plan.on(_narrowed(plan.array, shown)))
        scene = scene_of(self._geometry, 0, rows)
        count = len(scene.bands)  # two with far copies
        self._scene = scene if count == 1 else scene_of(self._geometry, 0, max(1, rows // count))
        self._rows = tuple(len(band.rows) for band in self._scene.bands)
        self._picture: StagePicture | None = None
        self.setAccessibleName(tr("Picture"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEAD + 2 * _EDGE + rows * ROW + (len(self._rows) - 1) * _GAP)

    def sizeHint(self) -> QSize:
        """Qt: the size that fits a card."""
        return QSize(240, self.height())

    def _drawn(self) -> StagePicture:
        width = min(self.width(), _MAX_WIDTH)
        if self._picture is None or self._picture.layout.width != width:
            layout = _Layout(width, self.height(), self._geometry.members, self._rows)
            columns = tuple(SlotColumn(name, name, "", "", 0, "") for name in self._names)
            states = states_of(self._geometry, self._scene, frozenset())
            self._picture = StagePicture(self._scene, columns, layout, states)
        return self._picture

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint as the stage does."""
        painter = QPainter(self)
        parts = _Painter(painter, self._drawn(), tokens_for(self.palette()), self.devicePixelRatioF())
        parts.added = self._added
        parts.paint_healthy()
        parts.paint_gaps()


class _Layout(StageLayout):
    """The stage's columns, at the left, below a line for their names."""

    def band_top(self, band: int) -> int:
        """Return the top of a band's first row."""
        return _HEAD + _EDGE + band * (self.band_rows[0] * ROW + _GAP)

    def column(self, slot: int) -> QRectF:
        """Return the rectangle of a slot's column."""
        return super().column(slot).adjusted(0, _HEAD, 0, 0)


class _Painter(PicturePainter):
    """Painter of columns with a name each, and a dashed outline around those that come in."""

    added: frozenset[int] = frozenset()

    def _paint_column(self, slot: int, *, failed: bool) -> None:  # noqa: ARG002 -- nothing has failed
        painter, scheme, is_new = self._painter, self._scheme, slot in self.added
        rect = self._layout.column(slot)
        edge, ground = (scheme.accent, scheme.accent_soft) if is_new else (scheme.line, scheme.sunken)
        painter.setPen(QPen(QColor(edge), 1, Qt.PenStyle.DashLine if is_new else Qt.PenStyle.SolidLine))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), tokens.CORNER, tokens.CORNER)
        head = QRectF(rect.left(), 0, rect.width(), _HEAD - 2)
        painter.setFont(font(tokens.TYPE_TINY, QFont.Weight.DemiBold))
        painter.setPen(QColor(scheme.accent if is_new else scheme.text))
        name = self._picture.columns[slot].title
        shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(rect.width()))
        painter.drawText(head, Qt.AlignmentFlag.AlignCenter, shown)


def sketch_of(plan: Plan, names: Sequence[str], added: Collection[int], rows: int) -> QWidget:
    """Return the picture of ``plan``; of a joined one its disks and arrays at their true heights."""
    if plan.volume is not None:
        return JoinedPreview(plan, plan.volume, 0)
    return LayoutSketch(plan, names, added, rows)


def _slots(array: MdArray, added: Collection[int]) -> tuple[int, ...]:
    """Return the slots that are drawn: all, or of many the first, and the last of those that come in."""
    count = len(array.members)
    if count <= _MAX_COLUMNS:
        return tuple(range(count))
    new = sorted(added)[-_MAX_COLUMNS // 2 :]
    old = [slot for slot in range(count) if slot not in new][: _MAX_COLUMNS - len(new)]
    return tuple(sorted((*old, *new)))


def _narrowed(array: MdArray, slots: Sequence[int]) -> MdArray:
    if array.is_nested:
        return replace(array, spares=())
    return replace(array, members=tuple(array.members[slot] for slot in slots), spares=())
