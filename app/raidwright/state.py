"""Folders of state that outlasts a window, and isn't worth a backup (XDG Base Directory Specification)."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """Return ``$XDG_STATE_HOME/raidwright``."""
    state_home = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (state_home if state_home.is_absolute() else Path.home() / ".local/state") / "raidwright"


def draft_folder() -> Path:
    """Return the folder of plans that are in no file yet (``drafts``)."""
    return state_folder() / "drafts"
