"""``python -m tests.pages.spoken``: the window as assistive technology finds it, at the places that come in by line.

Answers “NAME” once the place NAME is there, and ends with its input.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication
from raidwright.ui import theme

from .drawing import Opened

_SIZE = (1280, 800)


def main() -> int:
    app = QApplication(["raidwright", "-style", "fusion"])
    app.setApplicationName("raidwright")
    app.setQuitOnLastWindowClosed(False)
    theme.install(app)
    places: list[Opened] = []

    def go() -> None:
        name = sys.stdin.readline().strip()
        for place in places:
            place.close()
        places.clear()
        if not name:
            app.quit()
            return
        places.append(Opened(app, name, _SIZE))
        places[0].window.activateWindow()
        print(name, flush=True)

    notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(go)
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
