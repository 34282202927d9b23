"""Autosaved plans that are in no file yet, so that a killed window loses none of them.

In ``$XDG_STATE_HOME/raidwright/drafts`` each window has its own NAME.json, and holds a lock on NAME.lock (flock(2))
while it runs: a process that gets the lock knows that the window has ended. The kernel releases the lock however a
process ends.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from raidwright.core.errors import InputError
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.reading.plans import loads_plan

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LeftDraft:
    """The plan of a window that ended without being closed; ``changed_s`` is Unix time."""

    plan: Plan
    changed_s: float
    path: Path


class Drafts:
    """One window's draft, and those left by others. Without a writable folder nothing is saved."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = self._folder / f"{os.urandom(8).hex()}.json"
        self._lock: TextIO | None = None

    def keep(self, plan: Plan) -> None:
        """Save ``plan`` in place of the previous draft."""
        try:
            if self._lock is None:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._lock = self._path.with_suffix(".lock").open("w", encoding="utf-8")
                fcntl.flock(self._lock, fcntl.LOCK_EX)
            new = self._path.with_suffix(".new")
            new.write_text(json.dumps(dump_plan(plan)), encoding="utf-8")
            new.replace(self._path)  # atomically: the new one, or the previous one
        except OSError as error:
            _LOG.warning("the plan isn't kept: %s", error)

    def drop(self) -> None:
        """Delete the draft: the plan is in a file, in an array, or was discarded."""
        if self._lock is not None:
            _remove(self._path)
            self._lock.close()
            self._lock = None

    def left(self) -> tuple[LeftDraft, ...]:
        """Return the drafts of ended windows, the latest first; unreadable ones are skipped."""
        found = [_read(path) for path in self._folder.glob("*.json") if path != self._path and _is_free(path)]
        return tuple(sorted((one for one in found if one is not None), key=lambda one: -one.changed_s))

    def discard(self, left: LeftDraft) -> None:
        """Delete a draft left behind."""
        _remove(left.path)


def _is_free(path: Path) -> bool:
    """Return True if the draft's window has ended."""
    try:
        with path.with_suffix(".lock").open("r+", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _read(path: Path) -> LeftDraft | None:
    try:
        return LeftDraft(loads_plan(path.read_text(encoding="utf-8")), path.stat().st_mtime, path)
    except (OSError, UnicodeDecodeError, InputError) as error:
        _LOG.warning("a plan that was left behind can't be read: %s", error)
        return None


def _remove(path: Path) -> None:
    for one in (path, path.with_suffix(".lock"), path.with_suffix(".new")):
        one.unlink(missing_ok=True)
