"""Plans as arguments: files, or ``-`` for standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.reading.decoded import decoded
from raidwright.text.catalogue import tr

STANDARD_INPUT = "-"


def standard_input() -> str:
    """Return the text of standard input, in whatever encoding it is; raises UnicodeDecodeError if it isn't text."""
    buffer = getattr(sys.stdin, "buffer", None)
    return sys.stdin.read() if buffer is None else decoded(buffer.read())


def plan_text(source: str) -> str:
    """Return the text of one plan; raises InputError if it can't be read."""
    try:
        return standard_input() if source == STANDARD_INPUT else decoded(Path(source).read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else tr("it is not text")
        raise InputError("{path} can't be read: {why}.", code="file", path=source, why=why) from None


def plan_texts(sources: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of every plan: one per file; of standard input one, or one per line. Raises InputError."""
    for source in sources:
        text = plan_text(source)
        if source != STANDARD_INPUT or _is_one(text):
            yield source, text
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                yield tr("line {number}", number=number), line


def _is_one(text: str) -> bool:
    """Return True if ``text`` is one JSON value over several lines, as ``raidwright import`` prints it."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return "\n" in text.strip()
