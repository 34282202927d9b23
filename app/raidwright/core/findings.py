"""What to know before building: small checks over a plan and its disks, each with a reason and a remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from .disk import Disk
from .plan import Plan


class Severity(StrEnum):
    """How much a finding matters."""

    DANGER = "danger"  # data is at risk
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """``sentence`` says what is, ``reason`` why it matters, ``remedy`` what to do. ``disks`` are member ids."""

    severity: Severity
    code: str
    sentence: str
    reason: str
    remedy: str
    disks: tuple[str, ...] = ()


def findings_of(plan: Plan, disks: Mapping[str, Disk] | None = None) -> tuple[Finding, ...]:
    """All findings, gravest first. ``disks`` maps member ids (or a slice's ``disk``) to what is known of them."""
    raise NotImplementedError
