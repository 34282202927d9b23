"""Journal entries, one per privileged act: user, disks, commands, result.

A record is one line of JSON on standard error, which the unit connects to the journal.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

_LOG = logging.getLogger("raidwright-helper")


@dataclass(slots=True)
class Record:
    """An act in progress. ``commands`` grows while it runs; ``write`` ends it."""

    verb: str
    uid: int
    disks: Sequence[str] = ()
    commands: list[str] = field(default_factory=list)
    _began_s: float = field(default_factory=time.monotonic)

    @property
    def log(self) -> tuple[str, ...]:
        """The log for the caller: the disks, and a line per step."""
        return (*self.disks, *self.commands)

    def write(self, result: str) -> None:
        """Write the record to the journal, with ``result``: "done", or the code of the error."""
        entry = {
            "verb": self.verb,
            "uid": self.uid,
            "disks": list(self.disks),
            "commands": self.commands,
            "result": result,
            "seconds": round(time.monotonic() - self._began_s, 3),
        }
        _LOG.info("%s", json.dumps(entry))
