"""The grammar of LVM's text: sections and values. Source: lvm2 ``libdm/libdm-config.c``."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|#[^\n]*|[{}\[\]=,]|[^\s{}\[\]=,"#]+')
UNCLEAR = (KeyError, TypeError, ValueError, IndexError, AttributeError, StopIteration)
Section = dict[str, "str | list[str] | Section"]


def parsed(text: str) -> Section:
    """Return the sections and values of LVM's text; raises StopIteration or ValueError for anything else."""
    tokens = (token for token in _TOKEN.findall(text) if not token.startswith("#"))
    whole: Section = {}
    open_sections = [whole]
    for token in tokens:
        if token == "}":  # noqa: S105
            open_sections.pop()
            continue
        after = next(tokens)
        if after == "{":
            inner: Section = {}
            open_sections[-1][token] = inner
            open_sections.append(inner)
        elif after == "=":
            open_sections[-1][token] = _value(next(tokens), tokens)
        else:
            raise ValueError(token)
    return whole


def _value(token: str, tokens: Iterator[str]) -> str | list[str]:
    if token != "[":  # noqa: S105
        return token.strip('"')
    items = iter(lambda: next(tokens), "]")
    return [item.strip('"') for item in items if item != ","]
