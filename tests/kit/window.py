"""``python -m tests.kit.window LOCATOR ARGUMENTS…``: ``raidwright ARGUMENTS…``, its window with a locator beside it."""

from __future__ import annotations

import sys
from pathlib import Path

from raidwright import cli
from raidwright.session import Session
from raidwright.ui import application
from raidwright.ui.settings.store import Settings
from raidwright.ui.window import MainWindow

from .locator import Locator


class LocatedWindow(MainWindow):
    """The window, which says where its widgets are."""

    path = ""

    def __init__(self, session: Session, settings: Settings | None = None, drafts: Path | None = None) -> None:
        super().__init__(session, settings, drafts)
        Locator(self.path, self)


if __name__ == "__main__":
    LocatedWindow.path, *arguments = sys.argv[1:]
    vars(application)["MainWindow"] = LocatedWindow
    sys.exit(cli.main(arguments))
