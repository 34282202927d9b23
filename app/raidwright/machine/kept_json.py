"""Small files of JSON that are kept in the user's folders: their places, and writing them whole."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def config_file(name: str) -> Path:
    """Return the path of a file in the configuration folder, by the XDG Base Directory Specification."""
    config_home = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    return (config_home if config_home.is_absolute() else Path.home() / ".config") / "raidwright" / name


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write ``data`` to ``path``: all of it, or nothing. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".part", delete=False, encoding="utf-8") as file:
        json.dump(data, file, indent=1, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)
