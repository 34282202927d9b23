"""Bottlenecks of disks read simultaneously: a shared link, or the computer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from raidwright.core.model.plan import Baseline
from raidwright.core.protocol.measured import Figures
from raidwright.core.system.baseline import AT_ONCE, Measurement

from .constants import MEASURED_ALIKE
from .odd_disks import MeasuredDisk, rate_of


@dataclass(frozen=True, slots=True)
class SharedLimits:
    """Measured ceilings of simultaneous reads, where below the sum of single reads: by link, and of the computer."""

    links_mb_s: Mapping[str, float] = field(default_factory=dict)
    computer_mb_s: float | None = None
    computer_iops: float | None = None

    def told(self, known: Baseline) -> Baseline:
        """Return the baseline ``known`` with the limits that apply to its disk."""
        return replace(
            known,
            link_read_mb_s=self.links_mb_s.get(known.link or ""),
            computer_read_mb_s=self.computer_mb_s,
            computer_read_4k_iops=self.computer_iops,
        )


@dataclass(frozen=True, slots=True)
class _Sum:
    """Sums of disks' rates: ``alone`` one by one, ``at_once`` together; ``fastest`` is the largest single rate."""

    alone: float
    at_once: float
    fastest: float

    @property
    def kept(self) -> float:
        return self.at_once / self.alone if self.alone else 1.0

    @property
    def is_held_back(self) -> bool:
        """True if a lasting bottleneck shows; a total below the fastest single disk was only a stall."""
        return self.kept < 1 - MEASURED_ALIKE and self.at_once >= (1 - MEASURED_ALIKE) * self.fastest


def limits_of(disks: Sequence[MeasuredDisk], at_once: Sequence[Mapping[str, Figures]]) -> SharedLimits:
    """Find the ceilings of ``disks``: each was measured alone, and ``at_once`` with all others, in the same order.

    If disks on different links lose alike, or disks that share no link lose, the computer is the bottleneck.
    """
    streams, accesses = (_sums(disks, at_once, one) for one in AT_ONCE)
    shared = {link: _total(sums) for link, sums in streams.items() if link and len(sums) > 1}
    others = _total([one for link, sums in streams.items() for one in sums if link not in shared])
    parts = [*shared.values(), *([others] if others.alone else [])]
    kept = [one.kept for one in parts]
    is_alike = len(parts) > 1 and all(one.is_held_back for one in parts) and max(kept) - min(kept) < MEASURED_ALIKE
    links = {} if is_alike else {link: one.at_once for link, one in shared.items() if one.is_held_back}
    asked = _total([one for sums in accesses.values() for one in sums])
    return SharedLimits(
        links,
        _total(parts).at_once if is_alike or others.is_held_back else None,
        asked.at_once if asked.is_held_back else None,
    )


def _sums(
    disks: Sequence[MeasuredDisk], at_once: Sequence[Mapping[str, Figures]], measurement: Measurement
) -> dict[str, list[_Sum]]:
    """Group the disks measured both ways by link ("" for none)."""
    found: defaultdict[str, list[_Sum]] = defaultdict(list)
    for disk, together in zip(disks, at_once, strict=True):
        rates = rate_of(measurement, disk.figures), rate_of(measurement, together)
        if rates[0] and rates[1]:
            found[disk.known.link or ""].append(_Sum(rates[0], rates[1], rates[0]))
    return found


def _total(sums: Sequence[_Sum]) -> _Sum:
    fastest = max((one.fastest for one in sums), default=0.0)
    return _Sum(sum(one.alone for one in sums), sum(one.at_once for one in sums), fastest)
