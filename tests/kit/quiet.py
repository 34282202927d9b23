"""Watch over the host while a practice machine is measured: what it says while it waits isn't counted."""

from __future__ import annotations

from collections.abc import Callable

from raidwright.lab.host_load import HostLoad

_MIN_S = 0.5  # rows that follow sooner are of the same measurement


class Quiet:
    """Shares of the time for which the host kept a practice machine waiting, of what its ``host_load`` returns."""

    def __init__(self, host_load: Callable[[], HostLoad]) -> None:
        self._host_load = host_load
        self._last = host_load()
        self._share = 0.0

    def waited_share(self) -> float:
        """Return the share since the last question; the same again, if that was just now."""
        now = self._host_load()
        if now.at_s - self._last.at_s >= _MIN_S:
            self._share, self._last = now.waited_share(self._last), now
        return self._share
