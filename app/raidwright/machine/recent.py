"""The most recent machines reached over ssh.

Only their addresses, in ``$XDG_CONFIG_HOME/raidwright/machines.json``.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from raidwright.core.errors import InputError

from .kept_json import config_file, write_json
from .ssh.host import parse_host

_MAX_KEPT = 8
_VERSION = 1
_LOG = logging.getLogger(__name__)


class RecentMachines:
    """List kept in a file, which is read each time: several windows may be open."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or config_file("machines.json")

    def addresses(self) -> tuple[str, ...]:
        """Return ``ssh://[user@]host[:port]`` of each, the latest first; an unreadable file counts as empty."""
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))["machines"]
            return tuple(parse_host(str(one)).address for one in kept[:_MAX_KEPT])
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError, InputError) as error:
            _LOG.warning("which machines were reached is not remembered, since %s can't be read: %s", self._path, error)
            return ()

    def note(self, address: str) -> None:
        """Put ``address`` first."""
        others = (one for one in self.addresses() if one != address)
        try:
            write_json(self._path, {"version": _VERSION, "machines": [address, *others][:_MAX_KEPT]})
        except OSError as error:
            _LOG.warning("the machine can't be remembered: %s", error)
