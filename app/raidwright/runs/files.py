"""Files: of measurements, as JSON in the user's data folder, and those that people choose a name for."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.machine.kept_json import write_json


def data_folder() -> Path:
    """Return the folder for measurements, by the XDG Base Directory Specification."""
    data_home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(data_home) if Path(data_home).is_absolute() else Path.home() / ".local" / "share"
    return base / "raidwright"


def write_whole(path: Path, data: Mapping[str, Any]) -> None:
    """Write ``data`` as JSON, atomically. Raises InputError if the folder isn't writable."""
    folder = path.parent
    try:
        write_json(path, data)
    except OSError as error:
        raise InputError(
            "What was measured can't be saved in {folder}: {why}.", code="run-save", folder=folder, why=error.strerror
        ) from error


def write_file(path: Path, content: str | bytes, code: str) -> None:
    """Write ``content`` to a file of a person's choice; raises InputError, of ``code``, if that fails."""
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise InputError(
            "“{path}” can't be written: {why}. Choose another folder or name.",
            code=code,
            path=path,
            why=error.strerror,
        ) from error


def load_json(path: Path) -> object:
    """Read the file at ``path``; raises InputError with the reason if it can't be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("{path} can't be read: {why}.", code="run-read", path=path, why=error.strerror) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            "{path} holds nothing that was measured: {why}.", code="run-json", path=path, why=str(error)
        ) from error


def read_time(fields: Fields, key: str) -> datetime:
    """Return the time under ``key``, taken as UTC without a zone; raises InputError."""
    text = fields.require(key, str)
    try:
        started = datetime.fromisoformat(text)
    except ValueError:
        raise InputError("{where}: “{text}” is not a time.", code="run-time", where=fields.where, text=text) from None
    return started if started.tzinfo else started.replace(tzinfo=UTC)
