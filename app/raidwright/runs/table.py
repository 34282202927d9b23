"""Runs as CSV tables: a row per run, with its figures and conditions; or a row per sample."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from statistics import fmean

from raidwright.analysis.comparison.conditions import Conditions
from raidwright.core.protocol.measured import Sample

from .conditions import conditions_of
from .remarks import remarks_of
from .run import Run

_BESIDE = ("busy", "celsius")
_CONDITIONS = tuple(one.name for one in fields(Conditions) if one.name not in ("workload", "seconds", "region_mib"))


def runs_as_csv(runs: Sequence[Run]) -> str:
    """Return CSV with a header of the names used by ``raidwright runs --json``; unknown fields are empty."""
    text = io.StringIO()
    rows = [_row(run) for run in runs]
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def samples_as_csv(runs: Sequence[Run]) -> str:
    """Return each run's samples as CSV, with the disks' utilisation (share of time busy) and temperature in °C.

    A field is empty if it wasn't sampled at that moment.
    """
    samples = [(run.id, one) for run in runs for one in run.samples]
    beside = {
        f"{kind}_{name}": (kind, name)
        for kind in _BESIDE
        for name in sorted({name for _, one in samples for name in getattr(one, kind) or ()})
    }
    plain = [one.name for one in fields(Sample) if one.name not in _BESIDE]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", *plain, *beside])
    for run_id, one in samples:
        told = ((getattr(one, kind) or {}).get(name, "") for kind, name in beside.values())
        writer.writerow([run_id, *(getattr(one, name) for name in plain), *told])
    return text.getvalue()


def _row(run: Run) -> dict[str, object]:
    conditions, series, result = conditions_of(run), run.series, run.result
    known = {name: _cell(getattr(conditions, name)) for name in _CONDITIONS}
    return {
        "id": run.id,
        "started": run.started.isoformat(),
        "workload": run.workload,
        "target": run.target,
        "state": run.state or "",
        "repeat": run.repeat,
        "series": series.id if series else "",
        "series_kind": series.kind if series else "",
        "series_name": series.name if series else "",
        "mb_s": result.mb_s,
        "iops": result.iops,
        "latency_ms": result.latency_ms,
        "latency_p99_ms": result.latency_p99_ms,
        "seconds": result.seconds,
        "region_mib": run.region_mib,
        **known,
        "temperature_celsius": _hottest(run),
        "temperature_most_celsius": max(
            (max(one.celsius.values()) for one in run.samples if one.celsius), default=None
        ),
        "busiest": _busiest(run),
        "remarks": " ".join(remarks_of(run)),
        "program_version": run.program_version,
        "note": run.note,
        "command": result.command,
    }


def _hottest(run: Run) -> float | None:
    """Return the highest temperature of the run's disks at its beginning."""
    told = run.context.get("disks")
    healths = [disk.get("health") for disk in told if isinstance(disk, dict)] if isinstance(told, list) else []
    found = [health.get("temperature_celsius") for health in healths if isinstance(health, dict)]
    return max((one for one in found if one is not None), default=None)


def _busiest(run: Run) -> float | None:
    """Return the largest mean utilisation of the run's disks."""
    told: dict[str, list[float]] = {}
    for one in run.samples:
        for name, share in (one.busy or {}).items():
            told.setdefault(name, []).append(share)
    return max(map(fmean, told.values()), default=None)


def _cell(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, tuple) else value
