"""The user's own fio job file."""

from __future__ import annotations

from pathlib import Path

from raidwright.core.errors import InputError

_MAX_BYTES = 2**20  # far more than a job file's permitted length


def read_job_file(path: Path) -> str:
    """Return the file's text; raises InputError with the reason if it can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "UTF-8"
        raise InputError("{path} can't be read: {why}.", code="file", path=path, why=why) from error
