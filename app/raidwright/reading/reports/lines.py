"""Lines of a pasted report, cleaned of additions by mail, forums and terminals."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from raidwright.reading.decoded import without_mail_encoding
from raidwright.reading.line_prefixes import without_prefixes

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\t\u00a0\u2002\u2003\u2007\u2009\u200a\u202f\u3000", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\r"),
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Z]|[=>])")  # a terminal's
_QUOTED = re.compile(r"\s*(?:[>|│]\s*|%\s+|[A-Z][a-z]{1,15}>(?:\s+|$))+")  # also “Name> ” of an old mail program
_LISTED = re.compile(r"""\s*(?:-\s+)?(["'])(?P<line>.*)\1,?\s*""")  # a line of a list, in JSON or YAML
_FRAMED = re.compile(r"\s+[|│]\s*$")
_MIN_ESCAPED = 4  # line breaks written as \\n, in a string of JSON
_MARKS = re.compile(
    r"\*\*|`+(?:\w+$)?|</?(?:pre|code|b|p|div|br)\b[^>]*>|\[/?(?:code|b|quote)(?:=[^\]]*)?\]", re.IGNORECASE
)
_BREAKS = re.compile(r"<br\b[^>]*>|</(?:p|div|li|tr)>", re.IGNORECASE)
_BULLET = re.compile(r"\s*[\u2460-\u24ff\u2776-\u2793]\s*")  # a circled number, in books
_IN_CODE = re.compile(  # a program's string that begins with a report's line
    r"\s*(?:(?:[\w.$@\[\]]+\s*)?(?:\.=|:=|=|:|,|\()\s*(?:[\w.]+\()?|[.+]\s*)?"
    r"""(?:["'`]{1,3}|r["'])(?=/dev/\S+:\s*$|md\w+ : |Personalities)"""
)
_END_OF_STRING = re.compile(r"(?<=\S)[\"'`]{1,3}[,;)]+\s*$")
_LOG = re.compile(  # the prefix of a program's log line, or of the system's
    r"\S.*\b(?:INFO|DEBUG) *\| ?(?:\[std(?:out|err)\] ?)?|\S.*\[std(?:out|err)\] ?"
    r"|(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.,:+-]*Z?) \S+ [^\s:\[]+(?:\[\d+\])?: ?"
)
_REMARK = re.compile(r"\s+(?:<=+|<-+|←).*|\s{2,}#.*")  # an arrow after a value, in tutorials
_BEGINS_FACT = re.compile(r"[A-Za-z][A-Za-z' ]* *: ")
_CUT_ROW = re.compile(r"(?:\d+|-)\s+\d+\s+\d+\s+(?:\d+|-)\s.*\s/\w*(?:/\w*)?")  # the name may go on below
_REST = re.compile(r"[a-z0-9/]{1,12}")
_COMMENT_HEADING = re.compile(r"#+\s*(?=/\S+:$)")


def _whole_rows(lines: Sequence[str]) -> Iterator[str]:
    """Yield ``lines``, joined where a window's width cut the names of the rows' devices: of several, if by digits."""
    cut = [at for at, pair in enumerate(pairwise(lines)) if _CUT_ROW.fullmatch(pair[0]) and _REST.fullmatch(pair[1])]
    joined = set(cut) if len(cut) > 1 else {at for at in cut if not lines[at + 1].isdecimal()}
    for at, line in enumerate(lines):
        if at - 1 not in joined:
            yield line + lines[at + 1] if at in joined else line


def whole_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield ``lines``, joined where a mail program broke a bracket, or the words “bad blocks present.”."""
    held = ""
    for line in _whole_rows(list(lines)):
        rest = _rest_of_bracket(held, line) if held else None
        if held:
            yield held if rest is None else f"{held} {line[: len(line) - len(rest)]}"
        last = line if rest is None else rest.strip()
        is_cut = last.count("(") > last.count(")") or last.endswith("bad blocks")
        held = last if is_cut and _BEGINS_FACT.match(last) else ""
        if not held:
            yield last
    if held:
        yield held


def _rest_of_bracket(begun: str, line: str) -> str | None:
    """Return the part of ``line`` after the end of what ``begun`` left open; None if ``line`` doesn't end it."""
    if begun.endswith("bad blocks"):
        return line.removeprefix("present.") if line.startswith("present.") else None
    inside, bracket, rest = line.partition(")")
    return rest if bracket and "(" not in inside else None


def clean_lines(text: str) -> Iterator[str]:
    """Yield the lines of ``text`` stripped of quote marks, mark-up, colours and surrounding blanks."""
    text = _BREAKS.sub("\n", without_prefixes(without_mail_encoding(text)))
    if "&gt;" in text or "&#" in text:
        text = html.unescape(text)
    if text.count("\\n") >= _MIN_ESCAPED:
        text = text.replace("\\n", "\n").replace("\\t", "\t")
    for raw in _ESCAPES.sub("", text).translate(_SIGNS).splitlines():
        line = listed["line"] if (listed := _LISTED.fullmatch(raw)) else _END_OF_STRING.sub("", raw)
        for before in (_QUOTED, _LOG, _BULLET, _IN_CODE):
            if match := before.match(line):
                line = line[match.end() :]
        line = _FRAMED.sub("", _REMARK.sub("", _MARKS.sub("", line))).strip()
        line = line.rstrip("\\").rstrip()  # a page's hard line break
        yield _COMMENT_HEADING.sub("", line)
