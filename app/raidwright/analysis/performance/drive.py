"""Physical model of one member: zones, seeks, rotation and queue of a spinning disk; latency and channels of flash.

A ``Drive`` is a disk, or an array that is a member of another. Seconds and bytes throughout.

Sources: Ruemmler and Wilkes, "An introduction to disk drive modeling", IEEE Computer 27 (1994), for seek times that
grow with the root of the distance and for the half-turn rotational latency; data sheets for the constants
(``typical``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt
from statistics import NormalDist

from .constants import (
    CABLE_B_S,
    COMMAND_S,
    DEEP,
    MEAN_DISTANCE,
    QUEUE_GAIN,
    SETTLING_TRACKS,
    SMALL_BYTES,
)


@dataclass(frozen=True, slots=True)
class Drive:
    """Speed of one member alone.

    ``read_b_s`` and ``write_b_s`` are one stream's, at the beginning; at the end they are ``inner_share`` of that.
    ``read_access_s`` and ``write_access_s`` are one 4 KiB request at a time, over the whole drive; depth q makes q to
    the power of ``read_gain`` (``write_gain``) times as many, up to ``max_sorted``, of flash at depth 32.
    ``cached_writes``: writes are done once they are in the drive's cache, and many wait there to be sorted: of large
    ones no more than ``sorts_bytes`` (where nothing tells, as many as of small ones). ``flush_s``: what a flush takes
    besides a write of its own; where that is typical, not measured, disks differ in it: by ``flushes_vary``, their
    standard deviation by their mean. ``larger_reads`` and ``larger_writes`` of flash are (bytes, seconds) of larger
    requests, one at a time, ascending. ``read_computer_s`` and ``write_computer_s`` are what the computer takes for a
    4 KiB request to it among many to all disks, where it was measured that this holds them back; else 0.
    """

    spins: bool
    size_bytes: int
    read_b_s: float
    write_b_s: float
    read_access_s: float
    write_access_s: float
    read_gain: float
    write_gain: float
    flush_s: float
    flushes_vary: float = 0.0
    max_sorted: float = DEEP
    inner_share: float = 1.0
    turn_s: float = 0.0
    track_seek_s: float = 0.0
    mean_seek_s: float = 0.0
    cached_writes: bool = False
    sorts_bytes: float = inf
    larger_reads: tuple[tuple[float, float], ...] = ()
    larger_writes: tuple[tuple[float, float], ...] = ()
    request_s: float = 6e-6  # processor time per request to the drive (``host``)
    read_computer_s: float = 0.0
    write_computer_s: float = 0.0
    writes_spread: float = 0.0  # log deviation of an array's random writes, where this is one

    def stream_b_s(self, *, write: bool, place: float = 0.0) -> float:
        """Sequential rate at ``place``, a share of the drive: in proportion to the track's radius.

        The bits lie as densely everywhere (zoned recording), so what is left of the surface falls with the square.
        """
        outer = self.write_b_s if write else self.read_b_s
        return outer * sqrt(1 - (1 - self.inner_share**2) * place)

    def mean_b_s(self, *, write: bool, span: float = 1.0) -> float:
        """Mean rate of a pass over the first ``span``, and of transfers anywhere in it."""
        return (self.stream_b_s(write=write) + self.stream_b_s(write=write, place=span)) / 2

    def seek_s(self, distance: float) -> float:
        """Seek time over ``distance``, a share of the stroke."""
        if not self.spins or distance <= 0:
            return 0.0
        settled_s = min(SETTLING_TRACKS * self.track_seek_s, self.mean_seek_s)
        return settled_s + (self.mean_seek_s - settled_s) * sqrt(distance / MEAN_DISTANCE)

    def reposition_s(self, distance: float) -> float:
        """Seek time plus the mean rotational latency (half a turn)."""
        return self.seek_s(distance) + self.turn_s / 2

    @property
    def jump_s(self) -> float:
        """Time of a track-to-track seek plus rotational latency."""
        return self.track_seek_s + self.turn_s / 2

    def skip_s(self, skipped_bytes: float, *, write: bool) -> float:
        """Time to skip bytes within a stream: they pass under the head, or the head seeks to the next track and waits.

        Under a reading drive what passes within a turn passes, as no seek is over sooner and it reads ahead; of longer
        gaps half are jumped, since for the others it is told too late where the stream goes on.
        """
        if not self.spins:
            return 0.0
        passed = skipped_bytes / self.stream_b_s(write=write)
        jumped = min(passed, self.jump_s)
        if write:
            return jumped
        return passed if passed <= self.turn_s else (passed + jumped) / 2

    def known_within(self, span: float) -> Drive:
        """Return the drive whose ``access_s`` within ``span`` has the times that this one has over all of it.

        So that an array's times, which are known there, aren't shortened again for its shorter seeks.
        """
        saved_s = self.mean_seek_s - self.seek_s(MEAN_DISTANCE * span) if self.spins else 0.0
        read_s = self.read_access_s + saved_s
        return replace(self, read_access_s=read_s, write_access_s=self.write_access_s * read_s / self.read_access_s)

    def cached_s(self, size_bytes: float) -> float:
        """Time of a request that the drive's own cache answers."""
        return COMMAND_S + size_bytes / max(CABLE_B_S, self.read_b_s)

    def access_s(self, size_bytes: float, depth: float, *, write: bool, span: float = 1.0) -> float:
        """Time per request at queue ``depth``, within ``span`` of the drive; its inverse is the rate."""
        alone = self.write_access_s if write else self.read_access_s
        if not self.spins:
            return max(self.served_s(size_bytes, write=write), self.alone_s(size_bytes, write=write) / max(depth, 1.0))
        depth = min(max(depth, 1.0), self.max_sorted)
        gain: float = depth ** (self.write_gain if write else self.read_gain)
        nearer = 1 - (self.mean_seek_s - self.seek_s(MEAN_DISTANCE * span)) / self.read_access_s
        placed_s = alone / gain
        if write:
            placed_s = max(placed_s, self.read_access_s / self._sorted(size_bytes, depth) ** QUEUE_GAIN)
        return placed_s * nearer + (size_bytes - SMALL_BYTES) / self.mean_b_s(write=write, span=span)

    def _sorted(self, size_bytes: float, depth: float) -> float:
        """Number of large writes to choose the next from: those in the cache and those that wait for space in it."""
        return max(1.0, self.sorts_bytes / size_bytes) + max(0.0, depth - 1)

    def served_s(self, size_bytes: float, *, write: bool) -> float:
        """Time for which a request occupies the bottleneck that flash channels share."""
        alone_s, gain = (self.write_access_s, self.write_gain) if write else (self.read_access_s, self.read_gain)
        least_s: float = alone_s / DEEP**gain
        return max(least_s, size_bytes / self.stream_b_s(write=write))

    def alone_s(self, size_bytes: float, *, write: bool) -> float:
        """Time of one flash request at queue depth 1: as measured, beyond the largest measured size at the sequential
        rate.

        (A stream's requests overlap; a single one is looked up, read or programmed, and then transferred.)
        """
        at = float(SMALL_BYTES), self.write_access_s if write else self.read_access_s
        for larger in self.larger_writes if write else self.larger_reads:
            if size_bytes <= larger[0]:
                share = max(0.0, size_bytes - at[0]) / (larger[0] - at[0])
                return at[1] + share * (larger[1] - at[1])
            at = larger
        return at[1] + max(0.0, size_bytes - at[0]) / self.stream_b_s(write=write)

    def far_s(self, span: float, members: int) -> float:
        """Mean time until the last of ``members``, each at a random place within ``span``, has written a sector at the
        start.

        Seek times grow with the root of a uniform distance (mean two thirds of the longest), rotational latency is
        uniform.
        """
        longest_s = self.seek_s(span) - self.seek_s(0)
        mean_s = 2 / 3 * longest_s + self.turn_s / 2 + COMMAND_S
        return mean_s + latest(members) * sqrt(longest_s**2 / 18 + self.turn_s**2 / 12)

    def slowest_turn_s(self, members: float) -> float:
        """Extra rotational latency of the last of ``members`` over that of one."""
        return self.turn_s * (members / (members + 1) - 1 / 2)


def latest(members: int) -> float:
    """Return the mean of the largest of ``members`` normal deviates (Blom 1958)."""
    return NormalDist().inv_cdf((members - 0.375) / (members + 0.25)) if members > 1 else 0.0
