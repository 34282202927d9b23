"""Runs in the format before the store: one JSON file each, in ``$XDG_DATA_HOME/raidwright/runs``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.protocol.measured import Sample

from .files import load_json, read_time
from .run import Run, RunResult

VERSION = 1
_MAX_SAMPLES = 100_000


def load_run(path: Path) -> Run:
    """Read the run in the file at ``path``; raises InputError with the reason if it is invalid."""
    fields = Fields(load_json(path), path.name)
    version = fields.require("version", int)
    if version != VERSION:
        raise InputError(
            "{where} is of version {version}; a newer program may read it.",
            code="run-version",
            where=fields.where,
            version=version,
        )
    result = _read_result(Fields(fields.require("result", dict), f"{fields.where}, result"))
    run = Run(
        id=fields.require("id", str),
        started=read_time(fields, "started"),
        machine=fields.require("machine", str),
        target=fields.require("target", str),
        workload=result.workload,
        region_mib=fields.positive("region_mib"),
        result=result,
        samples=tuple(
            _read_sample(Fields(entry, f"{fields.where}, sample {number}"))
            for number, entry in enumerate(fields.items("samples", _MAX_SAMPLES))
        ),
        context=fields.require("context", dict),
        program_version=fields.require("program_version", str),
    )
    fields.finish()
    return run


def _read_result(fields: Fields) -> RunResult:
    result = RunResult(
        workload=fields.require("workload", str),
        seconds=fields.require("seconds", float),
        mb_s=fields.require("mb_s", float),
        iops=fields.require("iops", float),
        latency_ms=fields.require("latency_ms", float),
        latency_p99_ms=fields.require("latency_p99_ms", float),
        command=fields.require("command", str),
    )
    fields.finish()
    return result


_SAMPLE = ("seconds", "read_mb_s", "write_mb_s", "read_iops", "write_iops", "latency_ms")


def _read_sample(fields: Fields) -> Sample:
    rates: dict[str, Any] = {name: fields.require(name, float) for name in _SAMPLE}
    fields.finish()
    return Sample(**rates)
