"""The door to the practice machines."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .practice_room import PracticeRoom


@functools.cache
def practice_room() -> PracticeRoom:
    """The room behind it."""
    from .practice_room import PracticeRoom  # noqa: PLC0415 -- only who asks for a machine needs the lab

    return PracticeRoom()
