"""The page's picture for the command line, where there is no window and maybe no screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication

from raidwright.ui import theme
from raidwright.ui.tokens import LIGHT

from .picture import save_rows
from .rows import Row


def save_picture(path: Path, rows: Sequence[Row], title: str) -> None:
    """Write ``rows`` into ``path``, on a light ground. Raises InputError when the file can't be written."""
    app = QApplication.instance()
    if app is None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        app = QApplication(sys.argv[:1])
        assert isinstance(app, QApplication)  # noqa: S101 -- narrows the type
        theme.install(app)
    save_rows(path, rows, title, LIGHT)
