"""The rail: the stations in order, with completed ones ticked."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFont, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QVBoxLayout, QWidget

from raidwright.text.catalogue import tr, translated
from raidwright.ui import tokens
from raidwright.ui.station import Station
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.widgets import icons

_WIDTH = 76
_BUTTON = QSize(64, 58)


class RailButton(QAbstractButton):
    """A station: icon, name and, once completed, a tick."""

    def __init__(self, station: Station, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"rail-{station}")
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setAutoExclusive(True)  # a radio button for screen readers
        self.setFixedSize(_BUTTON)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._icon = station.kind.icon
        self._is_done = False

    def set_done(self, done: bool) -> None:
        """Set or remove the tick."""
        self._is_done = done
        self.setAccessibleDescription(tr("done") if done else "")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: draw the button."""
        scheme = tokens_for(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isChecked() or self.underMouse() or self.hasFocus():
            painter.setPen(QColor(scheme.accent) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(scheme.accent_soft if self.isChecked() else scheme.line))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        ink = scheme.accent if self.isChecked() else scheme.dim
        icons.draw(painter, self._icon, QRectF(_BUTTON.width() / 2 - 10, 9, 20, 20), ink)
        if self._is_done:
            icons.draw(painter, icons.tick, QRectF(_BUTTON.width() / 2 + 13, 13, 11, 11), scheme.green, 2.6)
        weight = QFont.Weight.DemiBold if self.isChecked() else QFont.Weight.Normal
        painter.setFont(font(tokens.TYPE_TINY, weight))
        painter.setPen(QColor(ink))
        painter.drawText(QRectF(0, 33, _BUTTON.width(), 18), Qt.AlignmentFlag.AlignCenter, self.text())

    def enterEvent(self, event: QEnterEvent) -> None:
        """Qt: hover shows."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Qt: hover ends."""
        super().leaveEvent(event)
        self.update()


class Rail(QFrame):
    """The stations' buttons. ``chosen`` carries the Station chosen by click, arrow keys or Ctrl and its number."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName(tr("Stations"))
        box = QVBoxLayout(self)
        box.setContentsMargins(6, tokens.SPACE_M, 6, tokens.SPACE_M)
        box.setSpacing(tokens.SPACE_XS)
        self._group = QButtonGroup(self)
        self._buttons: dict[Station, RailButton] = {}
        for number, station in enumerate(Station, start=1):
            title = translated(station.kind.title)
            button = RailButton(station, title, self)
            button.setShortcut(QKeySequence(f"Ctrl+{number}"))
            button.setToolTip(f"{title} (Ctrl+{number})")
            self._group.addButton(button, number)
            self._buttons[station] = button
            box.addWidget(button)
        box.addStretch(1)
        self._group.idToggled.connect(self._toggled)

    def show_station(self, station: Station) -> None:
        """Mark the station shown in the window."""
        self._buttons[station].setChecked(True)
        for each, button in self._buttons.items():  # Tab reaches this button, and arrow keys move on from it
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if each is station else Qt.FocusPolicy.ClickFocus)

    @property
    def station(self) -> Station:
        """The station shown in the window."""
        return list(Station)[self._group.checkedId() - 1]

    def set_done(self, station: Station, done: bool) -> None:
        """Set or remove a station's tick."""
        self._buttons[station].set_done(done)

    def _toggled(self, number: int, checked: bool) -> None:
        if checked:
            self.chosen.emit(list(Station)[number - 1])
