"""A widget's role lives as long as the widget, whatever Python collects, and no longer."""

from __future__ import annotations

import gc

from PySide6.QtCore import QEvent
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QWidget
from raidwright.ui.widgets import role


class _Plot(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.itself = self  # garbage once nothing else knows it
        role.say_role(self, QAccessible.Role.Chart)


def test_it_goes_with_its_widget(dressed: QApplication) -> None:
    for _time in range(20):
        around = QWidget()
        _Plot(around)
        gc.collect()
        plot = around.findChild(_Plot)
        assert plot is not None
        told = QAccessible.queryAccessibleInterface(plot)
        assert told is not None
        assert told.role() is QAccessible.Role.Chart
        del told
        around.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        del around, plot
    gc.collect()
    last = QWidget()
    role.say_role(last, QAccessible.Role.Canvas)
    assert not [one for one in role._KEPT if one.role() is QAccessible.Role.Chart]
