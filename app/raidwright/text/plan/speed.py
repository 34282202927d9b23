"""Predicted speeds in words: each with its range and its basis."""

from __future__ import annotations

from raidwright.analysis.performance.of_plan import Performance
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.messages import Message, say
from raidwright.core.system.workload import Workload
from raidwright.text.catalogue import number, tr, translated, with_semicolons

# The workloads of the wishes for reading, writing and small I/O, and their names.
WISHED = {
    Workload.BUFFERED_READ: say("Reading files"),
    Workload.BUFFERED_WRITE: say("Writing files"),
    Workload.RANDOM_READ_4K_Q32: say("Small reads"),
    Workload.RANDOM_WRITE_4K_Q32: say("Small writes"),
}
_MIN_STREAMED_BYTES = 64 * 1024  # smaller blocks are counted rather than weighed
_STREAMS = ((say("reads files {rate}"), Workload.BUFFERED_READ), (say("writes files {rate}"), Workload.BUFFERED_WRITE))
_SMALL = (
    (say("small reads {rate}"), Workload.RANDOM_READ_4K_Q32),
    (say("small writes {rate}"), Workload.RANDOM_WRITE_4K_Q32),
)


def speed_sentence(performance: Performance) -> str:
    """Return “predicted: reads files 430 MB/s (350 to 520), …, small reads 530 IOPS (380 to 730); assumed: …”."""
    said = [tr(name, rate=rate_with_range(one)) for name, one in _found(performance, _STREAMS)]
    said += [tr(name, rate=accesses_with_range(one)) for name, one in _found(performance, _SMALL)]
    if not performance.assumes:
        return tr("predicted: {speeds}", speeds=said)
    assumed = with_semicolons(*map(translated, performance.assumes))
    return tr("predicted: {speeds}; assumed: {assumed}", speeds=said, assumed=assumed)


def figure_with_range(one: Prediction) -> str:
    """Return MB/s, or IOPS for small blocks, with the range."""
    return accesses_with_range(one) if counts_accesses(one) else rate_with_range(one)


def figure(one: Prediction) -> str:
    """Return ``430`` or ``530``, without its unit, for use beside its range.

    “200 or 42,000” where nothing tells whether the flash is protected against power loss.
    """
    without = _rounded(one.iops if counts_accesses(one) else one.mb_s)
    if one.protected is None:
        return without
    return tr("{without} or {protected}", without=without, protected=figure(one.protected))


def figure_with_unit(one: Prediction) -> str:
    """Return ``430 MB/s``, or ``530 IOPS`` for small blocks."""
    if counts_accesses(one):
        return tr("{figure} IOPS", figure=figure(one))
    return tr("{figure} MB/s", figure=figure(one))


def counts_accesses(one: Prediction) -> bool:
    """Return whether IOPS matter, not MB/s."""
    return one.block_bytes < _MIN_STREAMED_BYTES


def rate_with_range(one: Prediction) -> str:
    """Return ``430 MB/s (350 to 520)``: a 90% range."""
    return tr(
        "{likely} MB/s ({low} to {high})",
        likely=figure(one),
        low=_rounded(one.low_mb_s),
        high=_rounded(one.high_mb_s),
    )


def accesses_with_range(one: Prediction) -> str:
    """Return ``530 IOPS (380 to 730)``."""
    scale = 1e6 / one.block_bytes
    return tr(
        "{likely} IOPS ({low} to {high})",
        likely=figure(one),
        low=_rounded(one.low_mb_s * scale),
        high=_rounded(one.high_mb_s * scale),
    )


def _found(performance: Performance, wanted: tuple[tuple[Message, Workload], ...]) -> list[tuple[Message, Prediction]]:
    named = ((name, performance.speeds[workload].normal) for name, workload in wanted)
    return [(name, one) for name, one in named if one is not None]


def _rounded(value: float) -> str:
    return number(float(f"{value:.2g}"), ",.0f") if value >= 10 else number(value, ".2g")
