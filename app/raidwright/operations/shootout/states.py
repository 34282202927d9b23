"""The states in which an array is measured."""

from __future__ import annotations

from enum import StrEnum


class ArrayState(StrEnum):
    """What has happened to an array when it is measured."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"  # a disk has failed and is out
    REBUILDING = "rebuilding"  # it is back, and md writes onto it what it lacks
