"""Commands that draw: they load Qt, which can lack a library of the system where nobody wants a window."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from raidwright import debian
from raidwright.core.errors import RaidwrightError
from raidwright.core.messages import say


def drawing(module: str) -> ModuleType:
    """The module, which brings Qt; raises RaidwrightError, with what is missing, where it can't be loaded."""
    try:
        return import_module(module)
    except ImportError as error:
        otherwise = say("A PDF or a picture can't be drawn here: {why}", why=error)
        raise RaidwrightError(debian.why("window", otherwise), code="not-installed") from error
