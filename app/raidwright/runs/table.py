"""Runs as a table of CSV: a row each, with its figures and all that is known of the conditions."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import fields

from raidwright.analysis.comparison.conditions import Conditions

from .conditions import conditions_of
from .run import Run

_CONDITIONS = tuple(one.name for one in fields(Conditions) if one.name not in ("workload", "seconds", "region_mib"))


def runs_as_csv(runs: Sequence[Run]) -> str:
    """With a head of names, which are also those of ``raidwright runs --json``; a field is empty where nobody knows."""
    text = io.StringIO()
    rows = [_row(run) for run in runs]
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
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
        "program_version": run.program_version,
        "note": run.note,
        "command": result.command,
    }


def _hottest(run: Run) -> float | None:
    """Of its disks, as they said at its beginning."""
    told = run.context.get("disks")
    healths = [disk.get("health") for disk in told if isinstance(disk, dict)] if isinstance(told, list) else []
    found = [health.get("temperature_celsius") for health in healths if isinstance(health, dict)]
    return max((one for one in found if one is not None), default=None)


def _cell(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, tuple) else value
