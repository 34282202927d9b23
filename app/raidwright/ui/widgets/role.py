"""What a widget is to who listens, where Qt can't tell: a picture, a plot, words that one goes to."""

from __future__ import annotations

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from shiboken6 import Shiboken

# Qt deletes an interface with its widget, and Python must not before: not even when it collects garbage.
_KEPT: list[QAccessibleWidget] = []


def say_role(widget: QWidget, role: QAccessible.Role) -> None:
    """Let assistive technology be told that ``widget`` is a ``role``."""
    interface = QAccessibleWidget(widget, role)
    QAccessible.registerAccessibleInterface(interface)
    _KEPT[:] = [*filter(Shiboken.isValid, _KEPT), interface]
