"""The run store: every run in one SQLite file, ``$XDG_DATA_HOME/raidwright/runs.sqlite``.

A run is stored when it begins, and completed when it ends; unfinished ones are listed separately and never compared.
Each call opens and closes the file, so any thread may call, except the window's. Samples are written at the end instead
of as they arrive: they might go to the disk being measured.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.protocol.measured import Sample, WorkloadResult

from .files import data_folder
from .old_files import load_run
from .run import ArrayState, BegunRun, Run, RunResult, Series, Source, finished_run
from .schema import opened

_LOG = logging.getLogger(__name__)
_LISTED = (
    "runs.id, started, ended, machine, target, workload, region_mib, is_practice, state, repeat, source,"
    " program_version, note, context, result, series, series.kind, series.name, series.parameters"
)
_FROM = "FROM runs LEFT JOIN series ON series.id = runs.series"


def store_path() -> Path:
    """Return the path of the run store."""
    return data_folder() / "runs.sqlite"


class Runs:
    """The runs in the file at ``path``; by default the user's.

    The first call imports the former JSON files beside it, in ``runs/``; imported files are moved to
    ``runs/taken-over/``, invalid ones are logged and left alone. Every method raises InputError if the file can't be
    used.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or store_path()

    def begin(self, run: BegunRun) -> None:
        """Store ``run`` as begun."""
        with self._opened() as database:
            _put(database, run)

    def finish(self, run: BegunRun, result: WorkloadResult, samples: Sequence[Sample] = ()) -> Run:
        """Store ``run`` as finished now, and return the finished run."""
        finished = finished_run(run, result, samples)
        self.add([finished])
        return finished

    def add(self, runs: Iterable[Run]) -> None:
        """Store all of ``runs``, or none if one fails."""
        with self._opened() as database:
            for run in runs:
                _put(database, run)

    def all(self) -> tuple[Run, ...]:
        """Return the finished runs, the newest first, without their samples and fio's output, which ``get`` reads."""
        with self._opened() as database:
            rows = database.execute(f"SELECT {_LISTED} {_FROM} WHERE result IS NOT NULL ORDER BY started DESC")
            return tuple(map(_run, rows))

    def unfinished(self) -> tuple[BegunRun, ...]:
        """Return the runs in progress, and those that never ended; the newest first."""
        with self._opened() as database:
            rows = database.execute(f"SELECT {_LISTED} {_FROM} WHERE result IS NULL ORDER BY started DESC")
            return tuple(map(_begun, rows))

    def get(self, run_id: str) -> Run:
        """Return a run with its samples; raises InputError for an unknown or unfinished one."""
        with self._opened() as database:
            row = database.execute(
                f"SELECT {_LISTED}, samples, fio_json {_FROM} WHERE runs.id = ?",
                (run_id,),
            ).fetchone()
        if row is None:
            raise InputError(
                "There is no run {id}; “raidwright runs” lists them.", code="run-unknown", id=run_id
            ) from None
        if row["result"] is None:
            raise InputError(
                "The run {id} has not ended: it runs now, or the program ended in the middle.",
                code="run-unfinished",
                id=run_id,
            )
        return _run(row, samples=_samples(row["samples"]), fio_json=row["fio_json"])

    def remove(self, run_ids: Iterable[str]) -> None:
        """Delete these runs, and series without any runs left."""
        with self._opened() as database:
            database.executemany("DELETE FROM runs WHERE id = ?", [(one,) for one in run_ids])
            database.execute("DELETE FROM series WHERE id NOT IN (SELECT series FROM runs WHERE series IS NOT NULL)")

    def note(self, run_id: str, text: str) -> None:
        """Store a person's note on a run, replacing the previous one."""
        with self._opened() as database:
            database.execute("UPDATE runs SET note = ? WHERE id = ?", (text, run_id))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        folder = self.path.parent / "runs"
        with opened(self.path) as database:
            database.row_factory = sqlite3.Row
            taken = list(_take_over(database, folder))
            yield database
        _move_aside(taken, folder / "taken-over")  # after the commit


