"""The window. Importing this imports PySide6 without what no window needs, so that the window stands sooner."""

from __future__ import annotations

import builtins
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_STUB_WRITER = "shibokensupport.signature.lib.pyi_generator"


class _Without(MetaPathFinder, Loader):
    """Gives an empty module in place of the writer of stub files, which Shiboken imports and only its makers use."""

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname == _STUB_WRITER else None

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty."""


_without = _Without()
sys.meta_path.insert(0, _without)
import PySide6.QtCore  # noqa: E402, F401 -- brings the import that is put back

sys.meta_path.remove(_without)

# From here on PySide6 would read the source of every module that is imported, to see whether it asks for another
# spelling of Qt's names (``from __feature__ import snake_case``). None of ours does, and the window waits for it.
builtins.__import__ = vars(builtins).get("__orig_import__", builtins.__import__)
