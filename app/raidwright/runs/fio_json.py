"""A run as fio's JSON, for other programs: fio's original output, or a reconstruction."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from .conditions import pattern_of
from .run import Run

_NS_PER_MS = 1e6


def run_as_fio(run: Run) -> dict[str, Any]:
    """Return fio's output with one job. For our own runs, fio's further statistics are left out, not made up."""
    if run.fio_json:
        told: dict[str, Any] = json.loads(run.fio_json)
        return told
    around = run.context.get("surroundings")
    version = around.get("fio") if isinstance(around, Mapping) else None
    ended = run.ended or run.started
    pattern = pattern_of(run)
    direction = "write" if pattern is not None and pattern.writes else "read"
    return {
        "fio version": f"fio-{version}" if version else "",
        "timestamp": int(ended.timestamp()),
        "timestamp_ms": int(ended.timestamp() * 1000),
        "jobs": [
            {
                "jobname": run.workload,
                "error": 0,
                "job options": _options(run.result.command),
                "read": _counted(run) if direction == "read" else _nothing(),
                "write": _counted(run) if direction == "write" else _nothing(),
            }
        ],
    }


def _counted(run: Run) -> dict[str, Any]:
    result = run.result
    size_bytes, requests = round(result.mb_s * 1e6 * result.seconds), round(result.iops * result.seconds)
    latency: dict[str, Any] = {}
    if result.latency_ms is not None:
        latency = {"mean": result.latency_ms * _NS_PER_MS, "N": requests}
    if result.latency_p99_ms is not None:
        latency["percentile"] = {"99.000000": round(result.latency_p99_ms * _NS_PER_MS)}
    return {
        "io_bytes": size_bytes,
        "io_kbytes": size_bytes // 1024,
        "bw_bytes": round(result.mb_s * 1e6),
        "bw": round(result.mb_s * 1e6 / 1024),
        "iops": result.iops,
        "runtime": round(result.seconds * 1000),
        "total_ios": requests,
        "clat_ns": latency,
    }


def _nothing() -> dict[str, Any]:
    counts = dict.fromkeys(("io_bytes", "io_kbytes", "bw_bytes", "bw", "runtime", "total_ios"), 0)
    return {**counts, "iops": 0.0, "clat_ns": {"mean": 0.0, "N": 0}}


def _options(command: str) -> dict[str, str]:
    """Return ``--rw=read`` as ``{"rw": "read"}``."""
    words = (word.removeprefix("--") for word in shlex.split(command) if word.startswith("--"))
    return {name: value for name, _, value in (word.partition("=") for word in words)}
