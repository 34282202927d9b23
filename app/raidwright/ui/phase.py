"""The phase of a build, shared by planning and building."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """The phase of a build."""

    REVIEW = "review"
    BUILDING = "building"
    BUILT = "built"
