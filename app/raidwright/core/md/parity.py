"""Positions of P, Q and data in a stripe of raid4, raid5 and raid6: one table of formulas.

The arguments may be ints or numpy arrays of them; only ``%``, ``+``, ``-`` and comparisons are used, so that the
survival counts need no numpy. ``n`` members, stripe ``s``, data chunk ``i`` of the stripe.
Sources: kernel ``raid5.c raid5_compute_sector``, mdadm ``restripe.c geo_map``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .layouts import Level

Numbers = Any  # int or NDArray[int64]: the formulas are the same


@dataclass(frozen=True, slots=True)
class ParityLayout:
    """``p(n, s)`` and, for raid6, ``q(n, p)`` are members; ``restart`` and ``first`` place the data.

    Data chunks either follow in member order, stepping over P and Q (``first`` None), or begin ``first`` members
    after P and wrap. ``fixed_q`` keeps the last member for Q and distributes the rest over the others.
    """

    p: Callable[[int, Numbers], Numbers]
    q_step: int | None = None
    first: int | None = None
    fixed_q: bool = False

    def turn(self, n: int) -> int:
        """Return the number of stripes after which the pattern repeats."""
        return n - 1 if self.fixed_q else n

    def p_member(self, n: int, s: Numbers) -> Numbers:
        """Return P's member in stripe ``s``."""
        return self.p(n - self.fixed_q, s)

    def q_member(self, n: int, s: Numbers) -> Numbers:
        """Return Q's member in stripe ``s``; None for layouts without Q."""
        if self.fixed_q:
            return n - 1 + 0 * s
        return None if self.q_step is None else (self.p_member(n, s) + self.q_step) % n

    def data_member(self, n: int, s: Numbers, i: Numbers) -> Numbers:
        """Return the member that holds data chunk ``i`` of stripe ``s``."""
        p, width = self.p_member(n, s), n - self.fixed_q
        if self.first is not None:
            return (p + self.first + i) % width
        if self.fixed_q or self.q_step is None:
            return i + (i >= p)
        wrapped = p == n - 1  # Q is member 0, and all data lies between
        return i + 2 * (i >= p) * (1 - wrapped) + wrapped

    def data_index(self, n: int, s: Numbers, member: Numbers) -> Numbers:
        """Return the data chunk on ``member``, the inverse of ``data_member``; meaningless for P's and Q's member."""
        p, width = self.p_member(n, s), n - self.fixed_q
        if self.first is not None:
            return (member - p - self.first) % width
        if self.fixed_q or self.q_step is None:
            return member - (member > p)
        wrapped = p == n - 1
        return member - 2 * (member > p) * (1 - wrapped) - wrapped


def _falling(n: int, s: Numbers) -> Numbers:
    return n - 1 - s % n


def _rising(n: int, s: Numbers) -> Numbers:
    return s % n


def _falling_late(n: int, s: Numbers) -> Numbers:
    return n - 1 - (s + 1) % n


def _first(_: int, s: Numbers) -> Numbers:
    return 0 * s


def _last(n: int, s: Numbers) -> Numbers:
    return n - 1 + 0 * s


def _last_but_one(n: int, s: Numbers) -> Numbers:
    return n - 2 + 0 * s


_RAID5 = {
    "left-asymmetric": ParityLayout(_falling),
    "right-asymmetric": ParityLayout(_rising),
    "left-symmetric": ParityLayout(_falling, first=1),
    "right-symmetric": ParityLayout(_rising, first=1),
    "parity-first": ParityLayout(_first),
    "parity-last": ParityLayout(_last),
}
_RAID6 = {
    "left-asymmetric": ParityLayout(_falling, q_step=1),
    "right-asymmetric": ParityLayout(_rising, q_step=1),
    "left-symmetric": ParityLayout(_falling, q_step=1, first=2),
    "right-symmetric": ParityLayout(_rising, q_step=1, first=2),
    "parity-first": ParityLayout(_first, q_step=1),
    "parity-last": ParityLayout(_last_but_one, q_step=1),
    "ddf-zero-restart": ParityLayout(_rising, q_step=1),
    "ddf-N-restart": ParityLayout(_falling_late, q_step=1),
    "ddf-N-continue": ParityLayout(_falling, q_step=-1, first=1),
    "left-asymmetric-6": ParityLayout(_falling, fixed_q=True),
    "right-asymmetric-6": ParityLayout(_rising, fixed_q=True),
    "left-symmetric-6": ParityLayout(_falling, first=1, fixed_q=True),
    "right-symmetric-6": ParityLayout(_rising, first=1, fixed_q=True),
    "parity-first-6": ParityLayout(_first, fixed_q=True),
}


def parity_layout(level: Level, layout: str | None) -> ParityLayout:
    """Return the formulas of a parity level's canonical ``layout`` (None: mdadm's default)."""
    if level is Level.RAID4:
        return _RAID5["parity-last"]
    return (_RAID6 if level is Level.RAID6 else _RAID5)[layout or "left-symmetric"]
