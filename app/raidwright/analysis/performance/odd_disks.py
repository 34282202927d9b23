"""Outliers among similar disks, by their measured figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from raidwright.core.model.plan import Baseline
from raidwright.core.protocol.measured import Figures
from raidwright.core.system.baseline import Measurement

from .constants import MEASURED_ALIKE, MIN_DISKS_TO_JUDGE


@dataclass(frozen=True, slots=True)
class MeasuredDisk:
    """A disk of ``size_bytes`` by its ``name``, its ``known`` baseline, and its measured figures."""

    name: str
    size_bytes: int
    known: Baseline
    figures: Mapping[str, Figures]


@dataclass(frozen=True, slots=True)
class Odd:
    """Disk ``name``'s outlying figure in ``measurement`` (MB/s or IOPS), and its ``share`` of the median."""

    name: str
    measurement: Measurement
    value: float
    share: float


def odd_ones(disks: Sequence[MeasuredDisk]) -> tuple[Odd, ...]:
    """Find figures over 15% off the median of at least three disks of the same kind, rpm and size."""
    like: defaultdict[tuple[object, ...], list[MeasuredDisk]] = defaultdict(list)
    for disk in disks:
        like[disk.known.kind, disk.known.rpm, disk.size_bytes].append(disk)
    return tuple(odd for group in like.values() if len(group) >= MIN_DISKS_TO_JUDGE for odd in _odd_of(group))


def _odd_of(group: Sequence[MeasuredDisk]) -> Iterator[Odd]:
    for measurement in Measurement:
        told = [(disk.name, rate_of(measurement, disk.figures)) for disk in group]
        rates = [rate for _, rate in told if rate]
        if len(rates) < MIN_DISKS_TO_JUDGE:
            continue
        middle = median(rates)
        for name, rate in told:
            if rate and abs(rate - middle) > MEASURED_ALIKE * middle:
                yield Odd(name, measurement, rate, rate / middle)


def rate_of(measurement: Measurement, figures: Mapping[str, Figures]) -> float | None:
    """Return the figure of a measurement: MB/s of a stream, else IOPS; None if it wasn't taken."""
    found = figures.get(measurement)
    if found is None:
        return None
    return found.mb_s if measurement.is_stream else found.iops
