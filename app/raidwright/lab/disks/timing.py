"""Timing models of practice disks: data-sheet figures, and the parameters passed to the disks' process.

Standard library only: the guest reads disks, too. The models are in ``resources/lab/c`` (geometry.c, spinning.c,
shingled.c, flash.c), the kinds' figures in ``resources/lab/kinds.toml``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

_THIRD = 1 / 3  # of the stroke: an average seek
_BLOCK_BYTES = 4096
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Spinning:
    """A spinning disk. Shares are of its bytes; ``band_mib`` is 0 for CMR, ``slow_turns`` for a healthy disk."""

    rpm: int
    outside_mb_s: float
    inside_mb_s: float
    track_seek_ms: float
    settle_ms: float
    average_seek_ms: float
    full_seek_ms: float
    write_seek_ms: float  # additional time to settle for a write
    cable_mb_s: float
    command_ms: float
    read_ahead_kib: int
    segment_kib: int
    segments: int
    write_cache_mib: float
    write_cache_pieces: int  # largest number of separate extents cached
    random_read_iops: float
    random_read_q32_iops: float
    random_write_iops: float
    random_write_q32_iops: float
    band_mib: int = 0
    log_share: float = 0.0
    log_pieces_a_band: float = 0.0
    log_batch: int = 0  # pieces written to the log at once
    full_log_write_iops: float = 0.0
    slow_from_share: float = 0.0
    slow_until_share: float = 0.0
    slow_turns: float = 0.0  # additional turns of a read in the slow region
    recovery_ms: float = 0.0  # error recovery time before a read error is reported
    unreadable_spots: int = 0

    @property
    def seek_root_ms(self) -> float:
        """Coefficient of the square root of the seek distance (share of the stroke)."""
        third, all_of_it = self.average_seek_ms - self.settle_ms, self.full_seek_ms - self.settle_ms
        return (third - _THIRD * all_of_it) / (sqrt(_THIRD) - _THIRD)

    @property
    def seek_linear_ms(self) -> float:
        """Coefficient of the seek distance (share of the stroke)."""
        return self.full_seek_ms - self.settle_ms - self.seek_root_ms

    def figures(self, size_bytes: int) -> dict[str, float]:
        """Return the parameters of ``drive.c`` for a disk of ``size_bytes``."""
        return {
            "rpm": self.rpm,
            "outside_mb_s": self.outside_mb_s,
            "inside_mb_s": self.inside_mb_s,
            "track_ms": self.track_seek_ms,
            "settle_ms": self.settle_ms,
            "root_ms": self.seek_root_ms,
            "linear_ms": self.seek_linear_ms,
            "write_ms": self.write_seek_ms,
            "cable_mb_s": self.cable_mb_s,
            "command_us": self.command_ms * 1000,
            "read_ahead_kib": self.read_ahead_kib,
            "held_kib": self.segment_kib,
            "held_runs": self.segments,
            "cache_mib": self.write_cache_mib,
            "cache_pieces": self.write_cache_pieces,
            **self._shingles(size_bytes),
            **self._sickness(),
        }

    def _shingles(self, size_bytes: int) -> dict[str, float]:
        if not self.band_mib:
            return {}
        return {
            "band_mib": self.band_mib,
            "log_mib": self.log_share * size_bytes / _MIB,
            "log_pieces": self.log_pieces_a_band * size_bytes / (self.band_mib * _MIB),
            "log_batch": self.log_batch,
        }

    def _sickness(self) -> dict[str, float]:
        return {
            "slow_from": self.slow_from_share,
            "slow_until": self.slow_until_share,
            "slow_turns": self.slow_turns,
            "recovery_ms": self.recovery_ms,
        }


@dataclass(frozen=True, slots=True)
class Flash:
    """A flash disk; the part ``fast_share`` of it (SLC cache) accepts fast writes until it is full."""

    read_mb_s: float
    write_mb_s: float
    random_read_iops: float
    random_read_q32_iops: float
    random_write_iops: float
    random_write_q32_iops: float
    fast_share: float
    folded_mb_s: float  # write rate once the SLC cache is full
    flush_ms: float
    kept_ms: float  # time that a write is only in the disk's volatile cache
    cable_mb_s: float
    unreadable_spots: int = 0

    def figures(self, size_bytes: int) -> dict[str, float]:
        """Return the parameters of ``drive.c`` for a disk of ``size_bytes``."""
        read_us, write_us = 1e6 / self.random_read_q32_iops, 1e6 / self.random_write_q32_iops
        folded_us, cable_us = _BLOCK_BYTES / self.folded_mb_s, _BLOCK_BYTES / self.cable_mb_s
        return {
            "read_mb_s": self.read_mb_s,
            "read_us": 1e6 / self.random_read_iops - max(read_us, _BLOCK_BYTES / self.read_mb_s),
            "read_command_us": read_us,
            "write_mb_s": self.write_mb_s,
            "write_us": 1e6 / self.random_write_iops - max(write_us, _BLOCK_BYTES / self.write_mb_s) - cable_us,
            "write_command_us": write_us,
            "fast_mib": self.fast_share * size_bytes / _MIB,
            "folded_mb_s": self.folded_mb_s,
            "folded_command_us": max(folded_us, write_us),
            "flush_us": self.flush_ms * 1000,
            "kept_ms": self.kept_ms,
            "cable_mb_s": self.cable_mb_s,
        }


Timing = Spinning | Flash


def timing_from_json(fields: dict[str, Any] | None) -> Timing | None:
    """Return the timing that ``dataclasses.asdict`` turned into ``fields``."""
    if fields is None:
        return None
    return Spinning(**fields) if "rpm" in fields else Flash(**fields)
