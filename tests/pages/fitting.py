"""Texts of a window that can't be read: cut off by their surroundings, squeezed, or overlapping other texts.

Widgets report their sizes. Painted texts (the stage, plots, tables) are recorded: while the window is painted, each
text is noted with its position.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollBar,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QWidget,
)

_KINDS = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractSlider, QLabel)
_FLOATING = ("explanation",)  # lies over the rest on purpose
_SLACK, _TALL = 2, 10_000  # pixels


class Drawn(NamedTuple):
    """A painted text: its position in the picture, the space that it was given, and its width."""

    text: str
    place: QRectF
    is_clipped: bool
    on: object  # the widget


def shown(window: QWidget, *kinds: type[QWidget]) -> list[QWidget]:
    """Return the widgets of these kinds in ``window``, and not in another one over it."""
    found = [one for kind in kinds for one in window.findChildren(kind) if one.isVisible()]
    return [one for one in found if not one.objectName().startswith("qt_") and one.window() is window]


def cut_off_by(widget: QWidget) -> QWidget | None:
    """The widget around it that ``widget`` reaches out of, unless it can be scrolled to there."""
    rect, inner, around = widget.rect(), widget, widget.parentWidget()
    while around is not None and not inner.isWindow():
        rect = QRect(inner.mapToParent(rect.topLeft()), rect.size())
        area = around.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is around:
            scrolls_across = area.horizontalScrollBarPolicy() is not Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            is_one_line = area.objectName() == "command-words"  # scrolled by keys and wheel, without a bar
            fits_across = rect.left() >= 0 and rect.right() <= around.width()
            return None if fits_across or scrolls_across or is_one_line else around
        if not around.rect().contains(rect):
            return around
        inner, around = around, area
    return None


def is_squeezed(widget: QWidget) -> bool:
    """Return whether the widget has less space than it needs."""
    if isinstance(widget, QLabel):
        if widget.wordWrap():
            return widget.height() < widget.heightForWidth(widget.width()) or _longest_word(widget) > widget.width()
        return bool(widget.text()) and widget.width() < widget.minimumSizeHint().width() and not widget.minimumWidth()
    if isinstance(widget, QAbstractSpinBox):  # narrower than the widest number that it can hold
        line = widget.findChild(QLineEdit)
        return line is not None and line.contentsRect().height() < QFontMetricsF(line.font()).height()
    needed = widget.minimumSizeHint()
    return widget.width() < min(needed.width(), widget.maximumWidth()) or widget.height() < needed.height() - _SLACK


def _longest_word(label: QLabel) -> float:
    """Qt breaks Japanese at any sign that may begin a line, and everything else between words."""
    words = [word for word in label.text().split() if word.isascii()]
    return max(map(QFontMetricsF(label.font()).horizontalAdvance, words), default=0.0)


def lacking_px(widget: QWidget) -> float:
    """By how much a field's or a button's text is wider than the room that the style leaves for it."""
    metrics, style = QFontMetricsF(widget.font()), widget.style()
    if isinstance(widget, QAbstractSpinBox):
        line = widget.findChild(QLineEdit)
        return metrics.horizontalAdvance(line.text()) - line.contentsRect().width() if line else 0
    if isinstance(widget, QComboBox):
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, widget)
        return metrics.horizontalAdvance(widget.currentText()) - room.width()
    if isinstance(widget, QLineEdit):
        said = widget.text() or widget.placeholderText()
        return 0 if widget.text() else metrics.horizontalAdvance(said) - widget.contentsRect().width()
    if isinstance(widget, QPushButton):
        button = QStyleOptionButton()
        widget.initStyleOption(button)
        room = style.subElementRect(QStyle.SubElement.SE_PushButtonContents, button, widget)
        icon = widget.iconSize().width() if not widget.icon().isNull() else 0
        return metrics.horizontalAdvance(widget.text().replace("&", "")) + icon - room.width()
    return 0


def _heads_cut(window: QWidget) -> Iterator[str]:
    for head in shown(window, QHeaderView):
        assert isinstance(head, QHeaderView)
        for place in range(head.count()):
            if (
                not head.isSectionHidden(place)
                and head.sectionSize(place) < head.sectionSizeFromContents(place).width() - _SLACK
            ):
                yield f"head cut: {head.model().headerData(place, Qt.Orientation.Horizontal)}"


def _too_wide(window: QWidget) -> Iterator[str]:
    """Scrolling across is the last resort of a screen that is smaller than the window may be."""
    area = window.findChild(QAbstractScrollArea, "stations-area")
    if area is not None and area.horizontalScrollBar().maximum() > 0:
        yield f"{area.horizontalScrollBar().maximum()} px too wide"


def _is_floating(widget: QWidget | None) -> bool:
    while widget is not None:
        if widget.objectName() in _FLOATING:
            return True
        widget = widget.parentWidget()
    return False


def _place(widget: QWidget, window: QWidget) -> QRect:
    """Return the visible rectangle."""
    region = widget.visibleRegion().boundingRect()
    return QRect(widget.mapTo(window, region.topLeft()), region.size())


def _overlaps(window: QWidget, parts: Sequence[QWidget]) -> Iterator[str]:
    seen = [(one, _place(one, window).adjusted(1, 1, -1, -1)) for one in parts if not _is_floating(one)]
    for (one, place), (other, its) in itertools.combinations(seen, 2):
        if place.intersects(its) and not one.isAncestorOf(other) and not other.isAncestorOf(one):
            both = place.intersected(its)
            if both.width() > _SLACK and both.height() > _SLACK:
                yield f"over each other: {name_of(one)} {place.getRect()}, {name_of(other)} {its.getRect()}"


def name_of(widget: QWidget) -> str:
    """As a person finds it: its object's name, else what it says."""
    text = getattr(widget, "text", str)()
    return f"{widget.objectName()}“{text}”" if text else f"{widget.objectName()}({type(widget).__name__})"


