"""Processes of a test, known by their working folder, and waiting for their beginning and end."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

_PATIENCE_S = 240.0


def until(holds: Callable[[], bool]) -> None:
    """Wait until ``holds`` returns True; a busy computer takes long."""
    end = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < end, "it didn't happen in time"
        time.sleep(0.05)


def processes_in(folder: Path) -> list[str]:
    """Return the command lines of the processes that work in ``folder``."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile, or is somebody else's
            if (process / "cwd").resolve(strict=True) == folder:
                found.append((process / "cmdline").read_text(encoding="utf-8"))
    return found
