"""The page's picture for the command line, without a window and possibly without a screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication

from raidwright.colours import LIGHT
from raidwright.runs.comparing import AgainstPrediction, Compared
from raidwright.runs.run import Run
from raidwright.text.catalogue import tr
from raidwright.ui import theme

from .picture import save_rows
from .rows import rows_of, rows_of_runs


def draw(path: Path, shown: Sequence[Run] | Sequence[Compared | AgainstPrediction]) -> None:
    """Write the rows of ``shown`` to ``path``, on a light background.

    Raises InputError if the file can't be written.
    """
    runs = [one for one in shown if isinstance(one, Run)]
    found = [one for one in shown if not isinstance(one, Run)]
    app = QApplication.instance()
    if app is None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        app = QApplication(sys.argv[:1])
        assert isinstance(app, QApplication)  # noqa: S101 -- narrows the type
        theme.install(app)
    if runs:
        save_rows(path, rows_of_runs(runs), tr("Runs"), LIGHT)
    else:
        save_rows(path, rows_of(found), tr("Runs compared"), LIGHT)
