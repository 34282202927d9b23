"""Common parts of all imports: the file's text and date, and a run made of one figure."""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.reading.decoded import decoded, without_mail_encoding
from raidwright.runs.places import Place, place_by
from raidwright.runs.run import Run, RunResult, Source

_MAX_BYTES = 64 * 2**20
_UNSAFE = re.compile(r"[^a-z0-9_]+")
_QUOTED = re.compile(r"[ \t]*>[ \t]?")


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A file as read; ``made`` is its modification time."""

    name: str
    text: str
    made: datetime


@dataclass(frozen=True, slots=True)
class ParsedFigure:
    """One figure of a file, and its known conditions."""

    result: RunResult
    source: Source
    target: str
    started: datetime
    machine: str
    options: Mapping[str, Any] = field(default_factory=dict)
    surroundings: Mapping[str, str] | None = None
    fio_json: str = ""


def read_foreign(path: Path) -> ForeignFile:
    """Read the file at ``path``; raises InputError if it can't be read, or is far too large."""
    try:
        status = path.stat()
        if status.st_size > _MAX_BYTES:
            raise InputError("{path} is too large to be the output of a benchmark.", code="import-size", path=path)
        text = decoded(path.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else say("it is not text")
        raise InputError("{path} can't be read: {why}.", code="import-read", path=path, why=why) from error
    return ForeignFile(path.name, _unquoted(without_mail_encoding(text)), datetime.fromtimestamp(status.st_mtime, UTC))


def _unquoted(text: str) -> str:
    """Return ``text`` as its program wrote it: without a mail's quote marks, or a page's indentation, of every line."""
    lines = text.splitlines()
    while any(line.strip() for line in lines) and all(_QUOTED.match(line) for line in lines if line.strip()):
        lines = [_QUOTED.sub("", line, count=1) for line in lines]
    return textwrap.dedent("\n".join(lines) + ("\n" if text.endswith("\n") else ""))


def run_of(told: ParsedFigure, file: ForeignFile, number: int) -> Run:
    """Return the run of the ``number``-th figure of ``file``. Importing the same file again gives the same ids."""
    digest = hashlib.sha256(f"{number} {told.result.workload} {file.text}".encode()).hexdigest()
    workload = _UNSAFE.sub("_", told.result.workload.lower())
    return Run(
        id=f"{told.started.astimezone(UTC):%Y%m%dT%H%M%SZ}-{workload}-{digest[:6]}",
        started=told.started,
        machine=told.machine,
        target=told.target,
        region_mib=_whole_mib(place_by(told.source, told.options, told.result.workload, told.result.command)),
        workload=told.result.workload,
        source=told.source,
        context={
            "array": None,
            "disks": [],
            "plan": None,
            "surroundings": told.surroundings and dict(told.surroundings),
            "import": {"file": file.name, "options": dict(told.options)},
        },
        result=told.result,
        fio_json=told.fio_json,
    )


def _whole_mib(place: Place) -> int | None:
    """Return the region for the list of runs, in whole MiB; comparisons go by the options themselves."""
    return None if place.region_mib is None else max(1, round(place.region_mib))


def unreadable(file: ForeignFile, line: int, why: str) -> InputError:
    """Return the exception for an invalid line of ``file``."""
    return InputError(
        "{file}, line {line}: {why}. Nothing of the file is kept; correct the line, or take it out.",
        code="import-line",
        file=file.name,
        line=line,
        why=why,
    )
