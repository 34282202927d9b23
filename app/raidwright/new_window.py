"""Another window beside this one: a process of its own, so that nothing of the one can end the other."""

from __future__ import annotations

import sys

from PySide6 import QtCore

_HERE = "local"


def open_beside(address: str) -> bool:
    """Open a window on the machine at ``address`` (as ``--machine`` takes it); whether it could be started."""
    machine = [] if address == _HERE else ["--machine", address]
    words = [*_ourselves(), "gui", *machine]
    return QtCore.QProcess.startDetached(words[0], words[1:])[0]


def _ourselves() -> list[str]:
    """How Python was told to run this program, without what the program itself was told."""
    told = len(sys.argv) - 1
    return [sys.executable, *sys.orig_argv[1 : len(sys.orig_argv) - told]]
