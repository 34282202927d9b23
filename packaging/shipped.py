"""The files of a package besides its modules (``app/raidwright/resources.py`` finds them there)."""

from __future__ import annotations

import shutil
from pathlib import Path

FOLDERS = ("resources", "helpers", "docs")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
_MADE = shutil.ignore_patterns("__pycache__", "*.mo")


def copy_shipped(checkout: Path, target: Path) -> None:
    """Copy all of them from ``checkout`` into the folder ``target``, except for files generated from them."""
    for folder in FOLDERS:
        shutil.copytree(checkout / folder, target / folder, ignore=_MADE)
    for name in DOCUMENTS:
        shutil.copyfile(checkout / name, target / name)
