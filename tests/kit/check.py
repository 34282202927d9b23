"""Frame of the checks and benchmarks: their options, their rows on the screen and as CSV, and their verdict."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from raidwright.lab.host_load import is_busy

CHECKS = Path(__file__).parents[2] / "build" / "checks"
BROKEN, UNCOUNTED = "✗", "…"
COUNTS = "counts"


def parser(name: str, text: str | None, *, seed: bool = False, **only: Collection[str]) -> argparse.ArgumentParser:
    """Return the parser of ``make NAME``, described by ``text``.

    ``only`` names options that restrict the check and may be repeated, with their choices: ``kind=("hdd", "ssd")`` is
    ``--kind hdd --kind ssd``. Such an option's value is a list, or None when it isn't given.
    """
    made = argparse.ArgumentParser(prog=f"make {name}", description=text)
    for option, choices in only.items():
        made.add_argument(f"--{option}", choices=[*choices], action="append", help="only this one (may be repeated)")
    if seed:
        made.add_argument("--seed", type=int, default=1)
    return made


@dataclass(slots=True)
class Table:
    """Rows of a check in the CSV file ``path``; ``wrong`` of them, or of what they belong to, don't hold."""

    path: Path
    _file: TextIO
    rows: int = 0
    wrong: int = 0
    uncounted: int = 0

    def add(
        self,
        row: Iterable[object],
        line: str | None = None,
        *,
        holds: bool = True,
        sign: str = " ",
        waited_share: float | None = None,
    ) -> None:
        """Write ``row``, and print ``line`` behind ``sign`` or, if the row doesn't hold, behind BROKEN.

        With ``waited_share``, the share of the time for which the host kept the practice machine waiting, the row ends
        with a column COUNTS, and one that was measured on a busy host neither holds nor doesn't.
        """
        self.rows += 1
        counts = waited_share is None or not is_busy(waited_share)
        self.uncounted += not counts
        self.wrong += counts and not holds
        why = "" if counts else f"host busy ({waited_share:.0%})"
        csv.writer(self._file).writerow([*row, *([] if waited_share is None else [why or "yes"])])
        self._file.flush()
        if line is not None:
            print(*([UNCOUNTED, line, f"not counted: {why}"] if why else [sign if holds else BROKEN, line]), flush=True)

    def verdict(self, summary: str) -> int:
        """Print ``summary`` and the file's path; return the exit code, 1 if anything is wrong, 2 if nothing counts."""
        if self.uncounted:
            summary += f"; {self.uncounted} of {self.rows} not counted, since this computer was busy"
        print(f"{summary}; all of them in {self.path}")
        return 1 if self.wrong else 2 if self.rows and self.uncounted == self.rows else 0


def add_to(name: str, row: Iterable[object]) -> None:
    """Add ``row`` to ``build/checks/NAME.csv``, which the check's target has removed, and print it."""
    CHECKS.mkdir(parents=True, exist_ok=True)
    cells = list(row)
    with (CHECKS / f"{name}.csv").open("a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow(cells)
    print(*cells, sep="  ")


@contextmanager
def table(name: str, columns: Sequence[str]) -> Iterator[Table]:
    """Open the table ``build/checks/NAME.csv``, with ``columns`` in its first line."""
    CHECKS.mkdir(parents=True, exist_ok=True)
    path = CHECKS / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow(columns)
        yield Table(path, file)


def report(name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print ``rows`` under ``columns`` and keep them as ``build/checks/NAME.csv``."""
    from rich.console import Console  # noqa: PLC0415  # most checks print lines of their own
    from rich.table import Table as Drawn  # noqa: PLC0415

    with table(name, columns) as kept:
        for row in rows:
            kept.add(row)
    shown = Drawn(*columns, title=name)
    for row in rows:
        shown.add_row(*row)
    Console().print(shown)
