"""Another window in a separate process, so that neither can crash the other."""

from __future__ import annotations

import sys

from PySide6 import QtCore

_HERE = "local"


def open_beside(address: str) -> bool:
    """Open a window on the machine at ``address`` (as for ``--machine``); return True if it was started."""
    machine = [] if address == _HERE else ["--machine", address]
    words = [*_ourselves(), "gui", *machine]
    return QtCore.QProcess.startDetached(words[0], words[1:])[0]


def _ourselves() -> list[str]:
    """Return the command line of this program, without the program's own arguments."""
    told = len(sys.argv) - 1
    return [sys.executable, *sys.orig_argv[1 : len(sys.orig_argv) - told]]
