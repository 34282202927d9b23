"""A small picture of a plan, painted like the stage, with failed disks."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from raidwright.analysis.assessment import assess
from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.core.model.plan import LinearVolume, MdArray, Plan
from raidwright.text.catalogue import tr
from raidwright.ui.stations.plan.stage.layout import ROW, StageLayout
from raidwright.ui.stations.plan.stage.paint import paint_column, paint_ring
from raidwright.ui.stations.plan.stage.picture import PicturePainter, SlotColumn, StagePicture
from raidwright.ui.stations.plan.stage.replay import Access, replay
from raidwright.ui.stations.plan.stage.scene import scene_of, states_of
from raidwright.ui.stations.plan.stage.sliced import joined_scene
from raidwright.ui.stations.plan.stage.sliced_layout import SlicedLayout
from raidwright.ui.stations.plan.stage.sliced_picture import SlicedPainter, SlicedPicture
from raidwright.ui.theme import tokens_for

MAX_COLUMNS = 6
_ROWS, _ROWS_OF_BAND = 3, 2  # with far copies, rows of each of two bands
_MAX_WIDTH = 428
_JOINED_HEIGHT = 132
_EDGE, _GAP = 6, 26  # above and below the cells, and between two bands
_VEIL = 0.62


class _Layout(StageLayout):
    """The stage's columns without the headings above their cells."""

    def band_top(self, band: int) -> int:
        """Return the top of a band's first row."""
        return _EDGE + band * (self.band_rows[0] * ROW + _GAP)


class _Painter(PicturePainter):
    """Painter of columns without a slot's title and reserved area."""

    def _paint_column(self, slot: int, *, failed: bool) -> None:
        paint_column(self._painter, self._layout.column(slot), self._scheme, failed=failed)

    def _veil(self, slot: int, *, whole: bool) -> None:
        rect = self._layout.column(slot)
        if not whole:
            paint_ring(self._painter, rect, self._scheme.accent)
            rect = rect.adjusted(2, 2, -2, -2)
        veil = QColor(self._scheme.panel if whole else self._scheme.sunken)
        veil.setAlphaF(_VEIL)
        self._painter.fillRect(rect, veil)


class JoinedPreview(QWidget):
    """A joined plan's disks and arrays at their true heights, with its ``failures`` largest disks failed."""

    def __init__(self, plan: Plan, volume: LinearVolume, failures: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene = joined_scene(assess(plan), volume)
        disks = range(len(self._scene.disks))
        by_height = sorted(disks, key=lambda column: self._scene.disks[column].height, reverse=True)
        self._failed = frozenset(by_height[:failures])
        self.setAccessibleName(tr("Picture"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_JOINED_HEIGHT)

    def sizeHint(self) -> QSize:
        """Qt: the size that fits a card."""
        return QSize(180, _JOINED_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint as the stage does, without headings."""
        layout = SlicedLayout(self._scene, min(self.width(), _MAX_WIDTH), self.height(), 0, head=0)
        painter = QPainter(self)
        picture = SlicedPicture(layout, self._failed)
        SlicedPainter(painter, picture, tokens_for(self.palette()), self.devicePixelRatioF()).paint()
        painter.end()


def preview_of(plan: Plan, failures: int, access: Access | None, parent: QWidget) -> PlanPreview | JoinedPreview:
    """Return the picture of ``plan`` with ``failures`` failures, and an access to it."""
    if plan.volume:
        return JoinedPreview(plan, plan.volume, failures, parent)
    return PlanPreview(plan, failures, access, parent)


class PlanPreview(QWidget):
    """A picture as wide as its card, at most, and as high as the plan's picture."""

    def __init__(self, plan: Plan, failures: int, access: Access | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._geometry = geometry_of(in_small(plan))
        self._failed = frozenset(range(1, 1 + max(0, min(failures, self._geometry.members - 1))))
        self._access = access
        self._picture: StagePicture | None = None
        self.setAccessibleName(tr("Picture"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        scene = scene_of(self._geometry, 0, _ROWS)
        self._scene = scene_of(self._geometry, 0, _ROWS_OF_BAND) if len(scene.bands) > 1 else scene
        self._rows = tuple(len(band.rows) for band in self._scene.bands)
        bands = len(self._rows)
        self.setFixedHeight(2 * _EDGE + sum(self._rows) * ROW + (bands - 1) * _GAP)

    def sizeHint(self) -> QSize:
        """Qt: the size that fits a card."""
        return QSize(180, self.height())

    def _drawn(self) -> StagePicture:
        width = min(self.width(), _MAX_WIDTH)
        if self._picture is None or self._picture.layout.width != width:
            layout = _Layout(width, self.height(), self._geometry.members, self._rows)
            columns = tuple(SlotColumn(str(slot), str(slot), "", "", 0, "") for slot in range(self._geometry.members))
            states = states_of(self._geometry, self._scene, self._failed)
            touches = replay(self._geometry, self._access, self._failed).touches if self._access else None
            self._picture = StagePicture(self._scene, columns, layout, states, self._failed, touches)
        return self._picture

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint as the stage does."""
        painter = QPainter(self)
        parts = _Painter(painter, self._drawn(), tokens_for(self.palette()), self.devicePixelRatioF())
        parts.paint_healthy()
        parts.paint_failures()
        parts.paint_touches()
        parts.paint_gaps()


def in_small(plan: Plan) -> Plan:
    """Return a plan with the same layout on at most ``MAX_COLUMNS`` disks, without spares."""
    return plan.on(_in_small(plan.array))


def _in_small(array: MdArray) -> MdArray:
    if array.is_nested:
        groups = tuple(_in_small(one) for one in array.members[:2] if isinstance(one, MdArray))
        least = MAX_COLUMNS // 2 + (groups[0].level.parity_disks > 1)
        members = tuple(replace(one, members=one.members[:least]) for one in groups)
        return replace(array, members=members, spares=())
    return replace(array, members=array.members[:MAX_COLUMNS], spares=())
