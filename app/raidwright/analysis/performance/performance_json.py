"""Predictions of a plan as JSON values, as printed by ``raidwright assess --json``."""

from __future__ import annotations

from .constants import JSON_DIGITS
from .of_plan import Performance, WorkloadSpeeds
from .prediction import Prediction
from .syncing import SyncSpeed


def performance_as_json(performance: Performance) -> dict[str, object]:
    """By workload, one's own last, then state."""
    each = [*performance.speeds.items(), *performance.own.items()]
    return {str(name): _states(speeds, asks_sync=performance.asks_sync) for name, speeds in each}


def rebuild_as_json(performance: Performance) -> dict[str, object] | None:
    """Return the rebuild along each member while the array is idle, and the share left to others during it."""
    low, high = performance.rebuild_low_hours, performance.rebuild_high_hours
    if performance.rebuild_mb_s is None or performance.rebuild_hours is None or low is None or high is None:
        return None
    return {
        "mb_s": _rounded(performance.rebuild_mb_s),
        "hours": _rounded(performance.rebuild_hours),
        "low_hours": _rounded(low),
        "high_hours": _rounded(high),
        "limited_by": performance.rebuild_limited_by,
        "share_left": _rounded(performance.share_left),
    }


def _states(speeds: WorkloadSpeeds, *, asks_sync: bool) -> dict[str, object]:
    states: dict[str, object] = {name: _one(getattr(speeds, name)) for name in ("normal", "degraded", "rebuilding")}
    if not asks_sync:
        return states
    syncing, sync = _one(speeds.syncing), speeds.sync
    if syncing is not None and sync is not None:
        syncing["sync"] = {name: _rounded(getattr(sync, name)) for name in SyncSpeed.__slots__}
    return states | {"syncing": syncing}


def _one(prediction: Prediction | None) -> dict[str, object] | None:
    if prediction is None:
        return None
    return {
        "mb_s": _rounded(prediction.mb_s),
        "iops": _rounded(prediction.iops),
        "low_mb_s": _rounded(prediction.low_mb_s),
        "high_mb_s": _rounded(prediction.high_mb_s),
        "limited_by": prediction.limited_by,
        "assumes": list(prediction.assumes),
        "with_power_loss_protection": _one(prediction.protected),
    }


def _rounded(value: float) -> float:
    return float(f"{value:.{JSON_DIGITS}g}")
