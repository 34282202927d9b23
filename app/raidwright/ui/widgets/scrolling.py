"""A vertical scroll area with a hint at hidden content below."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from raidwright.ui.theme import tokens_for

_FADE = 30


class ScrollArea(QScrollArea):
    """An area for ``inner``, at the area's width; hidden content below is shown by a fade and an arrow."""

    def __init__(self, inner: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inner)
        self._fade = _Fade(self)
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._hint)
        bar.rangeChanged.connect(self._hint)
        self._hint()

    def minimumSizeHint(self) -> QSize:
        """Qt: no narrower than its content, since it doesn't scroll horizontally."""
        widget = self.widget()
        width = widget.minimumSizeHint().width() if widget is not None else 0
        return super().minimumSizeHint().expandedTo(QSize(width, 0))

    def event(self, event: QEvent) -> bool:
        """Qt: update the outer layout when the content needs another width."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: lay the content out anew when it is shown.

        It gets its height while hidden, and Qt leaves its nested layouts as they were for the height before.
        """
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            layout = watched.layout()
            if layout is not None:
                layout.invalidate()
        return super().eventFilter(watched, event)

    @property
    def shows_more(self) -> bool:
        """True if content is hidden below."""
        return self.verticalScrollBar().value() < self.verticalScrollBar().maximum()

    @Slot()
    def _hint(self) -> None:
        self._fade.setVisible(self.shows_more)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: keep the hint at the lower edge."""
        super().resizeEvent(event)
        self._fade.setGeometry(0, self.height() - _FADE, event.size().width(), _FADE)
        self._fade.raise_()


class FewLines(ScrollArea):
    """A text field as high as its text at that width, up to ``most_height``, from which it scrolls."""

    def __init__(self, text: QLabel, most_height: int, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._text, self._most_height = text, most_height
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.fit()

    def fit(self) -> None:
        """Set the height; call it after a change of the text."""
        height = self._text.heightForWidth(self.viewport().width())
        self.setFixedHeight(max(0, min(self._most_height, height)))  # -1 for no text

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: adjust the height to the new width."""
        super().resizeEvent(event)
        self.fit()


class LastResort(QScrollArea):
    """An area that scrolls in both directions if its one widget, created on ``ground``, can't shrink."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.ground = _Ground()
        self.setWidget(self.ground)


class _Ground(QWidget):
    """A ground without a layout: with one, a QScrollArea takes the height for the preferred width as the minimum."""

    def minimumSizeHint(self) -> QSize:
        sizes = [one.minimumSizeHint() for one in self.children() if isinstance(one, QWidget)]
        return sizes[0] if sizes else QSize()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for one in self.children():
            if isinstance(one, QWidget):
                one.setGeometry(self.rect())


class _Fade(QWidget):
    """An overlay that ignores all input."""

    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, _event: QPaintEvent) -> None:
        scheme = tokens_for(self.palette())
        ground = QColor(scheme.panel if self._is_on_panel() else scheme.ground)
        clear = QColor(ground)
        clear.setAlpha(0)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shade = QLinearGradient(0, 0, 0, self.height() * 0.7)
        shade.setColorAt(0, clear)
        shade.setColorAt(1, ground)
        painter.fillRect(self.rect(), shade)
        pill = QRectF(self.width() / 2 - 15, self.height() - 17, 30, 15)
        painter.setPen(QPen(QColor(scheme.line), 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(pill, 7.5, 7.5)
        painter.setPen(QPen(QColor(scheme.accent), 1.8))
        tip = pill.center() + QPointF(0, 2.5)
        painter.drawPolyline([tip + QPointF(-4.5, -4.5), tip, tip + QPointF(4.5, -4.5)])

    def _is_on_panel(self) -> bool:
        around = self.parentWidget()
        while around is not None and not around.property("panel"):
            around = around.parentWidget()
        return around is not None
