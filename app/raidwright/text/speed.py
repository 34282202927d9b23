"""Predicted speeds in words: each with its range, and what it rests on."""

from __future__ import annotations

from raidwright.analysis.performance.of_plan import Performance
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.system.workload import Workload

_STREAMS = (("reads", Workload.BUFFERED_READ), ("writes", Workload.BUFFERED_WRITE))
_SMALL = (("small reads", Workload.RANDOM_READ_4K_Q32), ("small writes", Workload.RANDOM_WRITE_4K_Q32))


def speed_sentence(performance: Performance) -> str:
    """“reads 430 MB/s (350 to 520), writes …, small reads 530 a second (…); predicted for …”."""
    said = [f"{name} {rate_with_range(one)}" for name, one in _found(performance, _STREAMS)]
    said += [f"{name} {accesses_with_range(one)}" for name, one in _found(performance, _SMALL)]
    resting = "" if not performance.assumes else "; assumed: " + "; ".join(performance.assumes)
    return f"predicted: {', '.join(said)}{resting}"


def rate_with_range(one: Prediction) -> str:
    """``430 MB/s (350 to 520)``: 90 of 100 lie in the range."""
    return f"{_rounded(one.mb_s)} MB/s ({_rounded(one.low_mb_s)} to {_rounded(one.high_mb_s)})"


def accesses_with_range(one: Prediction) -> str:
    """``530 a second (380 to 730)``."""
    scale = 1e6 / one.block_bytes
    return f"{_rounded(one.iops)} a second ({_rounded(one.low_mb_s * scale)} to {_rounded(one.high_mb_s * scale)})"


def _found(performance: Performance, wanted: tuple[tuple[str, Workload], ...]) -> list[tuple[str, Prediction]]:
    named = ((name, performance.speeds[workload].normal) for name, workload in wanted)
    return [(name, one) for name, one in named if one is not None]


def _rounded(value: float) -> str:
    return f"{float(f'{value:.2g}'):,.0f}" if value >= 10 else f"{value:.2g}"