def _take_over(database: sqlite3.Connection, folder: Path) -> Iterator[Path]:
    """Import the files in ``folder``; yield those that were imported."""
    for path in sorted(folder.glob("*.json")):
        try:
            run = load_run(path)
        except InputError as error:
            _LOG.warning("%s is left alone: %s", path, error)
            continue
        if database.execute("SELECT 1 FROM runs WHERE id = ?", (run.id,)).fetchone() is None:
            _put(database, run)
        yield path


def _move_aside(paths: Sequence[Path], folder: Path) -> None:
    try:
        if paths:
            folder.mkdir(exist_ok=True)
        for path in paths:
            path.rename(folder / path.name)
    except FileNotFoundError:
        pass  # another process has moved it
    except OSError as error:
        _LOG.warning("%s can't be moved: %s", folder, error)  # importing them again does nothing


def _put(database: sqlite3.Connection, run: BegunRun) -> None:
    series = run.series
    if series is not None:
        values = (series.id, series.kind, series.name, _text(dict(series.parameters)))
        database.execute("INSERT OR IGNORE INTO series VALUES (?, ?, ?, ?)", values)
    row: dict[str, Any] = {
        "id": run.id,
        "started": _time(run.started),
        "ended": None,
        "machine": run.machine,
        "target": run.target,
        "workload": run.workload,
        "region_mib": run.region_mib,
        "is_practice": run.is_practice,
        "series": series and series.id,
        "state": run.state,
        "repeat": run.repeat,
        "source": run.source,
        "program_version": run.program_version,
        "note": "",
        "context": _text(run.context),
        "result": None,
        "samples": "{}",
        "fio_json": "",
    }
    if isinstance(run, Run):
        row |= {
            "ended": run.ended and _time(run.ended),
            "note": run.note,
            "result": _text(asdict(run.result)),
            "samples": _samples_text(run.samples),
            "fio_json": run.fio_json,
        }
    names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
    database.execute(f"INSERT OR REPLACE INTO runs ({names}) VALUES ({marks})", row)  # noqa: S608  (our own names)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")  # fixed length, so that texts sort by time


def _samples_text(samples: Sequence[Sample]) -> str:
    """Serialise samples as one list per field, by name: compact, and extensible with new fields."""
    return _text({one.name: [getattr(sample, one.name) for sample in samples] for one in fields(Sample)})


def _samples(text: str) -> tuple[Sample, ...]:
    told = json.loads(text)
    names = [one.name for one in fields(Sample) if one.name in told]
    return tuple(
        Sample(**dict(zip(names, row, strict=True))) for row in zip(*(told[name] for name in names), strict=True)
    )


def _begun(row: sqlite3.Row) -> BegunRun:
    return BegunRun(**_told(row))


def _run(row: sqlite3.Row, **more: Any) -> Run:
    result, known = json.loads(row["result"]), {one.name for one in fields(RunResult)}
    return Run(
        **_told(row),
        result=RunResult(**{name: value for name, value in result.items() if name in known}),
        ended=row["ended"] and datetime.fromisoformat(row["ended"]),
        note=row["note"],
        **more,
    )


def _told(row: sqlite3.Row) -> dict[str, Any]:
    """Return the fields of a BegunRun."""
    series = None
    if row["series"] is not None:
        series = Series(row["series"], row["kind"], row["name"], json.loads(row["parameters"]))
    plain = ("id", "machine", "target", "workload", "region_mib", "repeat", "program_version")
    return {name: row[name] for name in plain} | {
        "started": datetime.fromisoformat(row["started"]),
        "is_practice": None if row["is_practice"] is None else bool(row["is_practice"]),
        "series": series,
        "state": None if row["state"] is None else ArrayState(row["state"]),
        "source": Source(row["source"]),
        "context": json.loads(row["context"]),
    }
