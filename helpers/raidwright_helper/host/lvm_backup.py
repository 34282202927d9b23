"""The pieces of a joined volume on its arrays, read from LVM's own backup of its metadata: no device is opened.

LVM writes the file after each change of a group. Sources: vgcfgbackup(8); lvm2 ``lib/format_text/export.c``
(``_print_segment``, ``_print_pvs``), ``libdm/libdm-config.c`` (the grammar).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidwright.core.md.joined import VOLUME

from .host import Host
from .lvm import joined_over
from .system_files import lenient_text

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|#[^\n]*|[{}\[\]=,]|[^\s{}\[\]=,"#]+')
_Section = dict[str, "str | list[str] | _Section"]


def pieces_of(host: Host, array: int) -> tuple[int, ...]:
    """Return the pieces of the array in its joined volume, as in ``ArrayFacts``; () if LVM's backup doesn't tell."""
    joined = joined_over(host, array)
    if joined is None:
        return ()
    uuid = host.udev(array).properties.get("ID_FS_UUID", "")
    try:
        group = _parsed(lenient_text(host.root / "etc/lvm/backup" / joined[1]))[joined[1]]
        return tuple(_pieces(group, uuid))
    except (KeyError, TypeError, ValueError, IndexError, StopIteration):
        return ()


def _pieces(group: object, uuid: str) -> Iterator[int]:
    assert isinstance(group, dict)  # noqa: S101  (narrows the type)
    extent = int(group["extent_size"])
    volumes = group["physical_volumes"]
    name = next((name for name, one in volumes.items() if one["id"] == uuid), "")
    start = int(volumes[name]["pe_start"])
    segments = [one for one in group["logical_volumes"][VOLUME].values() if isinstance(one, dict)]
    for one in sorted(segments, key=lambda one: int(one["start_extent"])):
        volume, first = one["stripes"]
        if volume == name:
            yield int(one["start_extent"]) * extent
            yield start + int(first) * extent
            yield int(one["extent_count"]) * extent


def _parsed(text: str) -> _Section:
    """Return the sections and values of LVM's text; raises StopIteration or ValueError for anything else."""
    tokens = (token for token in _TOKEN.findall(text) if not token.startswith("#"))
    whole: _Section = {}
    open_sections = [whole]
    for token in tokens:
        if token == "}":  # noqa: S105
            open_sections.pop()
            continue
        after = next(tokens)
        if after == "{":
            inner: _Section = {}
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
