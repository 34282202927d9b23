"""Painting of a joined plan's stage: in the window, and in picture files."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

from raidwright.analysis.geometry.of_plan import Role, all_rows
from raidwright.analysis.geometry.states import CellState, cell_states
from raidwright.colours import STRIPES, Tokens, mix
from raidwright.text.catalogue import ntr, tr
from raidwright.ui import tokens
from raidwright.ui.theme import font

from .paint import CellPainter, Look, paint_column
from .sliced import JoinedArray, JoinedScene, Slice, SlicedDisk
from .sliced_layout import CELL_ROW, LOW_HEAD, NAME_LINE, SlicedLayout

_GROUND_SHARE, _FAILED_SHARE = 0.35, 0.12
_FEW, _MIN_COLUMN, _ROOMY_COLUMN = 8, 12, 44  # disks; pixels: below it, names give way to the columns
_BETWEEN_TITLES = 4


@dataclass(frozen=True, slots=True)
class SlicedPicture:
    """The content: a scene, its geometry, and the failed columns."""

    layout: SlicedLayout
    failed: frozenset[int] = frozenset()

    @property
    def scene(self) -> JoinedScene:
        """The disks and arrays."""
        return self.layout.scene

    def state_of(self, array: int) -> str:
        """Return an array's state in a word or two: “whole”, “without a disk”, “stopped”."""
        gone = self.scene.failed_slots(array, self.failed)
        if not gone:
            return ""
        if not self.scene.arrays[array].runs_without(gone):
            return tr("stopped")
        return ntr("without {count} disk", "without {count} disks", len(gone))


def sliced_layout(scene: JoinedScene, width: int, height: int) -> SlicedLayout:
    """Return the geometry with the longest names of the arrays that leave the columns their width."""
    metrics = QFontMetricsF(font(tokens.TYPE_SMALL, QFont.Weight.DemiBold))
    states = (tr("stopped"), ntr("without {count} disk", "without {count} disks", 2))
    found = SlicedLayout(scene, width, height, 0)
    for names, least in (
        (tuple(array.title for array in scene.arrays), _ROOMY_COLUMN if len(scene.disks) <= _FEW else _MIN_COLUMN),
        (tuple(array.brief for array in scene.arrays), _MIN_COLUMN),
    ):
        sizes = [array.size for array in scene.arrays]
        wanted = ceil(max(map(metrics.horizontalAdvance, (*names, *sizes, *states)), default=0))
        named = SlicedLayout(scene, width, height, wanted, names)
        if named.column_width >= least:
            found = named
            break
    tiny = QFontMetricsF(font(tokens.TYPE_TINY))
    is_named = max(tiny.horizontalAdvance(disk.name) for disk in scene.disks) <= found.column_width
    return found if is_named else replace(found, head=LOW_HEAD)


