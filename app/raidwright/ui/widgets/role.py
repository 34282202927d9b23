"""Accessible roles of widgets that Qt doesn't know: pictures, plots, focusable text."""

from __future__ import annotations

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from shiboken6 import Shiboken

# Qt deletes an interface with its widget, and Python must not do so before: not even in garbage collection.
_KEPT: list[QAccessibleWidget] = []


def say_role(widget: QWidget, role: QAccessible.Role) -> None:
    """Set ``widget``'s role for assistive technology."""
    interface = QAccessibleWidget(widget, role)
    QAccessible.registerAccessibleInterface(interface)
    _KEPT[:] = [*filter(Shiboken.isValid, _KEPT), interface]
