"""Database of the run store: its tables, migrations, and the function that opens it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from raidwright.core.errors import InputError

_PATIENCE_S = 20.0  # busy timeout: window and command line write to the same file

# Each migrates the database by one version (``PRAGMA user_version``); released ones are never changed.
MIGRATIONS = (
    """
    CREATE TABLE series (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, parameters TEXT NOT NULL
    ) STRICT;
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, started TEXT NOT NULL, ended TEXT, machine TEXT NOT NULL, target TEXT NOT NULL,
        workload TEXT NOT NULL, region_mib INTEGER, is_practice INTEGER, series TEXT REFERENCES series (id),
        state TEXT, repeat INTEGER NOT NULL, source TEXT NOT NULL, program_version TEXT NOT NULL,
        note TEXT NOT NULL, context TEXT NOT NULL,
        result TEXT,  -- none until it has ended
        samples TEXT NOT NULL, fio_json TEXT NOT NULL  -- last, since a list of runs reads neither
    ) STRICT;
    CREATE INDEX runs_by_time ON runs (started);
    CREATE INDEX runs_by_series ON runs (series);
    """,
)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database at ``path``, created or migrated if need be; the block is one transaction.

    Raises InputError if the file can't be opened, is damaged, or has a newer version.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")  # committed runs survive a power cut
            database.execute("PRAGMA foreign_keys = ON")
            _bring_up_to_date(database, path)
            with _transaction(database):
                yield database
    except OSError as error:
        raise InputError(
            "The runs in {path} can't be opened: {why}. Make the folder writable, or set XDG_DATA_HOME to one that is.",
            code="run-store",
            path=path,
            why=error.strerror or str(error),
        ) from error
    except sqlite3.Error as error:
        raise InputError(
            "The runs in {path} can't be opened: {why}. If the file is damaged, move it away; a new one is made.",
            code="run-store",
            path=path,
            why=str(error),
        ) from error


@contextlib.contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")  # waits for the write lock here, never midway
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _bring_up_to_date(database: sqlite3.Connection, path: Path) -> None:
    if _version(database) == len(MIGRATIONS):
        return
    with _transaction(database):
        version = _version(database)  # another process may have migrated it meanwhile
        if version > len(MIGRATIONS):
            raise InputError(
                "The runs in {path} are kept by a newer Raidwright (version {version} of the file); update this one.",
                code="run-version",
                path=path,
                version=version,
            )
        for script in MIGRATIONS[version:]:
            for statement in script.split(";"):  # executescript would end the transaction
                database.execute(statement)
        database.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])
