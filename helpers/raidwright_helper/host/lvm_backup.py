"""The kind and pieces of a joined volume in LVM's own backup of its metadata, and its arrays' sizes.

No device is opened.

LVM writes the file after each change of a group. Sources: vgcfgbackup(8); lvm2 ``lib/format_text/export.c``
(``_print_segment``, ``_print_pvs``), ``libdm/libdm-config.c`` (the grammar).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from raidwright.core.md.joined import LINEAR, STRIPED, VOLUME

from .host import Host
from .lvm import joined_over
from .system_files import lenient_text

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|#[^\n]*|[{}\[\]=,]|[^\s{}\[\]=,"#]+')
_LINEAR_VALUES = 2  # of "stripes": the physical volume and its first extent
_UNCLEAR = (KeyError, TypeError, ValueError, IndexError, AttributeError, StopIteration)
_Section = dict[str, "str | list[str] | _Section"]


@dataclass(frozen=True, slots=True)
class Placed:
    """An array's part of its joined volume: ``kind`` and ``pieces`` as ``volume_kind`` and ``pieces`` of ArrayFacts."""

    kind: str
    pieces: tuple[int, ...] = ()


def placed_of(host: Host, array: int) -> Placed | None:
    """Return the array's part of its joined volume; None if LVM's backup doesn't tell, or tells of another size."""
    try:
        volume, group, name = _found(host, array)
        segments = [one for one in group["logical_volumes"][VOLUME].values() if isinstance(one, dict)]
        sectors = sum(int(one["extent_count"]) for one in segments) * int(group["extent_size"])
        if sectors * 512 != host.size_bytes(volume):
            return None
        if (kind := next(filter(None, map(_other_kind, segments)), LINEAR)) != LINEAR:
            return Placed(kind)
        return Placed(LINEAR, tuple(_pieces(group, segments, name)))
    except _UNCLEAR:
        return None


def used_of(host: Host, array: int) -> int | None:
    """Return the sectors of the array that LVM has for its own; None if its backup doesn't tell.

    The label on the array keeps the size that it had when it was made.
    """
    try:
        _, group, name = _found(host, array)
        volume = group["physical_volumes"][name]
        return int(volume["pe_start"]) + int(volume["dev_size"])
    except _UNCLEAR:
        return None


def _found(host: Host, array: int) -> tuple[int, Any, str]:
    """Return the array's joined volume, its group, and the array's name in it; raises one of ``_UNCLEAR``."""
    joined = joined_over(host, array)
    if joined is None:
        raise KeyError(array)
    uuid = host.udev(array).properties.get("ID_FS_UUID", "")
    group: Any = _parsed(lenient_text(host.root / "etc/lvm/backup" / joined[1]))[joined[1]]
    return joined[0], group, next(name for name, one in group["physical_volumes"].items() if one["id"] == uuid)


def _other_kind(segment: Any) -> str:
    """Return LVM's type of the segment; "" for a linear one, which LVM writes as one stripe."""
    kind: str = segment.get("type", STRIPED)
    is_linear = kind == STRIPED and len(segment["stripes"]) == _LINEAR_VALUES
    return "" if is_linear else kind


def _pieces(group: Any, segments: list[Any], name: str) -> Iterator[int]:
    extent, start = int(group["extent_size"]), int(group["physical_volumes"][name]["pe_start"])
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
