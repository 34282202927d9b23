"""The stage's picture in layers: without failures, then the failures' changes, then an access's cells.

The layers are separate so that a failure repaints only its own one, and so that the window, PNG and SVG have the same
picture.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen

from raidwright.analysis.geometry.of_plan import Flags, Role
from raidwright.analysis.geometry.states import CellState
from raidwright.colours import Tokens
from raidwright.text.catalogue import binary_size, decimal_size, tr
from raidwright.ui import tokens
from raidwright.ui.theme import font

from .layout import HEAD, RESERVED, ROW, CellPlace, StageLayout
from .paint import CellPainter, Look, Stamps, paint_column, paint_head, paint_ring
from .scene import Scene, States

_VEIL = 0.62
_WIDE, _BETWEEN_TITLES = 110, 4


@dataclass(frozen=True, slots=True)
class SlotColumn:
    """The heading of a column: the slot, its title, its disk, and the space reserved by md.

    ``is_absent``: the plan's disk is missing.
    """

    slot: str
    title: str
    disk: str
    reserved: str
    head_sectors: int
    hint: str
    is_absent: bool = False


@dataclass(frozen=True, slots=True)
class Touched:
    """The operations of an access on a cell."""

    reads: bool = False
    writes: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class StagePicture:
    """The content of a picture. ``touches`` are by (row, slot), None without an access.

    ``asides`` are the headings of the columns without cells.
    """

    scene: Scene
    columns: tuple[SlotColumn, ...]
    layout: StageLayout
    states: tuple[States, ...]
    failed: frozenset[int] = frozenset()
    touches: Mapping[tuple[int, int], Touched] | None = field(default=None)
    asides: tuple[SlotColumn, ...] = ()

    @property
    def most_digits(self) -> int:
        """The number of digits of the largest visible chunk number."""
        return len(str(max((int(band.cells.chunk.max(initial=0)) for band in self.scene.bands), default=0)))


class PicturePainter:
    """Painter of a Picture in a scheme, created for each QPainter. ``ratio`` and ``stamps`` as for a CellPainter."""

    def __init__(
        self, painter: QPainter, picture: StagePicture, scheme: Tokens, ratio: float, stamps: Stamps | None = None
    ) -> None:
        self._painter, self._picture, self._scheme, self._layout = painter, picture, scheme, picture.layout
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        size = self._layout.cell(CellPlace(0, 0, 0)).size()
        self._lefts = [self._layout.cell(CellPlace(0, 0, slot)).left() for slot in range(len(picture.columns))]
        self._cells = CellPainter(painter, scheme, size, "0" * picture.most_digits, ratio, stamps)

    def paint_healthy(self) -> None:
        """Paint the columns and cells without failures."""
        self.paint_columns()
        for band, count in enumerate(self._layout.band_rows):
            self.paint_rows(band, range(count), self._layout.band_top(band))

    def paint_columns(self) -> None:
        """Paint the columns without cells."""
        for slot in range(self._layout.columns):
            self._paint_column(slot, failed=False)

    def paint_rows(self, band: int, places: Sequence[int], top: float) -> None:
        """Paint the cells of some of a band's visible rows, below each other from ``top`` on, without failures."""
        shape = (self._layout.band_rows[band], len(self._picture.columns))
        chosen = np.zeros(shape, dtype=np.bool_)
        chosen[list(places)] = True
        tops = {place: top + number * ROW for number, place in enumerate(places)}
        self._paint_cells(band, np.full(shape, CellState.INTACT, dtype=np.uint8), chosen, tops=tops)

    def paint_failures(self) -> None:
        """Paint the failures' changes: whole columns, and outlines around the last copies."""
        for slot in sorted(self._picture.failed):
            self._paint_column(slot, failed=True)
        gone = np.isin(np.arange(len(self._picture.columns)), list(self._picture.failed))
        for band, states in enumerate(self._picture.states):
            self._paint_cells(band, states, np.broadcast_to(gone, states.shape))
            last = states == CellState.LAST
            for slot in np.flatnonzero(last.any(axis=0)).tolist():
                for row, count in _runs(last[:, slot]):
                    self._cells.outline_last(self._layout.cell(CellPlace(band, row, slot)).topLeft(), count, ROW)

    def paint_touches(self) -> None:
        """Dim the cells not accessed, outline the members accessed, and mark reads and writes."""
        touches = self._picture.touches
        if touches is None:
            return
        working = {slot for _row, slot in touches}
        for slot in range(len(self._picture.columns)):
            self._veil(slot, whole=slot not in working)
        for number, (band, states) in enumerate(zip(self._picture.scene.bands, self._picture.states, strict=True)):
            rows = band.rows.tolist()
            places = {
                (row, slot): touches[rows[row], slot]
                for row in range(len(rows))
                for slot in working
                if (rows[row], slot) in touches
            }
            chosen = np.zeros(states.shape, dtype=np.bool_)
            for row, slot in places:
                chosen[row, slot] = True
            self._paint_cells(number, states, chosen, tell_copies=False)  # the marks are there
            for (row, slot), touched in places.items():
                spot = self._layout.cell(CellPlace(number, row, slot)).topLeft()
                self._cells.mark_touched(spot, reads=touched.reads, writes=touched.writes)

    def paint_gaps(self) -> None:
        """Paint the lines between bands, with the distance from one to the next."""
        for band in range(1, len(self._picture.scene.bands)):
            self._paint_gap(band)

    def _paint_cells(
        self,
        band: int,
        states: States,
        chosen: Flags,
        *,
        tell_copies: bool = True,
        tops: Mapping[int, float] | None = None,
    ) -> None:
        """Paint the ``chosen`` cells of a band, each in its state; rows at ``tops``, or else in their places."""
        shown = self._picture.scene.bands[band]
        wanted = np.argwhere(chosen & (shown.cells.role != Role.EMPTY))
        picked = tuple(wanted.T)
        words = {copy: _copy_words(copy) for copy in range(1, 5)} if tell_copies else {}
        fields = (shown.cells.role, shown.colour, states, shown.cells.chunk, shown.cells.copy)
        if tops is None:
            tops = {row: self._layout.band_top(band) + row * ROW for row in range(len(states))}
        alike: defaultdict[tuple[int, int, int], list[tuple[QPointF, int, str]]] = defaultdict(list)
        for (row, slot), role, colour, state, chunk, copy in zip(
            wanted.tolist(), *(values[picked].tolist() for values in fields), strict=True
        ):
            alike[role, colour, state].append((QPointF(self._lefts[slot], tops[row]), chunk, words.get(copy, "")))
        for (role, colour, state), cells in alike.items():
            self._cells.paint(Look(Role(role), colour, CellState(state)), cells)

    def _paint_column(self, slot: int, *, failed: bool) -> None:
        painter, scheme = self._painter, self._scheme
        column = (*self._picture.columns, *self._picture.asides)[slot]
        rect = self._layout.column(slot)
        paint_column(painter, rect, scheme, failed=failed, absent=column.is_absent)
        wide = rect.width() > _WIDE
        head = rect.adjusted(tokens.SPACE_S, 0, -tokens.SPACE_S, 0) if wide else QRectF(rect)
        head.setHeight(HEAD)
        painter.setPen(QColor(scheme.red if failed else scheme.amber if column.is_absent else scheme.text))
        painter.setFont(font(tokens.TYPE_SMALL if wide else tokens.TYPE_TINY, QFont.Weight.DemiBold))
        sign = "✕ " if failed else "! " if column.is_absent else ""
        title = self._title(column, sign, head.width() - _BETWEEN_TITLES, painter.fontMetrics())
        side = Qt.AlignmentFlag.AlignLeft if wide else Qt.AlignmentFlag.AlignHCenter
        if not slot % self._titled_every(painter.fontMetrics()):
            painter.drawText(head, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, title)
        room = head.width() - painter.fontMetrics().horizontalAdvance(title) - tokens.SPACE_S
        painter.setFont(font(tokens.TYPE_TINY))
        if wide and painter.fontMetrics().horizontalAdvance(column.disk) <= room:
            painter.setPen(QColor(scheme.red if failed else scheme.amber if column.is_absent else scheme.dim))
            painter.drawText(head, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, column.disk)
        if slot >= len(self._picture.columns):  # aside: no data begin there
            return
        edge = self._layout.edge
        reserved = QRectF(rect.x() + edge, HEAD, rect.width() - 2 * edge, RESERVED - 3)
        brief = binary_size(column.head_sectors * 512) if column.reserved else ""
        paint_head(painter, reserved, column.reserved, scheme, failed=failed, brief=brief)

    def _title(self, column: SlotColumn, sign: str, room: float, metrics: QFontMetrics) -> str:
        """Return the longest title of ``column`` that fits into ``room`` pixels in this font and language."""
        # Columns without a sign have the same form of title: the last slot has the most digits.
        is_roomy = metrics.horizontalAdvance(self._picture.columns[-1].title) <= room
        titles = [f"{sign}{column.title}", f"{sign}{column.slot}"][not is_roomy :]
        return next((title for title in titles if metrics.horizontalAdvance(title) <= room), column.slot)

    def _titled_every(self, metrics: QFontMetrics) -> int:
        """Return the step between titled columns: above 1 if titles are wider than columns, which would overlap."""
        step = self._layout.left(1) - self._layout.left(0)
        widest = metrics.horizontalAdvance(self._picture.columns[-1].slot) + _BETWEEN_TITLES
        return max(1, ceil(widest / step))

    def _veil(self, slot: int, *, whole: bool) -> None:
        rect = self._layout.column(slot)
        if not whole:
            paint_ring(self._painter, rect, self._scheme.accent)
            rect = rect.adjusted(2, HEAD + RESERVED, -2, -2)
        veil = QColor(self._scheme.panel if whole else self._scheme.sunken)
        veil.setAlphaF(_VEIL)
        self._painter.fillRect(rect, veil)

    def _paint_gap(self, band: int) -> None:
        painter, scheme, middle = self._painter, self._scheme, self._layout.gap_middle(band)
        left = self._layout.column(0).left()
        right = self._layout.column(len(self._picture.columns) - 1).right()
        first, second = self._picture.scene.bands[band - 1], self._picture.scene.bands[band]
        distance = int(second.rows[0] - first.rows[0]) * self._picture.scene.chunk_sectors * 512
        text = tr("{distance} further in: the {copies}", distance=decimal_size(distance), copies=_copies_words(band))
        painter.setFont(font(tokens.TYPE_TINY))
        width = painter.fontMetrics().horizontalAdvance(text) + 2 * tokens.SPACE_S
        if width > right - left:  # no space for the copies' name
            text = tr("{distance} further in", distance=decimal_size(distance))
            text = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, int(right - left) - 2 * tokens.SPACE_S
            )
            width = painter.fontMetrics().horizontalAdvance(text) + 2 * tokens.SPACE_S
        pill = QRectF((left + right - width) / 2, middle - 9, width, 18)
        painter.setPen(QPen(QColor(scheme.dim), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(left, middle), QPointF(right, middle))
        painter.setPen(QPen(QColor(scheme.line), 1))
        painter.setBrush(QColor(scheme.panel))
        painter.drawRoundedRect(pill, 9, 9)
        painter.setPen(QColor(scheme.dim))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


def _runs(flags: Flags) -> list[tuple[int, int]]:
    """Return (first, count) of every run of set ``flags``."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return [(first, end - first) for first, end in edges.reshape(-1, 2).tolist()]


def _copy_words(copy: int) -> str:
    return {1: tr("2nd copy"), 2: tr("3rd copy")}.get(copy, tr("{n}th copy", n=copy + 1))


def _copies_words(copy: int) -> str:
    return {1: tr("second copies"), 2: tr("third copies")}.get(copy, tr("{n}th copies", n=copy + 1))
