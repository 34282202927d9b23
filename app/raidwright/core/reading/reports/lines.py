"""Lines of a pasted report, cleaned of additions by mail, forums and terminals."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\t\u00a0\u2002\u2003\u2007\u2009\u200a\u202f\u3000", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\r"),
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_QUOTED = re.compile(r"\s*(?:[>|]\s*)+")
_MARKS = re.compile(
    r"\*\*|`+(?:\w+$)?|</?(?:pre|code|b|p|div|br)\b[^>]*>|\[/?(?:code|b|quote)(?:=[^\]]*)?\]", re.IGNORECASE
)
_LOG = re.compile(
    r"\S.*\b(?:INFO|DEBUG) *\| ?(?:\[std(?:out|err)\] ?)?|\S.*\[std(?:out|err)\] ?"
)  # the prefix of a program's log line
_REMARK = re.compile(r"\s+(?:<=+|<-+|←).*|\s{2,}#.*")  # an arrow after a value, in tutorials
_COMMENT_HEADING = re.compile(r"#+\s*(?=/\S+:$)")


def clean_lines(text: str) -> Iterator[str]:
    """Yield the lines of ``text`` stripped of quote marks, mark-up, colours and surrounding blanks."""
    if "&gt;" in text or "&#" in text:
        text = html.unescape(text)
    for raw in _ESCAPES.sub("", text).translate(_SIGNS).splitlines():
        line = raw
        for before in (_QUOTED, _LOG):
            if match := before.match(line):
                line = line[match.end() :]
        line = _REMARK.sub("", _MARKS.sub("", line)).strip()
        yield _COMMENT_HEADING.sub("", line)
