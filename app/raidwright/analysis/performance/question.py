"""User questions about speed, beyond the built-in workloads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from raidwright.reading.workload_words import AskedWorkload


class Sync(StrEnum):
    """Sync actions on a whole array, by md's ``sync_action``."""

    CHECK = "check"
    RESYNC = "resync"


@dataclass(frozen=True, slots=True)
class Question:
    """User-defined workloads, a check or resync beside all of them, and the region of random I/O in bytes."""

    workloads: tuple[AskedWorkload, ...] = ()
    sync: Sync | None = None
    span_bytes: int | None = None
