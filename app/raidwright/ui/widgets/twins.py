"""A plot and the table of its figures in one place: every plot has its table."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QStackedLayout, QWidget

from raidwright.text.catalogue import tr

from .panel import button
from .table import Table


def twins_of(plot: QWidget, table: Table, name: str) -> tuple[QWidget, QPushButton]:
    """Return a stack of a plot and the table of its figures, and the button that switches to the table."""
    both = QWidget()
    layers = QStackedLayout(both)
    layers.addWidget(plot)
    layers.addWidget(table)
    toggle = button(tr("As a table"), f"{name}-as-table")
    toggle.setCheckable(True)
    toggle.setProperty("kind", "toggle")
    toggle.toggled.connect(lambda on: layers.setCurrentIndex(1 if on else 0))
    return both, toggle
