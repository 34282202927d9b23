"""What is asked about speed beside the standing workloads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.reading.workload_words import AskedWorkload


class Sync(StrEnum):
    """What md does with a whole array, by its ``sync_action``."""

    CHECK = "check"
    RESYNC = "resync"


@dataclass(frozen=True, slots=True)
class Question:
    """Workloads of one's own, a check or resync beside all of them, and the bytes that random accesses fall within."""

    workloads: tuple[AskedWorkload, ...] = ()
    sync: Sync | None = None
    span_bytes: int | None = None
