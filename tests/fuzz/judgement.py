"""Faults of the helper, judged from outside: it crashed, leaked memory, or did what nobody was allowed to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from raidwright.lab.machine import Lab

from . import outside
from .storm import ORDINARY, Seen

_MAX_GROWTH_KIB = 4 * 1024  # in the second half of a storm, but for one step
_ALARMS = (
    "Traceback",
    "never retrieved",
    "unexpected error",
    "raised an exception",
    "went away",
    "Main process exited",
)


def faults(lab: Lab, *storms: Seen) -> list[str]:
    """Return every fault of the storms and of the helper itself."""
    acts, others = outside.records(lab)
    found = [fault for seen in storms for fault in seen.faults]
    pids = {process.pid for seen in storms for _, process in seen.looks if process.pid}
    if len(pids) != 1:
        found.append(f"the helper was more than one process: {sorted(pids)}")
    for seen in storms:
        found += _growth([process.rss_kib for _, process in seen.looks if process.pid])
    found += [f"the journal: {_with_what_follows(others, number)}" for number in _alarming(others)]
    done = [act for act in acts if act["uid"] == ORDINARY and (act["commands"] or act["result"] == "done")]
    return found + [f"done for an ordinary user: {act}" for act in done]


def _alarming(lines: Sequence[str]) -> list[int]:
    return [number for number, line in enumerate(lines) if any(alarm in line for alarm in _ALARMS)]


def _with_what_follows(lines: Sequence[str], number: int) -> str:
    """A line of the journal and, of a traceback, all of it."""
    end = next((at for at in range(number + 1, len(lines)) if not lines[at].startswith(" ")), number)
    return " / ".join(line.strip() for line in lines[number : end + 1])


def _growth(rss_kib: Sequence[int]) -> list[str]:
    """Return a fault if memory grew besides its largest step: a leak is steady, the longest message (8 MB) one step."""
    steps = [later - earlier for earlier, later in pairwise(rss_kib[len(rss_kib) // 2 :])]
    grown_kib = sum(steps) - max(steps, default=0)
    return [f"the helper grew by {grown_kib} KiB, step by step"] if grown_kib > _MAX_GROWTH_KIB else []


def summary(name: str, seen: Seen) -> str:
    """A storm in a few lines: speed, the helper's memory along the way, honest builds."""
    step = max(1, len(seen.looks) // 12)
    curve = ", ".join(f"{calls}: {process.rss_kib / 1024:.1f}" for calls, process in seen.looks[::step])
    builds = ", ".join(f"{count} {what}" for what, count in sorted(seen.builds.items()))
    lines = [
        f"{name}: {seen.calls} calls in {seen.seconds:.0f} s ({seen.calls / seen.seconds:.0f} a second)",
        f"  helper's memory in MiB, by calls: {curve}",
    ]
    return "\n".join([*lines, f"  honest builds: {builds}"] if builds else lines)
