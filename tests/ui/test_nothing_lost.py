"""Updates of the machine lose nothing: typed, ticked, chosen, scrolled or focused items stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollBar,
    QTextEdit,
    QWidget,
)
from raidwright.core.model.disk import Use, UseKind
from raidwright.machine.values import Array, Snapshot
from raidwright.ui.window import MainWindow

from tests.kit import sample
from tests.pages.drawing import Opened
from tests.pages.reaching import session_of
from tests.pages.scenes import PAGES

from .places import settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support (propagateSizeHints|raise|grabbing the keyboard)")
WITHOUT_DISKS = ("looking", "unseen", "starting", "first_start", "no_disks", "link_lost", "buying_empty")
_CONTROLS = (
    *(QAbstractButton, QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox, QAbstractSlider),
    *(QAbstractItemView, QMenu),
)
_PAUSE_MS = 350  # typed text is read after this pause
_TEMPERATURE = re.compile(r"\d+ °C")
_OTHER = sample.array(
    2 * 10**12, uuid="00000000:11111111:22222222:33333333", name="other", device="/dev/md99", level="raid1"
)


def _warmer(seen: Snapshot) -> Snapshot:
    """Make each disk warmer by 7 °C."""
    disks = [
        replace(disk, health=replace(disk.health, temperature_celsius=(disk.health.temperature_celsius or 30) + 7))
        for disk in seen.disks
    ]
    return replace(seen, disks=tuple(disks))


def _with_another_disk(seen: Snapshot) -> Snapshot:
    return replace(
        seen,
        disks=(*seen.disks, sample.disk(99, 2, device="/dev/sdz", uses=(Use(UseKind.FILESYSTEM, "ext4 “other”"),))),
    )


def _further(fraction: float) -> Callable[[Snapshot], Snapshot]:
    def change(seen: Snapshot) -> Snapshot:
        others: tuple[Array, ...] = tuple(array for array in seen.arrays if array.uuid != _OTHER.uuid)
        return replace(seen, arrays=(*others, replace(_OTHER, sync_fraction=fraction)))

    return change


NEWS = (_warmer, _with_another_disk, _further(0.2), _further(0.4))


def _controls() -> Iterator[QWidget]:
    for top in QApplication.topLevelWidgets():
        if top.isVisible():
            for one in (top, *top.findChildren(QWidget)):
                if isinstance(one, _CONTROLS) and one.isVisible():
                    yield one


def _fill(one: QWidget) -> None:
    if isinstance(one, (QLineEdit, QPlainTextEdit)) and not one.isReadOnly() and one.isEnabled():
        if one.objectName() != "qt_spinbox_lineedit":
            QTest.keyClicks(one, "7a")
    elif isinstance(one, QAbstractSpinBox) and one.isEnabled():
        one.stepBy(1)
    elif isinstance(one, QCheckBox) and one.isEnabled() and not one.isChecked():
        one.click()
    elif isinstance(one, QAbstractItemView) and one.model().rowCount() > 1:
        one.setCurrentIndex(one.model().index(1, 0))


def _fill_all() -> None:
    for one in list(_controls()):
        if shiboken6.isValid(one) and one.isVisible():
            _fill(one)
            settle()
    QTest.qWait(_PAUSE_MS)
    settle()
    bars = [one for one in _controls() if isinstance(one, QScrollBar)]
    for bar in bars:
        bar.setValue((bar.minimum() + bar.maximum()) // 2)
    at_hand = [one for one in _controls() if one.isEnabled() and one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    typed = [one for one in at_hand if isinstance(one, QLineEdit)]
    if at_hand:
        (typed or at_hand)[-1].setFocus()
    settle()


def _half_type(box: QAbstractSpinBox) -> None:
    """Type a digit that differs from the box's value, without finishing."""
    before = box.text()
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "1" if before.startswith("2") else "2")
    settle()
    assert box.text() != before


def _state(one: QWidget) -> Any:
    """Return a widget's state as set by a person."""
    state: Any = None
    match one:
        case QLineEdit():
            state = one.text(), one.cursorPosition()
        case QPlainTextEdit() if not one.isReadOnly():
            state = one.toPlainText()
        case QAbstractButton():
            state = one.isChecked()
        case QAbstractSpinBox():
            state = one.text()
        case QComboBox():
            state = one.currentText()
        case QAbstractSlider():
            state = one.value()
        case QAbstractItemView():
            state = _row(one.currentIndex())
    return state


def _row(index: QModelIndex) -> str:
    """Return a row's text, without its temperature, which is the update."""
    model = index.model()
    columns = range(model.columnCount()) if isinstance(model, QAbstractTableModel) else (0,)
    return _TEMPERATURE.sub("", " · ".join(str(index.siblingAtColumn(column).data()) for column in columns))


def _name(one: QWidget) -> str:
    said = one.text() if isinstance(one, QAbstractButton) else ""
    return f"{type(one).__name__} {one.objectName() or said!r}"


@pytest.mark.drawn
@pytest.mark.parametrize("name", [name for name in PAGES if name not in WITHOUT_DISKS])
def test_news_of_the_machine_takes_nothing_away(dressed: QApplication, name: str) -> None:
    with Opened(dressed, name, (1024, 700)) as window:
        session = session_of(window)
        session.show(_further(0.1)(session.snapshot))
        settle()
        _fill_all()
        faults = [fault for change in NEWS for fault in _lost_by(window, change)]
        for box in [one for one in _controls() if isinstance(one, QAbstractSpinBox) and one.isEnabled()]:
            if shiboken6.isValid(box):
                _half_type(box)
                faults += [fault for change in (_warmer, _further(0.3)) for fault in _lost_by(window, change)]
    assert faults == []


def _lost_by(window: MainWindow, change: Callable[[Snapshot], Snapshot]) -> Iterator[str]:
    session = session_of(window)
    before = [(one, _name(one), _state(one)) for one in _controls()]
    focused = QApplication.focusWidget()
    session.show(change(session.snapshot))
    settle()
    what = change.__qualname__
    for one, name, state in before:
        if not shiboken6.isValid(one):
            yield f"{what}: remade: {name}"
        elif not one.isVisible():
            yield f"{what}: hidden: {name}"
        elif _state(one) != state:
            yield f"{what}: {name}: {state} became {_state(one)}"
    if QApplication.focusWidget() is not focused:
        yield f"{what}: the focus went from {focused} to {QApplication.focusWidget()}"
