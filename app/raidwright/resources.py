"""Where the program's files lie that are no modules of its own: ``resources/``, documents, and the helper's code.

A checkout has both beside ``app/``, with the documents. A wheel carries the same within the package: ``setup.py`` puts
them there.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent  # the package itself, whose modules go into the practice machine and to root
_SHIPPED = PACKAGE / "_shipped"
_BESIDE = _SHIPPED if _SHIPPED.is_dir() else PACKAGE.parents[1]
HELPER = _BESIDE / "helpers" / "raidwright_helper"


def resource(name: str) -> Path:
    """The file or folder ``resources/{name}``."""
    return _BESIDE / "resources" / name


def document(name: str) -> Path:
    """The document called ``name`` in the project: ``README.md``, ``docs/figures.md``."""
    return _BESIDE / name
