"""Runs as plain values, for ``--json`` and for export."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .run import BegunRun, Run


def run_as_json(run: BegunRun) -> dict[str, Any]:
    """Return every field under its own name, times in ISO 8601."""
    plain = asdict(run) | {"started": run.started.isoformat()}
    if isinstance(run, Run):
        plain["ended"] = run.ended and run.ended.isoformat()
    return plain
