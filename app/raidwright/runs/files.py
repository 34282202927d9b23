"""What is measured, as files of JSON in the user's data folder: written whole or not at all, checked when read."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields


def data_folder() -> Path:
    """Where what is measured is kept, by the XDG Base Directory Specification."""
    data_home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(data_home) if Path(data_home).is_absolute() else Path.home() / ".local" / "share"
    return base / "raidwright"


def write_whole(path: Path, data: Mapping[str, Any]) -> None:
    """Write ``data`` as JSON, whole or not at all. Raises InputError when the folder can't be written to."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".part", delete=False, encoding="utf-8") as file:
            json.dump(data, file, indent=1, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)
    except OSError as error:
        raise InputError(
            "What was measured can't be saved in {folder}: {why}.", code="run-save", folder=folder, why=error.strerror
        ) from error


def load_json(path: Path) -> object:
    """What the file at ``path`` holds; raises InputError that says what is wrong with it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("{path} can't be read: {why}.", code="run-read", path=path, why=error.strerror) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            "{path} holds nothing that was measured: {why}.", code="run-json", path=path, why=str(error)
        ) from error


def read_time(fields: Fields, key: str) -> datetime:
    """The time under ``key``, in UTC where it says no zone; raises InputError."""
    text = fields.require(key, str)
    try:
        started = datetime.fromisoformat(text)
    except ValueError:
        raise InputError("{where}: “{text}” is not a time.", code="run-time", where=fields.where, text=text) from None
    return started if started.tzinfo else started.replace(tzinfo=UTC)
