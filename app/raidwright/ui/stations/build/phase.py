"""Where a build is; what planning and building both know of it."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """Where a build is."""

    REVIEW = "review"
    BUILDING = "building"
    BUILT = "built"
