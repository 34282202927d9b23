"""A ring around a widget that marks the next step. It follows the widget and passes clicks through."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget
from shiboken6 import Shiboken

from raidwright.ui.theme import tokens_for
from raidwright.ui.tokens import CORNER

_GAP, _WIDTH = 4, 2.0


class FocusRing(QWidget):
    """A ring around its ``target``, above the target's parent, while the target is visible."""

    def __init__(self, target: QWidget) -> None:
        super().__init__(target.parentWidget())
        self.setObjectName("ring")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.target = target
        target.installEventFilter(self)
        target.destroyed.connect(self.hide)
        self._follow()

    def leave(self) -> None:
        """Let go of the target."""
        if Shiboken.isValid(self.target):  # a page may have made its button anew
            self.target.removeEventFilter(self)
        self.hide()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: follow the target's moves, shows and hides."""
        kinds = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)
        if watched is self.target and event.type() in kinds:
            self._follow()
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        self.setGeometry(self.target.geometry().adjusted(-_GAP, -_GAP, _GAP, _GAP))
        self.setVisible(not self.target.isHidden())
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint a line in the accent colour; without space around the target it overlaps its edge."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens_for(self.palette()).accent), _WIDTH))
        parent = self.parentWidget()
        seen = self.rect() if parent is None else self.rect() & parent.rect().translated(-self.pos())
        half = _WIDTH / 2
        painter.drawRoundedRect(QRectF(seen).adjusted(half, half, -half, -half), CORNER + _GAP, CORNER + _GAP)
