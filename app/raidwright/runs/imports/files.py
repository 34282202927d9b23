"""Import of a benchmark's output file, or of Raidwright's own exported runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.reading.known_texts import TextKind, known_text
from raidwright.runs.run import Run

from . import bonnie, fio, iozone, ours
from .foreign import ForeignFile, ParsedFigure, read_foreign, run_of

_READERS: tuple[tuple[Callable[[str], bool], Callable[[ForeignFile], Iterator[ParsedFigure]]], ...] = (
    (fio.looks_like, fio.told_by),
    (iozone.looks_like, iozone.told_by),
    (bonnie.looks_like, bonnie.told_by),
)


def runs_in(path: Path) -> tuple[Run, ...]:
    """Return all runs in the file at ``path``; raises InputError that names the file, the line and the remedy."""
    file = read_foreign(path)
    if ours.looks_like(file.text):
        return ours.runs_by(file)
    told_by = next((reader for looks_like, reader in _READERS if looks_like(file.text)), None)
    if told_by is None:
        raise _refusal(path, file.text)
    runs = tuple(run_of(told, file, number) for number, told in enumerate(told_by(file)))
    if not runs:
        raise InputError("{path} holds no figure.", code="import-empty", path=path)
    return runs


def _refusal(path: Path, text: str) -> InputError:
    """Return the refusal of a file that no reader knows, with what it is."""
    if known := known_text(text, (TextKind.BENCHMARK,)):
        return InputError("{path}: {why}", code="import-unknown", path=path, why=known.way_out)
    return InputError(
        "{path} is of no benchmark that Raidwright reads: fio's JSON (fio --output-format=json), bonnie++'s CSV, "
        "the table that IOzone prints, or runs that Raidwright exported as JSON.",
        code="import-unknown",
        path=path,
    )
