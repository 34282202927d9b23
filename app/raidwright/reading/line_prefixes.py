"""Prefixes that programs put before each line of another's output, found by their being on all lines, and taken off.

``pdsh``, ``clush`` and Ansible print the machine's name, ``docker compose`` its container's, a diff a plus, an editor
the line's number, and container runtimes a line of JSON around each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise

_MESSAGE_KEYS = ("log", "message", "msg", "MESSAGE", "line", "stdout", "text")
_MIN_LINES = 3
_MIN_SHARE = 0.9
_MAX_CHARACTERS = 1 << 20
_SAME = re.compile(  # a prefix that is the same on all lines: a machine's or a container's name, or a sign
    r"(?P<same>\+(?![-+])|#+(?= )|[\w.@/-]+(?:\[\d+\])?: ?|[\w.@/-]+ +\| ?|\[[A-Za-z][\w.@/ -]*\] ?"
    r"|[ \t]*[\w.@/-]+> |(?:STD)?(?:OUT|ERR) |(?:INFO|DEBUG|NOTICE|WARN(?:ING)?) )"
)
_STAMPED = re.compile(  # by a log: its moment, and who says it
    r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,:+-]*Z?\]?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\[?\d\d:\d\d:\d\d[\d.,]*\]?)"
    r"(?: (?:std(?:out|err) [FP]|\[?(?:INFO|DEBUG|NOTICE|WARN(?:ING)?)\]?:?(?= )|\S+ [^\s:\[\]]+(?:\[\d+\])?:"
    r"|[\w-]+:|\|))? ?"
)
_NUMBERED = re.compile(r"[ \t]*(?P<number>\d+)(?:[\t:|│] ?| {1,2}|$)")


def without_prefixes(text: str) -> str:
    """Return ``text`` without what is before each of its lines; as it is, if nothing is before all of them."""
    lines = text.splitlines()
    if len(text) > _MAX_CHARACTERS or sum(map(bool, map(str.strip, lines))) < _MIN_LINES:
        return text
    for taken_off in (_json_lines, _numbered, _stamped, _same):
        if (found := taken_off(lines)) is not None:
            return "\n".join(found) + "\n"
    return text


def _json_lines(lines: Sequence[str]) -> list[str] | None:
    """Return the messages of lines that are each an object of JSON with one."""
    said: list[str] = []
    for line in filter(str.strip, lines):
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            return None
        message = next((told[key] for key in _MESSAGE_KEYS if key in told), None) if isinstance(told, dict) else None
        if not isinstance(message, str):
            return None
        said += message.splitlines() or [""]
    return said


def _numbered(lines: Sequence[str]) -> list[str] | None:
    """Return the lines behind numbers that count them."""
    found = [_NUMBERED.match(line) for line in lines if line.strip()]
    numbers = [int(match["number"]) for match in found if match]
    if len(numbers) < len(found) or any(after != number + 1 for number, after in pairwise(numbers)):
        return None
    return [line[match.end() :] if (match := _NUMBERED.match(line)) else line for line in lines]


def _same(lines: Sequence[str]) -> list[str] | None:
    """Return the lines behind one and the same prefix; a few before or after may be without."""
    whole = [line for line in lines if line.strip()]
    prefixes = [match["same"].rstrip() for line in whole if (match := _SAME.match(line))]
    same = max(set(prefixes), key=prefixes.count, default="")
    if not same or prefixes.count(same) < _MIN_SHARE * len(whole):
        return None
    return [line.removeprefix(same).removeprefix(" ") if line.startswith(same) else line for line in lines]


def _stamped(lines: Sequence[str]) -> list[str] | None:
    whole = [line for line in lines if line.strip()]
    if sum(bool(_STAMPED.match(line)) for line in whole) < _MIN_SHARE * len(whole):
        return None
    return [_STAMPED.sub("", line, count=1) for line in lines]
