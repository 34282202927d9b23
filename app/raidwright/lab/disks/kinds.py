"""Kinds of practice disks, and the links that they can share (``resources/lab/kinds.toml``)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from raidwright.core.errors import InputError
from raidwright.resources import resource

from .timing import Flash, Spinning, Timing

_LINKS = "links"


@dataclass(frozen=True, slots=True)
class DiskKind:
    """A kind of disk: its name and description, its INQUIRY identity, and its data sheet with the source."""

    name: str
    what: str
    vendor: str
    model: str
    serial: str  # the prefix of its serials
    source: str
    timing: Timing


@cache
def kinds() -> dict[str, DiskKind]:
    """Return all kinds by name, in the table's order."""
    table = _table()
    return {name: _kind(name, table) for name in table if name != _LINKS}


def kind_of(name: str) -> DiskKind:
    """Return the kind called ``name``; raises InputError that lists the known kinds."""
    if name not in kinds():
        raise InputError(
            "There is no kind of disk “{kind}”; there are {known}.", code="kind", kind=name, known=tuple(kinds())
        )
    return kinds()[name]


def link_mb_s(name: str) -> float:
    """Return the shared bandwidth of link ``name``; ``usb3-b`` is a second link of type ``usb3``. Raises InputError."""
    links = _table()[_LINKS]
    if name.partition("-")[0] not in links:
        raise InputError("There is no link “{link}”; there are {known}.", code="link", link=name, known=tuple(links))
    return float(links[name.partition("-")[0]]["mb_s"])


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resource("lab/kinds.toml").read_text(encoding="utf-8"))


def _kind(name: str, table: dict[str, Any]) -> DiskKind:
    row = table[name]
    texts = {field: row[field] for field in ("what", "vendor", "model", "serial", "source")}
    if "flash" in row:
        return DiskKind(name, timing=Flash(**row["flash"]), **texts)
    base = table[row["like"]]["spinning"] if "like" in row else {}
    return DiskKind(name, timing=Spinning(**base, **row["spinning"]), **texts)
