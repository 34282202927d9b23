"""Figures and names of a report in this project's units, for all mdadm versions.

Sources: mdadm 2.6 to 4.6 ``Detail.c``, ``super0.c``, ``super1.c``; ``util.c`` ``human_size``, ``print_r10_layout``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from raidwright.core.model.plan import Metadata

_SIZE = re.compile(r"(\d+)(?: (sectors|KiB))?(?: \((\d+(?:\.\d+)?) (MiB|GiB|TiB) )?")
_MOMENT = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d+) (\d\d):(\d\d):(\d\d) (\d{4})")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_UNKNOWN = (1 << 64) - 1  # as mdadm prints it of an array that isn't started
_UNITS = {"sectors": 512, "KiB": 1024, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_COPIES = re.compile(r"(near|far|offset)=(\d+)")
_LOCAL = re.compile(r"\s*\(local to host [^)]*\)$")
_VERSION = re.compile(r"0*(\d+)(?:\.0*(\d+))?(?:\.\d+)?")


def number_of(text: str) -> int | None:
    """Return the number at the beginning of ``text``."""
    match = re.match(r"-?\d+", text)
    return int(match[0]) if match else None


def bytes_of(text: str, unit_bytes: int) -> int | None:
    """Return a size in bytes; ``unit_bytes`` is the unit if the text neither names one nor implies it in brackets.

    Before 4.2 an examined superblock names no unit, and before 3.3 its Array Size was in sectors.
    """
    match = _SIZE.match(text)
    if match is None or int(match[1]) == _UNKNOWN:
        return None
    number = int(match[1])
    if match[2]:
        return number * _UNITS[match[2]]
    if match[3]:
        about = float(match[3]) * _UNITS[match[4]]
        unit_bytes = min((512, 1024), key=lambda unit: abs(number * unit - about))
    return number * unit_bytes


def metadata_of(facts: Mapping[str, str]) -> str:
    """Return “1.2” for the version in ``facts``, 2.6's format included; other text is returned unchanged."""
    text = facts.get("Version", "")
    match = _VERSION.fullmatch(text)
    if match is None:
        return text
    major, minor = int(match[1]), int(match[2] or 0)
    if major == 0 and minor >= 90:
        return str(Metadata.V0_90)  # 0.91 during a reshape
    if major == 1 and match[2] is None and "Super Offset" in facts:  # mdadm before 2.6.3
        sectors = number_of(facts["Super Offset"]) or 0
        minor = 1 if sectors <= 4 else 2 if sectors <= 8 else 0
    return f"{major}.{minor}"


def copies_word(text: str) -> str:
    """Return raid10's layout in mdadm's short form: “near=1, far=2” is f2."""
    copies = dict(_COPIES.findall(text))
    return "".join(f"{name[0]}{count}" for name, count in copies.items() if count != "1")


def host_and_name(text: str) -> tuple[str, str]:
    """Split a superblock's name into home host and name: “box:my tank  (local to host box)” is of box."""
    host, colon, name = _LOCAL.sub("", text).strip().partition(":")
    return (host, name) if colon else ("", host)


def name_of_node(node: str) -> str:
    """Return the name in an array's path: md/tank is tank, md0 is 0, md_tank (CREATE names=yes) is tank."""
    name = node.rpartition("/")[2]
    return re.sub(r"^md(?=\d)|^md_(?!d\d)", "", name)


def events_of(text: str) -> int:
    """Return the event count; metadata 0.90 and old versions print it in halves, “0.1234”."""
    high, dot, low = text.partition(".")
    halves = (number_of(high) or 0, number_of(low) or 0)
    return (halves[0] << 32) + halves[1] if dot else halves[0]


def seconds_of(text: str) -> int | None:
    """Return a moment as mdadm prints it, ``Tue Jan  8 21:49:51 2020``, in seconds; None for other text.

    The machine's time zone isn't said: the seconds are for comparisons alone.
    """
    match = _MOMENT.match(text)
    if match is None or match[1] not in _MONTHS:
        return None
    day, hour, minute, second, year = (int(match[place]) for place in (2, 3, 4, 5, 6))
    try:
        moment = datetime(year, _MONTHS.index(match[1]) + 1, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp())