class SlicedPainter:
    """Painter of a SlicedPicture in a scheme; ``ratio`` as for a CellPainter."""

    def __init__(self, painter: QPainter, picture: SlicedPicture, scheme: Tokens, ratio: float) -> None:
        self._painter, self._picture, self._scheme = painter, picture, scheme
        self._layout, self._scene = picture.layout, picture.scene
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        size = QSizeF(max(1, self._layout.column_width - 2 * self._layout.edge), CELL_ROW - 4)
        self._cells = CellPainter(painter, scheme, size, "00", ratio)

    def paint(self) -> None:
        """Paint everything."""
        for column, disk in enumerate(self._scene.disks):
            self._paint_disk(column, disk)
        for place in range(len(self._scene.arrays)):
            self._paint_cells(place)
            if self._layout.names_width:
                self._paint_name(place)

    def _paint_disk(self, column: int, disk: SlicedDisk) -> None:
        failed = column in self._picture.failed
        paint_column(self._painter, self._layout.body(column), self._scheme, failed=failed, absent=disk.is_absent)
        if self._layout.head:
            self._paint_head(column, disk, failed=failed)
        for part in disk.slices:
            self._paint_ground(self._layout.slice(column, part), STRIPES[part.array % len(STRIPES)], failed=failed)
        if disk.free is not None:
            self._paint_free(self._layout.free(column), disk.free.lines)

    def _paint_ground(self, rect: QRectF, colour: str, *, failed: bool) -> None:
        scheme, painter = self._scheme, self._painter
        ground = mix(colour, scheme.red_soft if failed else scheme.panel, _FAILED_SHARE if failed else _GROUND_SHARE)
        painter.setPen(QPen(QColor(scheme.red if failed else mix(colour, scheme.text, 0.8)), 1))
        painter.setBrush(QColor(ground))
        corner = min(tokens.CORNER, rect.height() / 2)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)

    def _paint_free(self, rect: QRectF, lines: tuple[str, str]) -> None:
        painter, scheme = self._painter, self._scheme
        hatch = QColor(mix(scheme.dim, scheme.panel, 0.35))
        inner = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(scheme.dim), 1, Qt.PenStyle.DashLine))
        painter.setBrush(QColor(scheme.panel))
        painter.drawRoundedRect(inner, tokens.CORNER, tokens.CORNER)
        painter.setBrush(QBrush(hatch, Qt.BrushStyle.BDiagPattern))
        painter.drawRoundedRect(inner, tokens.CORNER, tokens.CORNER)
        painter.setFont(font(tokens.TYPE_TINY))
        said = "\n".join(line for line in lines if line)
        room = rect.adjusted(tokens.SPACE_XS, tokens.SPACE_XS, -tokens.SPACE_XS, -tokens.SPACE_XS)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        words = QFontMetricsF(painter.font()).boundingRect(room, flags, said)
        if words.width() > room.width() or words.height() > room.height():
            return  # on hover, and in the tile of the space
        words.adjust(-2, -1, 2, 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(scheme.panel))
        painter.drawRoundedRect(words, 3, 3)
        painter.setPen(QColor(scheme.text))
        painter.drawText(words, flags, said)

    def _paint_cells(self, place: int) -> None:
        array = self._scene.arrays[place]
        slices = [(column, part) for column, disk in enumerate(self._scene.disks) for part in disk.slices
                  if part.array == place]  # fmt: skip
        shown = {column: self._layout.cells(column, part) for column, part in slices}
        count = min(max(map(len, shown.values()), default=0), array.geometry.rows)
        if not count:
            return
        rows = all_rows(array.geometry.first_row, count)
        cells = array.geometry.cells(rows)
        states = cell_states(array.geometry, rows, self._picture.scene.failed_slots(place, self._picture.failed))
        alike: defaultdict[tuple[int, int], list[tuple[QPointF, int, str]]] = defaultdict(list)
        last: list[QPointF] = []
        for column, part in slices:
            for row, rect in enumerate(shown[column][:count]):
                role, state = int(cells.role[row, part.slot]), int(states[row, part.slot])
                if role != Role.EMPTY:
                    alike[role, state].append((rect.topLeft(), int(cells.chunk[row, part.slot]), ""))
                if state == CellState.LAST:
                    last.append(rect.topLeft())
        for (role, state), spots in alike.items():
            self._cells.paint(Look(Role(role), place % len(STRIPES), CellState(state)), spots)
        for spot in last:
            self._cells.outline_last(spot, 1, CELL_ROW)

    def _paint_name(self, place: int) -> None:
        painter, scheme, array = self._painter, self._scheme, self._scene.arrays[place]
        state, room = self._picture.state_of(place), self._layout.name_lines()
        of_state = scheme.red if state and self._is_stopped(array, place) else scheme.amber
        title, size, told = (self._layout.names[place], scheme.text), (array.size, scheme.dim), (state, of_state)
        if room < 3:  # what changes is told first
            size, told = (told, ("", "")) if state else (size, ("", ""))
        if room < 2 and state:
            title, size = (title[0], of_state), ("", "")
        lines = (title, size, told)[:room]
        high = len(lines) * NAME_LINE
        top = min(max(self._layout.head, self._layout.name_middle(place) - high / 2), self._layout.height - high)
        rect = QRectF(self._layout.names_left, top, self._layout.names_width + 4, NAME_LINE)
        painter.setFont(font(tokens.TYPE_SMALL, QFont.Weight.DemiBold))
        for line, (words, colour) in enumerate(lines):
            if words:
                painter.setPen(QColor(colour))
                side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
                painter.drawText(rect.translated(0, line * NAME_LINE), side, words)
            painter.setFont(font(tokens.TYPE_TINY))

    def _is_stopped(self, array: JoinedArray, place: int) -> bool:
        return not array.runs_without(self._scene.failed_slots(place, self._picture.failed))

    def _paint_head(self, column: int, disk: SlicedDisk, *, failed: bool) -> None:
        painter, scheme = self._painter, self._scheme
        colour = scheme.red if failed else scheme.amber if disk.is_absent else scheme.text
        painter.setFont(font(tokens.TYPE_TINY, QFont.Weight.DemiBold))
        metrics = QFontMetricsF(painter.font())
        every, width = self._titled_every(metrics), self._layout.column_width
        line = QRectF(self._layout.left(column), 0, width, LOW_HEAD - 2)
        sign = "✕ " if failed else "! " if disk.is_absent else ""
        titles = (f"{sign}{disk.number} · {disk.size}", f"{sign}{disk.number}", disk.number)
        title = next((some for some in titles if metrics.horizontalAdvance(some) <= width), disk.number)
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
        if not column % every:
            spare = (every - 1) * width / 2  # a number may be wider than its column
            painter.setPen(QColor(colour))
            painter.drawText(line.adjusted(-spare, 0, spare, 0), middle, title)
        if self._layout.head > LOW_HEAD:
            painter.setFont(font(tokens.TYPE_TINY))
            painter.setPen(QColor(scheme.dim if colour == scheme.text else colour))
            painter.drawText(line.translated(0, LOW_HEAD - 2), middle, disk.name)

    def _titled_every(self, metrics: QFontMetricsF) -> int:
        """Return the step between titled columns: above 1 if numbers are wider than columns."""
        if len(self._scene.disks) < 2:
            return 1
        step = self._layout.left(1) - self._layout.left(0)
        widest = metrics.horizontalAdvance(self._scene.disks[-1].number) + _BETWEEN_TITLES
        return max(1, ceil(widest / step))


def slice_at(picture: SlicedPicture, point: QPointF) -> tuple[int, Slice | None]:
    """Return the column at ``point`` (-1 beside them), and the slice there."""
    column = picture.layout.column_at(point)
    if column < 0:
        return column, None
    parts = picture.scene.disks[column].slices
    return column, next((part for part in parts if picture.layout.slice(column, part).contains(point)), None)
