"""The “?” beside an option, and its popover: pictures, meaning, experts' choice with reasons, and the source."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QAccessible, QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QWidget

from raidwright.text.catalogue import tr, translated
from raidwright.text.glossary.terms import GLOSSARY
from raidwright.ui import tokens
from raidwright.ui.stations.plan.stage.paint import paint_column, paint_head
from raidwright.ui.stations.plan.stage.picture import PicturePainter
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.widgets.panel import column, label, row
from raidwright.ui.widgets.role import say_role

from .sketches import WIDTH, Sketch, sketches_of

_BETWEEN = tokens.SPACE_XL
_MAX_PICTURES = 3
_NARROW, _WIDE = 2 * WIDTH + _BETWEEN, 3 * WIDTH + 2 * _BETWEEN
_FORMATS = (("1.2", 0.1), ("1.1", 0.0), ("1.0", 1.0), ("0.90", 1.0))  # the superblock's position, as a share
_FORMATS_HIGH = 150


class ExplainButton(QPushButton):
    """A “?” for the term ``key`` of the glossary. Its accessible name has the term: screen readers skip “?”."""

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__("?", parent)
        self._key = key
        self._explanation: Explanation | None = None
        self.setObjectName(f"explain-{key}")
        self.setProperty("kind", "explain")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click that took the focus would close an open popover first
        name = tr("What is “{term}”?", term=translated(GLOSSARY[key].name))
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.clicked.connect(self._turn)

    @Slot()
    def _turn(self) -> None:
        if self._explanation is not None:
            self._explanation.leave()
            return
        self._explanation = Explanation(self._key, self)
        self._explanation.left.connect(self._forget)
        self._explanation.open()

    @Slot()
    def _forget(self) -> None:
        self._explanation = None


class Explanation(QFrame):
    """A popover beside its “?”. Closed by Esc, by a click elsewhere, and when it loses the focus.

    ``left`` is emitted then.
    """

    left = Signal()

    def __init__(self, key: str, mark: QWidget) -> None:
        super().__init__(mark.window())
        self._mark = mark
        term = GLOSSARY[key]
        self.setObjectName("explanation")
        say_role(self, QAccessible.Role.Dialog)
        self.setProperty("panel", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        pictures = self._pictures(key)
        meaning, experts = translated(term.meaning), translated(term.experts)
        words = [label(meaning, name="explanation-meaning", wrap=True)]
        words += [label(tr("What experts take"), "title"), label(experts, name="explanation-experts", wrap=True)]
        source = tr("Source: {source}", source=term.source)
        words.append(label(source, "dim", name="explanation-source", wrap=True))
        width = _NARROW if len(pictures) < _MAX_PICTURES else _WIDE
        for each in words:
            each.setFixedWidth(width)
        beside = row(*pictures, spacing=_BETWEEN)
        for picture in pictures:
            beside.setAlignment(picture, Qt.AlignmentFlag.AlignTop)
        beside.addStretch(1)
        box = column(label(translated(term.name), "headline"), beside, *words, spacing=tokens.SPACE_S)
        box.setContentsMargins(*(tokens.SPACE_L,) * 4)
        self.setLayout(box)
        self.setAccessibleName(translated(term.name))
        captions = [picture.accessibleDescription() for picture in pictures]
        self.setAccessibleDescription("\n".join((*captions, meaning, tr("What experts take"), experts, source)))

    def open(self) -> None:
        """Show beside the “?”, within the window, with the focus."""
        self.adjustSize()
        around = self._mark.window()
        window = around.rect().adjusted(*(tokens.SPACE_S,) * 2, *(-tokens.SPACE_S,) * 2)
        at = self._mark.mapTo(around, QPoint(self._mark.width() + tokens.SPACE_S, -tokens.SPACE_L))
        left = max(window.left(), min(at.x(), window.right() - self.width()))
        top = max(window.top(), min(at.y(), window.bottom() - self.height()))
        self.move(left, top)
        self.show()
        self.raise_()
        self.setFocus()
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]

    def leave(self) -> None:
        """Close, and return the focus to its previous widget if it is here."""
        if self.hasFocus():
            self._mark.setFocus()  # which closes
        else:
            self.left.emit()
            self.hide()
            self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: a click elsewhere closes the popover; a click on the “?” is handled there."""
        is_press = event.type() is QEvent.Type.MouseButtonPress and isinstance(watched, QWidget)
        if is_press and watched not in (self._mark, self) and not self.isAncestorOf(watched):  # type: ignore[arg-type]
            self.leave()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: Esc closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Qt: close when the focus moves on; a change of the active window has no effect."""
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
            self.leave()

    def _pictures(self, key: str) -> list[QWidget]:
        if key == "metadata":
            return [FormatsView(self)]
        return [SketchView(sketch, self) for sketch in sketches_of(key)]


class SketchView(QWidget):
    """A sketch with its caption."""

    def __init__(self, sketch: Sketch, parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = sketch.picture
        caption = label(sketch.caption, "dim", wrap=True)
        caption.setFixedWidth(WIDTH)
        box = column(caption)
        box.setContentsMargins(0, sketch.picture.layout.height + tokens.SPACE_XS, 0, 0)
        self.setLayout(box)
        self.setFixedWidth(WIDTH)
        self.setAccessibleName(tr("Picture"))
        self.setAccessibleDescription(sketch.caption)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint as the stage does."""
        painter = QPainter(self)
        parts = PicturePainter(painter, self._picture, tokens_for(self.palette()), self.devicePixelRatioF())
        parts.paint_healthy()
        parts.paint_failures()
        parts.paint_touches()
        parts.paint_gaps()


class FormatsView(QWidget):
    """A member of each metadata version, from its first byte at the top to its last."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(_NARROW, _FORMATS_HIGH)
        self.setAccessibleName(tr("Picture"))
        self.setAccessibleDescription(tr("Where on a member the superblock of each format lies."))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint columns as on the stage; the dashed box is the superblock."""
        scheme, painter = tokens_for(self.palette()), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = (self.width() - 3 * tokens.SPACE_M) / len(_FORMATS)
        high, edge, box_high = self.height() - 1.0, 6.0, 18.0
        for place, (name, share) in enumerate(_FORMATS):
            left = place * (width + tokens.SPACE_M)
            painter.setFont(font(tokens.TYPE_SMALL))
            painter.setPen(QColor(scheme.text))
            painter.drawText(QPointF(left + edge, 14), name)
            whole = QRectF(left, 20, width, high - 20)
            paint_column(painter, whole, scheme, failed=False)
            room = whole.height() - box_high - 2 * edge
            box = QRectF(left + edge, whole.top() + edge + share * room, width - 2 * edge, box_high)
            paint_head(painter, box, tr("superblock"), scheme)