@contextmanager
def overheard() -> Iterator[list[Drawn]]:
    """All texts that Python paints as long as the block lasts."""
    found: list[Drawn] = []
    draw = QPainter.drawText

    def listen(painter: QPainter, *arguments: object) -> object:
        drawn = _drawn(painter, *arguments)
        if drawn is not None:
            found.append(drawn)
        return draw(painter, *arguments)  # type: ignore[call-overload]

    QPainter.drawText = listen  # type: ignore[method-assign, assignment]
    try:
        yield found
    finally:
        QPainter.drawText = draw  # type: ignore[method-assign]


def _drawn(painter: QPainter, *arguments: object) -> Drawn | None:
    metrics = QFontMetricsF(painter.font(), painter.device())
    match arguments:
        case (QRectF() | QRect() as room, flags, str() as text, *_rest) if text:
            whole = metrics.boundingRect(QRectF(room), int(flags), text)  # type: ignore[call-overload]
            is_clipped = whole.width() > room.width() + _SLACK or whole.height() > room.height() + 2 * _SLACK
        case (QPointF() | QPoint() as base, str() as text) if text:
            whole = QRectF(
                base.x(), base.y() - metrics.capHeight(), metrics.horizontalAdvance(text), metrics.capHeight()
            )
            is_clipped = False
        case _:
            return None
    room = QRectF(painter.window()).adjusted(-_SLACK, -2 * _SLACK, _SLACK, 2 * _SLACK)
    device = painter.device()
    area = device.parent() if isinstance(device, QWidget) else None
    if isinstance(area, QAbstractScrollArea):
        room.adjust(0, -_TALL, 0, _TALL)  # a table's last row is scrolled to
        if area.horizontalScrollBar().maximum():
            room.adjust(-_TALL, 0, _TALL, 0)
    leaves = not room.contains(painter.worldTransform().mapRect(whole))
    # What is painted under a clip (a scrolled stage) is scrolled there, not cut off.
    return Drawn(
        text, painter.deviceTransform().mapRect(whole), is_clipped or (leaves and not painter.hasClipping()), device
    )


def faults(window: QWidget) -> tuple[list[str], QPixmap]:
    """Return the texts that can't be read in ``window``, and its picture."""
    for area in window.findChildren(QAbstractScrollArea):
        area.viewport()  # else PySide doesn't know, while it is painted on, that it is a widget
    with overheard() as drawn:
        picture = window.grab()
    parts = [one for one in shown(window, *_KINDS) if not _is_part(one)]
    parts = list(dict.fromkeys(parts))
    found = [f"cut off: {name_of(one)} by {name_of(by)}" for one in parts if (by := cut_off_by(one)) is not None]
    found += [f"squeezed: {name_of(one)} {one.size().toTuple()}" for one in parts if is_squeezed(one)]
    found += [f"{lacking:.0f} px lacking: {name_of(one)}" for one in parts if (lacking := lacking_px(one)) > 1]
    found += _heads_cut(window)
    found += _too_wide(window)
    texts = [one for one in parts if not isinstance(one, QAbstractSlider) and _says(one)]
    found += _overlaps(window, texts)
    found += dict.fromkeys(f"clipped: {one.text}" for one in drawn if one.is_clipped)
    found += _over_each_other(drawn)
    return found, picture


def _is_part(widget: QWidget) -> bool:
    """Return whether the widget belongs to another that is measured, or to a scroll area."""
    return isinstance(widget, QScrollBar) or isinstance(widget.parent(), (QComboBox, QAbstractSpinBox))


def _says(widget: QWidget) -> bool:
    return not isinstance(widget, (QLabel, QAbstractButton)) or bool(widget.text())


def _over_each_other(drawn: list[Drawn]) -> Iterator[str]:
    kept = {(one.text, one.place.center().toTuple()): one for one in drawn if one.text.strip()}
    for one, other in itertools.combinations(kept.values(), 2):
        if one.on is not other.on:  # a page over another
            continue
        both = one.place.intersected(other.place)
        if both.width() > _SLACK and both.height() > min(one.place.height(), other.place.height()) / 3:
            yield f"drawn over each other: {one.text} {one.place.getRect()}, {other.text} {other.place.getRect()}"
