"""A person's own fio job, in a file."""

from __future__ import annotations

from pathlib import Path

from raidwright.core.errors import InputError

_MOST_BYTES = 2**20  # far beyond what a job file may be long


def read_job_file(path: Path) -> str:
    """What stands in it; raises InputError that says why that can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "UTF-8"
        raise InputError("{path} can't be read: {why}.", code="file", path=path, why=why) from error
