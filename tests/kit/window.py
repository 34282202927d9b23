"""``python -m tests.kit.window ARGUMENTS…``: ``raidwright ARGUMENTS…``, its window with a locator beside it.

``RAIDWRIGHT_LOCATOR`` is its address; the second window listens at the same with the suffix ``.2``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from raidwright import cli
from raidwright.session import Session
from raidwright.ui import application
from raidwright.ui.settings.store import SettingsStore
from raidwright.ui.window import MainWindow

from .locator import Locator


class LocatedWindow(MainWindow):
    """The window with a locator of its widgets."""

    def __init__(self, session: Session, settings: SettingsStore | None = None, drafts: Path | None = None) -> None:
        super().__init__(session, settings, drafts)
        Locator(os.environ["RAIDWRIGHT_LOCATOR"], self)


if __name__ == "__main__":
    vars(application)["MainWindow"] = LocatedWindow
    sys.exit(cli.main(sys.argv[1:]))
