"""Commands that draw: they load Qt, which may lack system libraries on a machine without a desktop."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from raidwright import debian
from raidwright.core.errors import RaidwrightError
from raidwright.core.messages import say


def drawing(module: str) -> ModuleType:
    """Import the module, which needs Qt; raises RaidwrightError, naming what is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        otherwise = say("A PDF or a picture can't be drawn here: {why}", why=error)
        raise RaidwrightError(debian.why("window", otherwise), code="not-installed") from error
