"""Rows of mdadm's device table: numbers, states as a list of words, and the device's node.

Sources: mdadm ``Detail.c``, ``super0.c`` ``examine_super0``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable

_NUMBER = re.compile(r"-?\d+|-")
_SET = re.compile(r"set-[A-Z]")
_STATES = {"active", "sync", "faulty", "failed", "removed", "spare", "rebuilding", "journal", "missing"} | {
    "writemostly",
    "write-mostly",
    "failfast",
    "blocked",
    "replacement",
}
_COLUMNS = {False: 4, True: 5}  # an examined 0.90 superblock numbers its rows, or has “this” in front


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One row. ``slot`` is None for “-” in the table; ``device`` the kernel's numbers, ``8:16``."""

    slot: int | None
    states: frozenset[str]
    path: str
    device: str
    is_this: bool
    text: str

    @property
    def is_gone(self) -> bool:
        """True if md has no working device there."""
        return "removed" in self.states or (bool(self.states & {"faulty", "failed"}) and not self.has_errors)

    @property
    def has_errors(self) -> bool:
        """True if the device has had errors and is used nevertheless, as a Synology's kernel leaves it (mdstat's E)."""
        return {"faulty", "sync"} <= self.states

    @property
    def is_in_sync(self) -> bool:
        """True if the device holds its slot's data."""
        return "sync" in self.states and not self.is_gone

    @property
    def flags(self) -> frozenset[str]:
        """The states that mdadm sets by an option, by option name."""
        return frozenset(state.replace("writemostly", "write-mostly") for state in self.states) & {
            "write-mostly",
            "failfast",
        }


def is_row(line: str) -> bool:
    """True if ``line``, below the table's heading, has the form of a row."""
    return re.match(r"(?:this\s|-?\d+\s|-\s+\d)", line) is not None


def row_of(line: str, *, is_examined: bool) -> DeviceRow:
    """Parse a row; raises InputError that names what isn't understood."""
    words = line.split()
    is_this = words[0] == "this"
    columns = 4 if is_this else _COLUMNS[is_examined]
    numbers, rest = words[is_this : is_this + columns], words[is_this + columns :]
    if len(numbers) < columns or not all(map(_NUMBER.fullmatch, numbers)):
        raise _strange(line, line)
    path = rest.pop() if rest and rest[-1].startswith("/") else ""
    for word in rest:
        if word not in _STATES and not _SET.fullmatch(word):
            raise _strange(line, word)
    slot = numbers[-1]
    return DeviceRow(
        slot=int(slot) if slot.isdigit() and int(slot) < 0xFFFE else None,
        states=frozenset(rest),
        path=path,
        device=f"{numbers[-3]}:{numbers[-2]}",
        is_this=is_this,
        text=" ".join(words),
    )


def goes_on(row: DeviceRow, line: str) -> DeviceRow | None:
    """Return the row completed with ``line``, if a mail program wrapped it; None if it is something else."""
    words = line.split()
    path = words.pop() if words[-1].startswith("/") else ""
    if row.path or line.endswith(":") or not all(word in _STATES or _SET.fullmatch(word) for word in words):
        return None
    return replace(row, states=row.states | set(words), path=path, text=f"{row.text} {line}")


def _strange(line: str, what: str) -> InputError:
    return InputError(
        "This row of the table of devices isn't understood: “{line}” (“{what}”). Paste it as mdadm prints it.",
        code="report-row",
        line=printable(" ".join(line.split())),
        what=printable(what),
    )
