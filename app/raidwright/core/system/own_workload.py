"""A user-defined workload, encoded completely in its name: ``own_randrw_70_4k_q32_j4``.

So it is sent, stored and compared like any other workload's name; the helper parses directions and numbers within
limits, and never a job, a path or a program of the caller's. Pure, and the standard library alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.messages import Message, say

from .workload import AnyWorkload, Pattern, Workload

MAX_BLOCK_KIB = 16 * 1024
MAX_DEPTH = 256
MAX_JOBS = 16
_MIXED = ("rw", "randrw")
_NAME = re.compile(
    r"own_(?P<direction>(?:rand)?(?:read|write|rw))(?:_(?P<mix>[1-9][0-9]?))?_(?P<block>[1-9][0-9]{0,4})k"
    r"_q(?P<depth>[1-9][0-9]{0,2})(?:_j(?P<jobs>[1-9][0-9]?))?(?P<buffered>_buffered)?(?P<flushed>_flushed)?"
)


@dataclass(frozen=True, slots=True)
class OwnWorkload:
    """``pattern`` within the limits; raises InputError for one outside them."""

    pattern: Pattern

    def __post_init__(self) -> None:
        if why := refusal(self.pattern):
            raise InputError(why, code="workload")

    @property
    def writes(self) -> bool:
        """True if it overwrites the device."""
        return self.pattern.writes

    def __str__(self) -> str:
        one = self.pattern
        parts = (
            f"own_{one.direction}",
            "" if one.read_percent is None else f"_{one.read_percent}",
            f"_{one.block_kib}k_q{one.depth}",
            f"_j{one.jobs}" if one.jobs > 1 else "",
            "_buffered" if one.buffered else "",
            "_flushed" if one.flushed else "",
        )
        return "".join(parts)


def refusal(one: Pattern, *, max_depth: int = MAX_DEPTH, max_jobs: int = MAX_JOBS) -> Message | None:
    """Return why ``one`` isn't a valid workload within the limits; None if it is."""
    limits = (
        (say("The block in KiB"), one.block_kib, MAX_BLOCK_KIB),
        (say("The depth"), one.depth, max_depth),
        (say("The number of jobs"), one.jobs, max_jobs),
    )
    for what, value, most in limits:
        if not 1 <= value <= most:
            return say("{what} of a workload is 1 to {most}, not {value}.", what=what, most=most, value=value)
    if (one.direction in _MIXED) != (one.read_percent is not None):
        return say("What reads and writes says how many of a hundred requests read, and nothing else does.")
    if one.buffered and one.depth > 1:
        return say("What goes through the page cache has one request in flight a job; take a depth of 1.")
    if one.flushed and not one.writes:
        return say("Only what writes can be flushed.")
    return None


def workload_named(name: str) -> AnyWorkload:
    """Return the built-in or user-defined workload called ``name``; raises InputError for neither."""
    if name in set(Workload):
        return Workload(name)
    found = _NAME.fullmatch(name)
    if found is None:
        known = ", ".join(Workload)
        raise InputError(
            "“{name}” is no workload; there are {known}.", code="workload", name=printable(name), known=known
        )
    own = OwnWorkload(
        Pattern(
            found["direction"],
            int(found["block"]),
            int(found["depth"]),
            buffered=found["buffered"] is not None,
            flushed=found["flushed"] is not None,
            read_percent=None if found["mix"] is None else int(found["mix"]),
            jobs=int(found["jobs"] or 1),
        )
    )
    if str(own) != name:  # "_j1": each has one canonical name
        raise InputError("“{name}” is called {own}.", code="workload", name=printable(name), own=str(own))
    return own


def pattern_named(name: str) -> Pattern | None:
    """Return the access pattern of the workload called ``name``; None for an unknown name."""
    try:
        return workload_named(name).pattern
    except InputError:
        return None
