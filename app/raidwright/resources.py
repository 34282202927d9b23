"""Paths of the program's files other than its modules: ``resources/``, documents, and the helper's code.

A checkout has both beside ``app/``, with the documents. A wheel has the same within the package: ``setup.py`` puts them
there.
"""

from __future__ import annotations

from pathlib import Path

# the package itself, whose modules are copied to the practice machine and to the helper
PACKAGE = Path(__file__).resolve().parent
_SHIPPED = PACKAGE / "_shipped"
COMPILED = "compiled"  # its folder of what lab/compiled.py makes
_BESIDE = _SHIPPED if _SHIPPED.is_dir() else PACKAGE.parents[1]
HELPER = _BESIDE / "helpers" / "raidwright_helper"


def resource(name: str) -> Path:
    """Return the file or folder ``resources/{name}``."""
    return _BESIDE / "resources" / name


def compiled_before(name: str) -> Path | None:
    """Return the program or library ``name`` as a package brings it (``COMPILED``); None in a checkout."""
    path = _SHIPPED / COMPILED / name
    return path if path.exists() else None


def document(name: str) -> Path:
    """Return the project's document ``name``: ``README.md``, ``docs/figures.md``."""
    return _BESIDE / name
