"""The user's own names for the places of a case, by a disk's path: “bay 2, bottom”.

In ``$XDG_CONFIG_HOME/raidwright/bays.json``, by machine, which is named as on the command line: ``local``,
``lab:NAME``, ``ssh://host``. Those of the machine that is shown are used wherever a link is (``text.disk.bays``), as
the chosen language is.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path

from raidwright.core.errors import InputError

from .kept_json import config_file, write_json

_VERSION = 1
_MAX_NAME = 40
_MAX_BAYS = 256
_SHOWN: dict[str, str] = {}
_LOG = logging.getLogger(__name__)


def use_bays(names: Mapping[str, str]) -> None:
    """Name places so from now on: those of the machine that is shown."""
    _SHOWN.clear()
    _SHOWN.update(names)


def bay_of(path: str) -> str:
    """Return the name of the bay at ``path`` (``text.disk.bays.bay_key``); "" if it has none."""
    return _SHOWN.get(path, "")


def checked_bay(name: str) -> str:
    """Return the name of a bay if it can be shown in a line; raises InputError."""
    name = " ".join(name.split())
    if len(name) > _MAX_NAME or not name.isprintable():
        raise InputError("A bay's name has up to {most} characters.", code="bay", most=_MAX_NAME)
    return name


class KeptBays:
    """The names kept at ``path``."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or config_file("bays.json")

    def of(self, machine: str) -> Mapping[str, str]:
        """Return the names of a machine's bays, by path; an unreadable file counts as empty."""
        try:
            return self._all().get(machine, {})
        except InputError as error:
            _LOG.warning("the bays have no names: %s", error)
            return {}

    def name(self, machine: str, path: str, name: str) -> None:
        """Name the bay at ``path``, "" to forget its name. Raises InputError if the file can't be read or written."""
        kept = self._all()
        bays = {one: text for one, text in kept.get(machine, {}).items() if one != path}
        if name := checked_bay(name):
            bays[path] = name
        kept[machine] = dict(list(bays.items())[-_MAX_BAYS:])
        try:
            write_json(self._path, {"version": _VERSION, "machines": kept})
        except OSError as error:
            raise InputError(
                "{path} can't be written: {why}.", code="bays", path=str(self._path), why=error.strerror
            ) from error

    def _all(self) -> dict[str, dict[str, str]]:
        """Return all names by machine; raises InputError for a damaged file, which isn't overwritten."""
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))["machines"]
            return {str(one): {str(k): checked_bay(str(v)) for k, v in bays.items()} for one, bays in kept.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, InputError) as error:
            raise InputError(
                "{path} can't be read: {why}. Move it away, and name the bays anew.",
                code="bays",
                path=str(self._path),
                why=str(error),
            ) from error
