"""Hypotheses: ways in which a lost array may come back, each with the evidence behind it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.model.rescue_attempt import RescueAttempt, RescueWay

MAX_HYPOTHESES = 120  # all orders of five disks


class RescueReason(StrEnum):
    """Evidence behind a hypothesis. The values are part of ``raidwright array rescue --json``."""

    AGREE = "agree"  # the members agree
    HALF = "half"  # they agree, and others that went their own way are left out
    DIRTY = "dirty"  # they agree, but one is missing and the array was being written to
    JOURNAL = "journal"  # the members agree, but the write journal is missing
    BEHIND = "behind"  # it needs members that fell behind
    LAYOUT_ORIGINAL = "layout-original"  # a raid0 whose superblocks lack its layout: that of Linux up to 3.13
    LAYOUT_ALTERNATE = "layout-alternate"  # that of Linux from 3.14 on
    LAYOUT_EITHER = "layout-either"  # both are the same on disks of these sizes
    CARD = "card"  # superblocks made anew by a recovery card or plan
    FACTS = "facts"  # superblocks made anew by the surviving members' facts
    ORDER = "order"  # likewise, in one of several possible orders


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A way in which the array may come back. ``slots`` are the disks by slot, None for a missing one.

    ``left_out`` are the other examined disks, ``behind`` the most events that a used member lacks.
    ``lacks_journal``: it is started without its write journal. ``is_offset_guessed``: nothing told where the members'
    data begin; ``begins_with`` is what begins there.
    """

    reason: RescueReason
    slots: tuple[str | None, ...]
    left_out: tuple[str, ...]
    attempt: RescueAttempt
    behind: int = 0
    lacks_journal: bool = False
    is_offset_guessed: bool = False
    begins_with: str = ""

    @property
    def way(self) -> RescueWay:
        """The mdadm command."""
        return self.attempt.way
