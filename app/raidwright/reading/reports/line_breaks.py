"""Line breaks that a page or a mail program lost, put back before the words that begin a line of mdadm's or md's."""

from __future__ import annotations

import re

from .lines import clean_lines
from .parts import KNOWN_FACTS

_STATES = "active|spare|removed|faulty|sync|journal|failed|missing|blocked|writemostly|write-mostly"
_BEGINNINGS = re.compile(
    r" ((?:" + "|".join(sorted(KNOWN_FACTS, key=len, reverse=True)) + r") : )"
    r"| (Personalities : )| (md[\w-]+ : (?:active|inactive|broken) )| (\d+ blocks )| (bitmap: )| (unused devices: )"
    r"| (\[[=>.]{10,}\] )"
    rf"| ((?:\d+|-) \d+ \d+ (?:\d+|-) (?:{_STATES}) )"
)
_ALONE = re.compile(r"(?:^|\s)(/dev/[^\s:]+(?::[^\s:]+)*:|Number Major Minor Raid ?Device(?: State)?)(?=\s)")


def with_line_breaks(text: str) -> str:
    """Return ``text`` with a line for each fact, row and array, wherever its own breaks were."""
    flat = f" {' '.join(' '.join(clean_lines(text)).split())} "
    begun = _BEGINNINGS.sub(lambda found: "\n" + next(filter(None, found.groups())), flat)
    return _ALONE.sub(r"\n\1\n", begun)
