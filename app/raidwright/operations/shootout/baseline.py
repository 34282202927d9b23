"""The streams of the disk that a shoot-out measures alone, kept as that disk's baseline.

Only the streams: small reads and writes stay within the slice, so their seeks are shorter than a whole disk's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from raidwright.core.model.disk import Disk
from raidwright.core.protocol.measured import BaselineResult, Figures
from raidwright.core.system.baseline import Measurement
from raidwright.core.system.workload import Workload
from raidwright.runs.baselines import KeptBaseline, known_of
from raidwright.runs.run import ArrayState

from .results import Figure, Findings

_STREAMS = {
    Workload.SEQUENTIAL_READ: Measurement.READ_OUTSIDE,
    Workload.SEQUENTIAL_WRITE: Measurement.WRITE_OUTSIDE,
}


def kept_streams(
    findings: Findings, contestant: int, disk: Disk, machine_title: str, before: KeptBaseline | None
) -> KeptBaseline | None:
    """Return the baseline of ``disk``, which ``contestant`` is alone; None if no stream of it was measured.

    Other figures stay as measured ``before``.
    """
    found = dict(_figures(findings, contestant))
    if not found:
        return None
    figures = {name: _means(one) for name, one in found.items()}
    commands = tuple(result.command for one in found.values() for result in one.results)
    now = datetime.now(UTC)
    result = BaselineResult(figures, disk.size_bytes, findings.contest.seconds, int(now.timestamp()), "", commands)
    if before is not None:
        result = replace(result, figures={**before.result.figures, **figures}, fio=before.result.fio)
    return KeptBaseline(
        serial=disk.serial,
        model=disk.model,
        size_bytes=disk.size_bytes,
        taken=now,
        machine=machine_title,
        known=known_of(disk, before.known if before else None),
        result=result,
    )


def _figures(findings: Findings, contestant: int) -> Iterator[tuple[str, Figure]]:
    for workload, name in _STREAMS.items():
        if (one := findings.of(contestant, ArrayState.HEALTHY, workload)) is not None:
            yield name, one


def _means(one: Figure) -> Figures:
    """Return the mean rates of the repeats, and the first repeat's latencies."""
    first = one.results[0]
    return Figures(one.mb_s, one.iops, first.latency_ms or 0.0, first.latency_p99_ms or 0.0)
