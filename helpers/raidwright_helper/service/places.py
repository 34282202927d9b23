"""Limits for waiting calls: number and bytes per user, with a reserve for users who have fewer.

A call has a place from when its user is known until it is answered, so an unanswered prompt keeps it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator

from raidwright.core.protocol.errors import Busy

from .reading import MAX_BODY_BYTES

MAX_OF_A_USER = 64  # on any number of connections
MAX_BYTES_OF_A_USER = MAX_BODY_BYTES
MAX_PLACES = 256


class WaitingPlace:
    """The place of a user's waiting call, made by the call's own task."""

    def __init__(self, uid: int, length_bytes: int) -> None:
        self.uid = uid
        self.length_bytes = length_bytes
        self.is_taken_away = False
        self._task = asyncio.current_task()
        self._is_waiting = False

    @property
    def can_be_taken_away(self) -> bool:
        """True if the call only waits for polkit's answer."""
        return self._is_waiting and not self.is_taken_away

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark the call as waiting for polkit."""
        self._is_waiting = True
        try:
            yield
        finally:
            self._is_waiting = False

    def take_away(self) -> None:
        """Cancel the call."""
        self.is_taken_away = True
        if self._task is not None:
            self._task.cancel()


class Places:
    """All places."""

    def __init__(self) -> None:
        self._taken: list[WaitingPlace] = []

    @contextlib.contextmanager
    def of(self, uid: int, length_bytes: int) -> Iterator[WaitingPlace]:
        """Reserve a place for a call of ``length_bytes`` by the user ``uid``; raises Busy."""
        theirs = [place for place in self._taken if place.uid == uid]
        too_long = sum(place.length_bytes for place in theirs) + length_bytes > MAX_BYTES_OF_A_USER
        if len(theirs) >= MAX_OF_A_USER or too_long or not self._has_room_for(len(theirs)):
            raise Busy("Too many questions at once; wait for the answers.", code="flood")
        place = WaitingPlace(uid, length_bytes)
        self._taken.append(place)
        try:
            yield place
        finally:
            self._taken.remove(place)

    def _has_room_for(self, has: int) -> bool:
        """Return whether a user who ``has`` so many gets one more: if all are taken, from the user with most by far."""
        kept = [place for place in self._taken if not place.is_taken_away]
        if len(kept) < MAX_PLACES:
            return True
        for uid, count in Counter(place.uid for place in kept).most_common():
            if count <= has + 1:
                return False
            latest = next((place for place in reversed(kept) if place.uid == uid and place.can_be_taken_away), None)
            if latest is not None:
                latest.take_away()
                return True
        return False
