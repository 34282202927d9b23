"""The window."""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 -- brings the import that is put back

# From here on PySide6 would read the source of every module that is imported, to see whether it asks for another
# spelling of Qt's names (``from __feature__ import snake_case``). None of ours does, and the window waits for it.
builtins.__import__ = vars(builtins).get("__orig_import__", builtins.__import__)
