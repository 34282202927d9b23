"""What limits a rate, and why: the least of several holds, and requests wait for their server."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from raidwright.core.messages import Message

# How far what bounds a rate may be off (deviation of the logarithm), beside what is known of the disks.
OF_LINKS = 0.12  # ceilings of links and buses are rounder figures than those of disks
OF_THE_MEASURED = 0.1  # and those that were
OF_THE_HOST = 0.35  # processors' costs that nobody measured differ by a factor of two


@dataclass(frozen=True, slots=True)
class Bound:
    """The rate, in bytes a second, that one cause alone would allow; ``spread``: how far that may be off."""

    b_s: float
    reason: Message
    spread: float = 0.0


def least(bounds: Iterable[Bound]) -> Bound:
    """The one that holds."""
    return min(bounds, key=lambda bound: bound.b_s)


def spread_rate(waiting: float, servers: float, alone_s: float, served_s: float) -> float:
    """Requests a second when so many are always in flight, each to one of ``servers`` drawn at random.

    One takes ``alone_s`` where nothing else waits, ``served_s`` of it at a server that serves one at a time, each for
    as long. A single server is never kept waiting by chance.

    Source: mean value analysis of closed queues with service of constant length (M. Reiser, "A queueing network
    analysis of computer communication networks with window flow control", IEEE Trans. Commun. 27, 1979), where each
    request finds what the others leave on average (P. Schweitzer 1979), solved for the rate. Raid0 of two, three and
    five flash disks, 8 to 64 of 4 KiB at a time, Linux 6.1: within 3 %.
    """
    if servers <= 1:
        return min(waiting / alone_s, 1 / served_s)
    others_s = (waiting - 1) / waiting * served_s / servers
    square = others_s * (alone_s - served_s / 2)
    linear = alone_s + waiting * others_s
    rate = 2 * waiting / (linear + sqrt(max(0.0, linear**2 - 4 * square * waiting)))
    return min(rate, servers / served_s)
