"""Plain text layout by column width: a Japanese character takes two columns."""

from __future__ import annotations

import re
import textwrap
import unicodedata

_WIDE = "\u3000-\u9fff\uff00-\uff60"
# Smallest unit of a line: a word, or a wide character with those that mustn't begin a line.
_PIECE = re.compile(rf"\s*[「『（]*(?:[^\s{_WIDE}]+|[{_WIDE}])[、。」』）ーぁぃぅぇぉっゃゅょァィゥェォッャュョ]*\s*")


def columns(text: str) -> int:
    """Return the columns that ``text`` takes in a monospaced font."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def padded(text: str, wanted: int) -> str:
    """Return ``text`` padded with spaces to ``wanted`` columns."""
    return text + " " * (wanted - columns(text))


def wrapped(text: str, most: int) -> list[str]:
    """Wrap ``text`` into lines of at most ``most`` columns."""
    if columns(text) == len(text):
        return textwrap.wrap(text, most, break_on_hyphens=False)
    lines = [""]
    for piece in _PIECE.findall(text):
        if columns(lines[-1] + piece.rstrip()) > most:
            lines.append(piece)
        else:
            lines[-1] += piece
    return [line.strip() for line in lines if line.strip()]
