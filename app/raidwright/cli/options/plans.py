"""Plans as arguments: files, or ``-`` for standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.text.catalogue import tr

STANDARD_INPUT = "-"


def plan_text(source: str) -> str:
    """Return the text of one plan; raises InputError if it can't be read."""
    try:
        return sys.stdin.read() if source == STANDARD_INPUT else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else tr("it is not text")
        raise InputError("{path} can't be read: {why}.", code="file", path=source, why=why) from None


def plan_texts(sources: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of every plan: one per file, and one per line of standard input. Raises InputError."""
    for source in sources:
        if source != STANDARD_INPUT:
            yield source, plan_text(source)
            continue
        for number, line in enumerate(plan_text(source).splitlines(), start=1):
            if line.strip():
                yield tr("line {number}", number=number), line
