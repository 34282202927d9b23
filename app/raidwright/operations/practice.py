"""Lazy access to the practice machines."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .practice_room import PracticeRoom


@functools.cache
def practice_room() -> PracticeRoom:
    """Return the ``PracticeRoom``, importing the lab on first use."""
    from .practice_room import PracticeRoom  # noqa: PLC0415 -- the lab is imported on first use

    return PracticeRoom()
