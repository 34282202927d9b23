"""Bounds of a rate with their cause: the least of several applies; and closed queues of requests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from raidwright.core.messages import Message


@dataclass(frozen=True, slots=True)
class Bound:
    """The rate, in bytes per second, that one cause alone would allow; ``spread`` is its log deviation."""

    b_s: float
    reason: Message
    spread: float = 0.0


def least(bounds: Iterable[Bound]) -> Bound:
    """Return the bound that applies."""
    return min(bounds, key=lambda bound: bound.b_s)


def spread_rate(waiting: float, servers: float, alone_s: float, served_s: float) -> float:
    """Return requests per second with ``waiting`` always in flight, each to one of ``servers`` at random.

    One request takes ``alone_s`` on an idle system, ``served_s`` of it at a server that serves one at a time, each for
    the same time. A single server is never idle by chance.

    Source: mean value analysis of closed queues with service of constant length (M. Reiser, "A queueing network
    analysis of computer communication networks with window flow control", IEEE Trans. Commun. 27, 1979), where each
    request finds what the others leave on average (P. Schweitzer 1979), solved for the rate. raid0 of two, three and
    five flash disks, 4 KiB at depth 8 to 64, Linux 6.1: within 3 %.
    """
    alone_s = max(alone_s, served_s)
    if servers <= 1:
        return min(waiting / alone_s, 1 / served_s)
    others_s = (waiting - 1) / waiting * served_s / servers
    square = others_s * (alone_s - served_s / 2)
    linear = alone_s + waiting * others_s
    rate = 2 * waiting / (linear + sqrt(max(0.0, linear**2 - 4 * square * waiting)))
    return min(rate, servers / served_s)
