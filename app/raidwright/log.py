"""The window's log of operations and their results, in ``$XDG_STATE_HOME/raidwright/window.log``.

The program's own lines contain kinds, codes and templates of sentences, never the values of their fields: no serial
number, no password, no file name.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from raidwright.core.errors import RaidwrightError
from raidwright.machine.connection import Connection

from .state import state_folder

_MAX_BYTES = 512 << 10
_MAX_LINES = 200
_LOG = logging.getLogger(__name__)
_ENDS = logging.getLogger(f"{__name__}.ends")


def log_path() -> Path:
    """Return the log's path."""
    return state_folder() / "window.log"


def begin(path: Path | None = None) -> None:
    """Start logging, including crashes; without a writable folder there is no log.

    Warnings go to the terminal as before.
    """
    path = path or log_path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _MAX_BYTES:
            path.replace(path.with_suffix(".log.1"))
        stream = path.open("a", encoding="utf-8")  # each line in one write, since several windows may write
    except OSError as error:
        _LOG.warning("there is no log: %s", error)
        return
    to_file = logging.StreamHandler(stream)
    to_file.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    ours, root = logging.getLogger("raidwright"), logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.StreamHandler())
    for to_terminal in root.handlers:
        to_terminal.setLevel(max(to_terminal.level, root.level))  # as before: lower levels are for the file only
    ours.addHandler(to_file)
    if ours.getEffectiveLevel() > logging.INFO:
        ours.setLevel(logging.INFO)
    faulthandler.enable(stream)  # logs fatal signals
    _note_ends(to_file)


def last_lines(path: Path | None = None, count: int = _MAX_LINES) -> tuple[str, ...]:
    """Return the newest ``count`` lines."""
    try:
        text = (path or log_path()).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    return tuple(text.splitlines()[-count:])


@contextlib.contextmanager
def noted(operation: object) -> Iterator[None]:
    """Log the operation done inside the block, and its result."""
    kind = type(operation).__name__
    _LOG.info("%s begins", kind)
    try:
        yield
    except RaidwrightError as error:
        _LOG.info("%s failed: %s", kind, _said_of(error))
        raise
    except asyncio.CancelledError:
        _LOG.info("%s was cancelled", kind)
        raise
    _LOG.info("%s is done", kind)


def note_connection(before: Connection, now: Connection) -> None:
    """Log the state and kind of the connection."""
    if now.state is not before.state:
        kind = "practice" if now.is_practice else "far" if now.far else "near"
        why = getattr(now.sentence, "template", "")
        _LOG.info("the machine (%s): %s%s", kind, now.state, f": {why}" if why else "")


def _said_of(error: RaidwrightError) -> str:
    """Return an error's log text: its code, and its sentence's template without values."""
    return f"{error.code}: {getattr(error.sentence, 'template', '') or '(not ours)'}"


def _note_ends(to_file: logging.Handler) -> None:
    """Log uncaught exceptions."""
    _ENDS.addHandler(to_file)
    _ENDS.propagate = False  # the terminal shows them anyway
    shown, shown_in_thread = sys.excepthook, threading.excepthook

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _ENDS.error("nobody caught this", exc_info=(kind, error, trace))
        shown(kind, error, trace)

    def note_in_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            _ENDS.error("nobody caught this", exc_info=args.exc_value)
        shown_in_thread(args)

    sys.excepthook, threading.excepthook = note, note_in_thread
