"""The user's own fio job file."""

from __future__ import annotations

from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.reading.decoded import decoded

_MAX_BYTES = 2**20  # far more than a job file's permitted length


def read_job_file(path: Path) -> str:
    """Return the file's text; raises InputError with the reason if it can't be read."""
    try:
        with path.open("rb") as file:
            return decoded(file.read(_MAX_BYTES))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else say("it is not text")
        raise InputError("{path} can't be read: {why}.", code="file", path=path, why=why) from error
