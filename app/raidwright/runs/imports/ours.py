"""Runs exported by Raidwright as JSON (``raidwright runs export --as json``), here or on another computer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.core.protocol.measured import Sample
from raidwright.runs.run import ArrayState, Run, RunResult, Series, Source

from .foreign import ForeignFile, unreadable


def looks_like(text: str) -> bool:
    """Return True if ``text`` may be ours: a list of objects, each with its program's version."""
    return text.lstrip().startswith("[") and '"program_version"' in text


def runs_by(file: ForeignFile) -> tuple[Run, ...]:
    """Return the runs unchanged. Raises InputError."""
    try:
        told = json.loads(file.text)
    except json.JSONDecodeError as error:
        raise unreadable(file, error.lineno, error.msg) from error
    except RecursionError as error:
        raise unreadable(file, 1, str(error)) from error
    runs = []
    for number, each in enumerate(told, 1):
        try:
            runs.append(_run(each))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                "{file}: its run {number} is not as Raidwright writes one: {why}. Nothing of the file is kept.",
                code="import-ours",
                file=file.name,
                number=number,
                why=say("{what} is missing, or of another kind", what=str(error)),
            ) from error
    return tuple(runs)


def _run(told: Mapping[str, Any]) -> Run:
    result, series, ended = told["result"], told["series"], told["ended"]
    return Run(
        **{name: _of(told, name, kind) for name, kind in _PLAIN.items()},
        region_mib=told["region_mib"],
        is_practice=told["is_practice"],
        started=_time(told["started"]),
        ended=None if ended is None else _time(ended),
        source=Source(told["source"]),
        state=None if told["state"] is None else ArrayState(told["state"]),
        series=None if series is None else Series(**{one.name: series[one.name] for one in fields(Series)}),
        result=RunResult(**{one.name: _FIGURES[one.name](result[one.name]) for one in fields(RunResult)}),
        samples=tuple(map(_sample, told["samples"])),
    )


def _sample(told: Mapping[str, Any]) -> Sample:
    """Parse a sample; fields with a default are missing in those of older versions."""
    rates = {one.name: float(told[one.name]) for one in fields(Sample) if one.default is MISSING}
    busy, celsius, action = (told.get(name) for name in ("busy", "celsius", "sync_action"))
    return Sample(
        **rates,
        busy=None if busy is None else _floats(busy),
        celsius=None if celsius is None else _floats(celsius),
        sync_action=None if action is None else str(action),
    )


def _floats(told: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): float(value) for name, value in told.items()}


_PLAIN: dict[str, type] = {
    "id": str, "machine": str, "target": str, "workload": str, "repeat": int, "context": dict, "program_version": str,
    "note": str, "fio_json": str,
}  # fmt: skip


def _of(told: Mapping[str, Any], name: str, kind: type) -> Any:
    if type(told[name]) is not kind:
        raise TypeError(name)
    return told[name]


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    return moment


def _perhaps(value: Any) -> float | None:
    return None if value is None else float(value)


_FIGURES: dict[str, Callable[[Any], Any]] = {
    "workload": str, "command": str, "seconds": float, "mb_s": float, "iops": float,
    "latency_ms": _perhaps, "latency_p99_ms": _perhaps,
}  # fmt: skip
